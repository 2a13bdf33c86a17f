"""Cells in AnnData files."""

import sys

import numpy as np
import pytest

from maxmargin.tables.read import declared_shape, read_table
from maxmargin.tables.samples import TableOptions, read_samples
from maxmargin.tables.table import TableError

# Of releases of anndata that know no pandas 3.
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")


@pytest.fixture
def path(tmp_path):
    anndata = pytest.importorskip("anndata", reason="needs anndata")
    import pandas as pd

    random = np.random.RandomState(0)
    group = random.randint(3, size=60)
    names = np.array(["a", "b", "c"], dtype=object)
    index = pd.Index([f"cell{i}" for i in range(60)], dtype=object)
    about = pd.DataFrame({"type": pd.Categorical(names[group])}, index=index)
    genes = pd.DataFrame(index=pd.Index([f"g{j}" for j in range(8)], dtype=object))
    cells = anndata.AnnData(random.rand(60, 8), obs=about, var=genes)
    found = tmp_path / "cells.h5ad"
    cells.write_h5ad(found)
    cells.obsm["X_pca"] = 3.0 * group[:, None] + random.randn(60, 4)
    cells.write_h5ad(tmp_path / "components.h5ad")
    return found, cells


def test_cells_are_compared_by_genes(path):
    found, cells = path
    table = read_table(found, keep=["type"])
    assert table.names == tuple(cells.var_names)
    np.testing.assert_allclose(table.numbers, cells.X)
    assert table.kept["type"].tolist() == cells.obs["type"].tolist()
    assert declared_shape(found) == (60, 8)


def test_cells_are_compared_by_components_if_there_are_any(path):
    found = path[0].with_name("components.h5ad")
    samples = read_samples(str(found), TableOptions(id_column="cell"), "type")
    assert samples.X.shape == declared_shape(found) == (60, 4)
    assert samples.ids[:2].tolist() == ["cell0", "cell1"]
    assert any("4 principal components" in note for note in samples.notes)


def test_without_anndata_a_sentence_says_what_is_needed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anndata", None)
    found = tmp_path / "cells.h5ad"
    found.write_bytes(b"\x89HDF\r\n")
    with pytest.raises(TableError, match="needs the package anndata: pip install"):
        read_table(found)
