import datetime
import gzip
import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from maxmargin.tables import TableError, read_blocks, read_table
from maxmargin.tables.read import declared_shape

FRAME = pd.DataFrame(
    {
        "name": ["a", "b", "c", "d"],
        "height": [1.5, np.nan, 2.0, -3.25],
        "count": [1, 2, 3, 2**40],
        "kind": ["x", None, "y", "x"],
        "there": [True, False, True, True],
    }
)


def write(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".tsv":
        frame.to_csv(path, index=False, sep="\t")
    elif path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=2)
    else:
        table = pa.Table.from_pandas(frame)
        with ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    return path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "arrow", "feather"])
def test_formats_give_the_same_table(tmp_path, suffix):
    path = write(FRAME, tmp_path / f"table.{suffix}")
    table = read_table(path, keep=["name"])
    assert table.number_names == ("height", "count", "there")
    expected = FRAME[["height", "count", "there"]].to_numpy(float)
    np.testing.assert_array_equal(table.numbers, expected)
    text = table.texts["kind"]
    words = [None if c < 0 else text.values[c] for c in text.codes]
    assert words == ["x", None, "y", "x"]
    assert table.kept["name"].tolist() == ["a", "b", "c", "d"]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow", "npy"])
def test_blocks_are_the_whole(tmp_path, suffix, random):
    X = random.randn(1000, 3)
    path = tmp_path / f"numbers.{suffix}"
    if suffix == "npy":
        np.save(path, X)
    else:
        write(pd.DataFrame(X, columns=list("abc")), path)
    assert declared_shape(path)[0] == (0 if suffix == "csv" else 1000)
    blocks = list(read_blocks(path, block_rows=128))
    assert max(map(len, blocks)) <= 128
    np.testing.assert_array_equal(np.concatenate(blocks), X)
    names = ["x2", "x0"] if suffix == "npy" else ["c", "a"]
    chosen = np.concatenate(list(read_blocks(path, names)))
    np.testing.assert_array_equal(chosen, X[:, [2, 0]])


def test_blocks_are_numbers(tmp_path):
    path = write(FRAME, tmp_path / "table.csv")
    with pytest.raises(TableError, match=r"'name' of .* holds text"):
        next(read_blocks(path))


def test_a_stream_of_text_may_turn_from_whole_numbers_to_fractions(tmp_path):
    path = tmp_path / "late.csv"
    rows = ["1,2"] * 400_000 + ["1.5,"]
    path.write_text("a,b\n" + "\n".join(rows) + "\n")
    blocks = list(read_blocks(path))
    assert len(blocks) > 1
    assert blocks[-1][-1, 0] == 1.5
    assert np.isnan(blocks[-1][-1, 1])


def test_streamed_arrow_batches(tmp_path):
    path = tmp_path / "stream.arrow"
    table = pa.table({"a": [1, 2, 3]})
    with pa.OSFile(str(path), "wb") as sink, ipc.new_stream(sink, table.schema) as out:
        out.write_table(table, max_chunksize=1)
    assert read_table(path).numbers.ravel().tolist() == [1, 2, 3]


def test_npz(tmp_path, random):
    X, y = random.randn(5, 2), np.arange(5)
    path = tmp_path / "set.npz"
    np.savez(path, X=X, y=y, feature_names=np.array(["u", "v"]))
    table = read_table(path)
    assert table.names == ("u", "v")  # labels are used by name alone
    np.testing.assert_array_equal(table.numbers, X)
    assert read_table(path, keep=["y"]).kept["y"].tolist() == y.tolist()


def test_types_of_arrow(tmp_path):
    day = datetime.date(1970, 1, 11)
    table = pa.table(
        {
            "day": pa.array([day, None]),
            "half": pa.array(np.array([0.5, 1.5], np.float16)),
            "code": pa.array(["x", "y"]).dictionary_encode(),
            "list": pa.array([[1], [2]]),
        }
    )
    path = tmp_path / "types.parquet"
    parquet.write_table(table, path)
    read = read_table(path)
    assert read.names == ("day", "half", "code")
    np.testing.assert_array_equal(read.numbers, [[10, 0.5], [np.nan, 1.5]])
    with pytest.raises(TableError, match="neither numbers nor text"):
        read_table(path, features=["list"])


def test_text_without_a_header_and_with_another_delimiter(tmp_path):
    path = tmp_path / "plain.csv"
    path.write_text("1;2\n3;4\n")
    table = read_table(path)
    assert table.names == ("x0", "x1")
    assert table.numbers.tolist() == [[1, 2], [3, 4]]
    assert "first line holds numbers" in table.notes[0]


def test_packed_text(tmp_path):
    path = tmp_path / "packed.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert read_table(path).numbers.tolist() == [[1, 2]]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_standard_input(tmp_path, monkeypatch, suffix):
    data = write(FRAME, tmp_path / f"t.{suffix}").read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert len(read_table("-")) == 4


def test_text_without_pyarrow(tmp_path, monkeypatch):
    path = write(FRAME, tmp_path / "table.csv")
    with_pyarrow = read_table(path)
    monkeypatch.setattr("maxmargin.tables.readers.find_spec", lambda name: None)
    without = read_table(path)
    assert without.texts["kind"].codes.tolist() == [0, -1, 1, 0]
    np.testing.assert_array_equal(without.numbers[:, :2], with_pyarrow.numbers[:, :2])
    with pytest.raises(TableError, match=r"maxmargin\[tables\]"):
        read_table(write(FRAME, tmp_path / "table.parquet"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "is empty"),
        ("blank.csv", b"\n\n", "is empty"),
        ("header.csv", b"a,b\n", "no rows"),
        ("twice.csv", b"a,b,a\n1,2,3\n", "two columns named 'a'"),
        ("photo.csv", b"\xff\xd8\xff\xe0\x00\x10JFIF\x00", "not a table"),
        ("latin.csv", b"gr\x81\xdfe,b\n1,2\n", "UTF-8"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "line 3: it has 3 cells"),
        ("text.parquet", b"just some text", "cannot be read as a table"),
        ("text.npz", b"just some text", "cannot be read as a table"),
        ("text.npy", b"just some text", "cannot be read as a table"),
        ("table.docx", b"PK", "no suffix of a known format"),
    ],
)
def test_bad_files(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TableError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_two_columns_of_one_name_in_parquet(tmp_path):
    path = tmp_path / "twice.parquet"
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    parquet.write_table(table, path)
    with pytest.raises(TableError, match="two columns named 'a'"):
        read_table(path)


def test_unknown_column(tmp_path):
    path = write(FRAME, tmp_path / "table.csv")
    with pytest.raises(TableError, match="no column 'weight': it has name, height"):
        read_table(path, features=["weight"])
