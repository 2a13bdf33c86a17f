"""Spreadsheets, JSON lines and compressed files."""

import datetime
import gzip
import io
import json
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from maxmargin.tables import TableError, arrow, read_blocks, read_table
from maxmargin.tables.read import declared_shape, read_columns
from maxmargin.tables.write import output_format

ROWS = [
    {"id": 7, "x": 1.5, "kind": "u", "day": "2024-01-02"},
    {"id": 8, "x": None, "kind": None, "day": "2024-01-03"},
    {"id": 9, "x": 4, "kind": "v", "day": "2024-01-04"},
]


def write_json(path, rows):
    text = "\n".join(json.dumps(row) for row in rows)
    opened = gzip.open(path, "wt") if path.suffix == ".gz" else path.open("w")
    with opened as file:
        file.write(text + "\n")
    return path


def write_excel(path, cells, *more):
    openpyxl = pytest.importorskip("openpyxl", reason="writes the files")
    pytest.importorskip("python_calamine", reason="needs the extra tables")
    book = openpyxl.Workbook()
    for row in cells:
        book.active.append(row)
    for name in more:
        book.create_sheet(name)
    book.save(path)
    return path


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.ndjson", "rows.jsonl.gz"])
def test_json_lines(name, tmp_path):
    path = write_json(tmp_path / name, ROWS)
    table = read_table(path, keep=["id"])
    assert table.number_names == ("x", "day")
    assert np.array_equal(table.column("x"), [1.5, np.nan, 4.0], equal_nan=True)
    assert np.diff(table.column("day")).tolist() == [1, 1]
    assert table.text("kind").values == ("u", "v")
    assert table.kept["id"].tolist() == [7, 8, 9]
    assert declared_shape(path) == (0, 0)
    blocks = list(read_blocks(path, ["id", "x"], block_rows=2))
    assert [len(block) for block in blocks] == [2, 1]


def test_json_lines_in_parts(tmp_path, monkeypatch):
    """Types may change from integers to floats, and columns may be missing."""
    monkeypatch.setattr(arrow, "_JSON_BYTES", 40)
    rows = [{"a": j, "b": 2 * j} for j in range(20)]
    rows += [{"a": j + 0.5} for j in range(20)]
    path = write_json(tmp_path / "rows.jsonl", rows)
    values = np.concatenate(list(read_blocks(path, block_rows=7)))
    assert np.array_equal(values[:, 0], [row["a"] for row in rows])
    assert np.array_equal(values[:20, 1], 2 * np.arange(20))
    assert np.isnan(values[20:, 1]).all()
    assert np.array_equal(read_table(path).numbers, values, equal_nan=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": "x"}\n', "lines 1 to 2: .*changed from number to string"),
        ('{"a": 1}\n{"a": \n', "lines 1 to 2: JSON parse error"),
        ("[1, 2]\n", "lines 1 to 1: JSON parse error"),
    ],
)
def test_errors_of_json_lines(text, message, tmp_path):
    path = tmp_path / "wrong.jsonl"
    path.write_text(text)
    with pytest.raises(TableError, match=message):
        read_table(path)


def test_text_and_numbers_in_one_column(tmp_path, monkeypatch):
    monkeypatch.setattr(arrow, "_JSON_BYTES", 5)
    path = write_json(tmp_path / "rows.jsonl", [{"a": 1}, {"a": "x"}])
    with pytest.raises(TableError, match="columns of numbers and of text in one"):
        read_table(path)


def test_spreadsheet(tmp_path):
    day = datetime.datetime(1970, 1, 3, 12)
    cells = [
        ["name", "size", "day", "code", "flag"],
        ["a", 1.5, day, 3, True],
        ["b", None, day, "x7", False],
        [None, 4, None, 5, True],
    ]
    path = write_excel(tmp_path / "rows.xlsx", cells, "other")
    table = read_table(path)
    assert table.number_names == ("size", "day", "flag")
    assert np.array_equal(table.column("size"), [1.5, np.nan, 4.0], equal_nan=True)
    assert np.array_equal(table.column("day"), [2.5, 2.5, np.nan], equal_nan=True)
    assert table.column("flag").tolist() == [1, 0, 1]
    assert table.text("code").values == ("3", "5", "x7")
    assert table.text("name").codes.tolist() == [0, 1, -1]
    assert table.notes == ("sheet 'Sheet' is read, the first of 2",)
    assert declared_shape(path) == (0, 0)  # it must be read for that
    assert read_columns(path)["name"].tolist() == ["a", "b", None]
    assert len(next(read_blocks(path, ["size"]))) == 3


def test_spreadsheet_without_names(tmp_path):
    path = write_excel(tmp_path / "rows.xlsx", [[1, 2], [3, 4]])
    table = read_table(path)
    assert table.number_names == ("x0", "x1")
    assert table.numbers.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([], "is empty"),
        ([["a", "a"], [1, 2]], "two columns named 'a'"),
        ([["a", None], [1, 2]], "no name above column 2"),
        ([["a", "b"]], "no rows"),
    ],
)
def test_errors_of_spreadsheets(cells, message, tmp_path):
    path = write_excel(tmp_path / "rows.xlsx", cells)
    with pytest.raises(TableError, match=message):
        read_table(path)


def test_a_file_that_is_no_spreadsheet(tmp_path):
    pytest.importorskip("python_calamine", reason="needs the extra tables")
    path = tmp_path / "wrong.xlsx"
    path.write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(TableError, match=r"wrong.xlsx is not a spreadsheet"):
        read_table(path)


def test_missing_extra_of_spreadsheets(tmp_path, monkeypatch):
    path = write_excel(tmp_path / "rows.xlsx", [["a"], [1]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    cure = r"needs python-calamine: pip install 'maxmargin\[tables\]'"
    with pytest.raises(TableError, match=cure):
        read_table(path)


def test_standard_input_is_recognised(tmp_path, monkeypatch):
    paths = [
        write_json(tmp_path / "a.jsonl", [{"a": 1}, {"a": 2}]),
        write_json(tmp_path / "a.jsonl.gz", [{"a": 1}, {"a": 2}]),
        write_excel(tmp_path / "a.xlsx", [["a"], [1], [2]]),
        tmp_path / "a.csv.gz",
    ]
    pd.DataFrame({"a": [1, 2]}).to_csv(paths[-1], index=False)
    for path in paths:
        content = io.BytesIO(path.read_bytes())
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=content))
        assert read_table("-").column("a").tolist() == [1, 2]


@pytest.mark.parametrize("name", ["out.xlsx", "out.jsonl"])
def test_only_read(name):
    with pytest.raises(TableError, match="format that can be written"):
        output_format(name)
