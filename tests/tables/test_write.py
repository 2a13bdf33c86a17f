import numpy as np
import pytest

from maxmargin.tables import TableError, read_table
from maxmargin.tables.write import output_format, table_writer

COLUMNS = {
    "id": np.array(["a", 'b "x", y', "c"], object),
    "cluster": np.array([1, 0, 2]),
}


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "feather"])
def test_what_is_written_is_read(tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    with path.open("wb") as file:
        table_writer(str(path), COLUMNS)(file)
    table = read_table(path, keep=["id"])
    assert table.kept["id"].tolist() == COLUMNS["id"].tolist()
    assert table.numbers.ravel().tolist() == [1, 0, 2]


def test_numpy_formats(tmp_path):
    for name in ("out.npy", "out.npz"):
        with (tmp_path / name).open("wb") as file:
            table_writer(name, COLUMNS)(file)
    assert np.load(tmp_path / "out.npy").tolist() == [1, 0, 2]
    with np.load(tmp_path / "out.npz", allow_pickle=False) as archive:
        assert archive["id"].tolist() == COLUMNS["id"].tolist()


def test_plain_text_has_no_quotes_it_does_not_need(tmp_path):
    path = tmp_path / "out.csv"
    columns = {"id": np.array(["a", "b"], object), "cluster": np.array([0, 1])}
    with path.open("wb") as file:
        table_writer(str(path), columns)(file)
    assert path.read_text() == "id,cluster\na,0\nb,1\n"


def test_text_without_pyarrow(tmp_path, monkeypatch):
    with_pyarrow, without = tmp_path / "a.csv", tmp_path / "b.csv"
    with with_pyarrow.open("wb") as file:
        table_writer(str(with_pyarrow), COLUMNS)(file)
    monkeypatch.setattr("maxmargin.tables.write.find_spec", lambda name: None)
    with without.open("wb") as file:
        table_writer(str(without), COLUMNS)(file)
    assert without.read_text() == 'id,cluster\na,1\n"b ""x"", y",0\nc,2\n'
    assert (
        read_table(without).numbers.tolist()
        == read_table(with_pyarrow).numbers.tolist()
    )
    with pytest.raises(TableError, match=r"maxmargin\[tables\]"):
        table_writer("labels.parquet", COLUMNS)


def test_formats():
    assert output_format("-") == "text"
    assert output_format("labels.PQ") == "parquet"
    with pytest.raises(TableError, match="no suffix"):
        output_format("labels")
