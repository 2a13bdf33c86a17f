"""Tables of cells in AnnData files, which need the package ``anndata``."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.tables.formats import InputFile
from maxmargin.tables.table import TableError

COMPONENTS = "X_pca"  # cells are compared by these, if there are any
MAX_CELLS = 200_000_000  # of a dense matrix


def used_shape(file: InputFile) -> tuple[int, int]:
    """Return the shape of the matrix that is used, without reading it."""
    cells = _open(file)
    try:
        used = cells.obsm[COMPONENTS] if COMPONENTS in cells.obsm else cells
        return int(used.shape[0]), int(used.shape[1])
    finally:
        cells.file.close()


def read_cells(
    file: InputFile,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], tuple[str, ...]]:
    """Return the columns that are compared, those that describe cells, and notes."""
    n_cells, n_columns = used_shape(file)
    if n_cells * n_columns > MAX_CELLS:
        raise TableError(
            f"{file.name} has {n_cells:,} cells of {n_columns:,} genes and no "
            f"{COMPONENTS}: compute principal components with scanpy.pp.pca first."
        )
    cells = _open(file).to_memory()
    about = {"cell": cells.obs_names.to_numpy(dtype=object), **_columns(cells.obs)}
    if COMPONENTS in cells.obsm:
        matrix = np.asarray(cells.obsm[COMPONENTS], dtype=np.float64)
        names = [f"PC{j + 1}" for j in range(n_columns)]
        note = f"cells are compared by their {n_columns} principal components"
    else:
        X = cells.X
        matrix = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        names = [str(name) for name in cells.var_names]
        note = f"cells are compared by {n_columns} genes: there is no {COMPONENTS}"
    columns = {name: matrix[:, j] for j, name in enumerate(names)}
    return columns, {n: v for n, v in about.items() if n not in columns}, (note,)


def _open(file: InputFile) -> Any:
    try:
        import anndata
    except ImportError:
        raise TableError(
            f"{file.name} needs the package anndata: pip install anndata."
        ) from None
    if file.path is None:
        raise TableError("AnnData cannot be read from standard input: give a file.")
    return anndata.read_h5ad(file.path, backed="r")


def _columns(frame: Any) -> Mapping[str, np.ndarray]:
    """Return the columns of a data frame: numbers, or text without missing values."""
    found = {}
    for name in frame.columns:
        values = frame[name]
        if values.dtype.kind in "iuf":
            found[str(name)] = values.to_numpy()
        else:
            texts = values.astype(object).where(values.notna(), None)
            found[str(name)] = texts.to_numpy(dtype=object)
    return found
