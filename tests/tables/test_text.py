"""Text files as people write them: numbers, encodings, headers, bad cells."""

import codecs
import datetime

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from maxmargin.tables import TableError, read_blocks, read_table
from maxmargin.tables.preprocessing import fit_preprocessor
from maxmargin.tables.read import read_columns, read_table_blocks
from maxmargin.tables.samples import TableOptions, read_samples
from maxmargin.tables.text import TextOptions


@pytest.fixture(params=["pyarrow", "plain"])
def reader(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setattr("maxmargin.tables.readers.find_spec", lambda name: None)


@pytest.fixture
def write(tmp_path, reader):
    def write_file(content, name="table.csv"):
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(data)
        return path

    return write_file


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,5", "2,25", "-3"], [1.5, 2.25, -3]),
        (["1.234,5", "999", "1.000.000"], [1234.5, 999, 1e6]),
        (["1,234.5", "999", "1,000,000"], [1234.5, 999, 1e6]),
        (["12,34,567", "1.5", "1,000"], [1234567, 1.5, 1000]),
        (["1 234,5", "2\u00a0345,5", "3\u202f456,5"], [1234.5, 2345.5, 3456.5]),
        (["1'234.5", "2\u2019345.5", "5"], [1234.5, 2345.5, 5]),
        (["$12.50", "$3", "-$1,000.25"], [12.5, 3, -1000.25]),
        (["12,50 \u20ac", "3 \u20ac", "-1 \u20ac"], [12.5, 3, -1]),
        (["CHF 12.50", "CHF 3.00", "CHF -1.00"], [12.5, 3, -1]),
        (["(1.20)", "3.40", "($5.60)"], [-1.2, 3.4, -5.6]),
        (["5%", "12.5 %", "-1%"], [5, 12.5, -1]),
        (["\u22121.5", "+2.5", " 3 "], [-1.5, 2.5, 3]),
        (["1e3", "1.5E-3", ".5"], [1000, 0.0015, 0.5]),
        (["1.5", "?", "-"], [1.5, np.nan, np.nan]),
        (["1.5", "#DIV/0!", "NA"], [1.5, np.nan, np.nan]),
    ],
)
def test_numbers_in_all_notations(write, cells, values):
    rows = "".join(f'{i}\t"{cell}"\n' for i, cell in enumerate(cells * 10))
    table = read_table(write("i\tx\n" + rows), features=["x"])
    assert table.number_names == ("x",)
    np.testing.assert_array_equal(table.numbers[:, 0], values * 10)


def test_decimal_commas_are_features_and_noted(write):
    rows = "".join(f"{i % 9},5;{i % 7},25\n" for i in range(94))
    table = read_table(write("a;b\n" + rows))
    assert table.number_names == ("a", "b")
    assert table.notes == ("numbers are read with decimal commas",)
    assert table.numbers[3].tolist() == [3.5, 3.25]
    assert fit_preprocessor(table).feature_names == ["a", "b"]


def test_what_is_no_plain_number_is_noted(write):
    table = read_table(write("a,b\n1,$1\n2,?\n3,$3.50\n"))
    note = "column 'b': '$1' is read as 1, '?' is read as missing"
    assert table.notes == (note,)


def test_a_bad_cell_is_refused_with_its_line(write):
    rows = [f"{i}.5,{i % 3}" for i in range(40)]
    rows[17] = "oops,1"
    path = write("a,b\n" + "\n".join(rows) + "\n")
    with pytest.raises(TableError, match=r"line 19: 'oops' in column 'a' is not a nu"):
        read_table(path)
    assert read_table(path, drop=["a"]).names == ("b",)
    as_text = read_table(path, text_options=TextOptions(text=["a"]))
    assert "oops" in as_text.texts["a"].values
    with pytest.raises(TableError, match="no column 'c'"):
        read_table(path, text_options=TextOptions(text=["c"]))


def test_text_with_some_numbers_is_text(write):
    table = read_table(write("a,b\nx1,1\n2,2\ny,3\n"))
    assert set(table.texts["a"].values) == {"x1", "2", "y"}


@pytest.mark.parametrize(
    ("decimal", "thousands", "value"),
    [(",", None, 1.234), (".", None, 1234), (None, ",", 1234), (None, ".", 1.234)],
)
def test_a_number_that_may_be_two_is_refused(write, decimal, thousands, value):
    path = write("a;b\n1,234;1\n2,345;2\n")
    with pytest.raises(TableError, match=r"line 2: '1,234' .* may be 1234 or 1\.234"):
        read_table(path)
    options = TextOptions(decimal=decimal, thousands=thousands)
    assert read_table(path, text_options=options).numbers[0, 0] == value


def test_another_column_decides_about_the_decimal_sign(write):
    table = read_table(write("a;b\n1.234;1,5\n2.345;2,5\n"))
    assert table.numbers.tolist() == [[1234, 1.5], [2345, 2.5]]
    table = read_table(write("a;b\n1,234;1.5\n2,345;2.5\n"))
    assert table.numbers.tolist() == [[1234, 1.5], [2345, 2.5]]
    with pytest.raises(TableError, match="one in all columns"):
        read_table(write("a;b\n1.5;1,5\n2.5;2,5\n"))


def test_ids_do_not_decide_about_the_decimal_sign(write):
    path = write("id;a\n1.50;1,5\n1.51;2,5\n1.52;3\n")
    table = read_table(path, keep=["id"])
    assert table.numbers.ravel().tolist() == [1.5, 2.5, 3]
    assert table.kept["id"].tolist() == ["1.50", "1.51", "1.52"]


@pytest.mark.parametrize("cells", [["$1", "\u20ac2", "$3"], ["5%", "0.05", "6%"]])
def test_units_are_not_mixed(write, cells):
    with pytest.raises(TableError, match=r"line 3: .* has another unit"):
        read_table(write("a\n" + "\n".join(cells) + "\n"))


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_line_ends_and_encodings(write, end, encoding):
    lines = ["größe,stadt", "1.5,Köln", '2.5,"a, b"', ""]
    path = write(end.join(lines).encode(encoding))
    for table in (read_table(path), next(read_table_blocks(path))):
        assert table.column("größe").tolist() == [1.5, 2.5]
        assert set(table.text("stadt").values) == {"Köln", "a, b"}


@pytest.mark.parametrize("n_rows", [1, 200_000])
def test_text_of_windows_is_recognised(write, n_rows):
    text = "a,b\n" + "1,x\n" * n_rows + "2,Köln 5 €\n"
    path = write(text.encode("cp1252"))
    table = read_table(path)
    assert set(table.texts["b"].values) == {"x", "Köln 5 €"}
    assert "is not UTF-8 and is read as cp1252" in table.notes[0]
    blocks = list(read_table_blocks(path))
    assert sum(map(len, blocks)) == n_rows + 1
    columns = read_columns(path)
    assert columns["b"][-1] == "Köln 5 €"


@pytest.mark.parametrize(
    "cells",
    [
        ["Köln".encode(), "Zürich".encode(), b"K\xf6ln"],  # UTF-8 for the most part
        [b"\x81\x8d", b"b", b"c"],  # not in cp1252
    ],
)
def test_damaged_text_is_refused(write, cells):
    path = write(b"a,b\n" + b"".join(b"1,%s\n" % cell for cell in cells))
    for read in (read_table, lambda path: list(read_table_blocks(path))):
        with pytest.raises(TableError, match=r"line \d: it is not UTF-8.*--encoding"):
            read(path)


def test_other_encodings_are_given(write):
    path = write("a,b\n1,x\n2,Łódź\n".encode("cp1250"))
    table = read_table(path, text_options=TextOptions(encoding="cp1250"))
    assert set(table.texts["b"].values) == {"x", "Łódź"}
    unmarked = write("a,b\n1,2\n".encode("utf-16-le"))
    with pytest.raises(TableError, match="--encoding utf-16"):
        read_table(unmarked)
    table = read_table(unmarked, text_options=TextOptions(encoding="utf-16-le"))
    assert table.numbers.tolist() == [[1, 2]]


def test_comments(write):
    path = write("# made by hand\na,b\n1,2\n# a gap, here, and there\n3,x\n")
    with pytest.raises(TableError, match="--comment '#'"):
        read_table(path)
    table = read_table(path, text_options=TextOptions(comment="#"))
    assert table.numbers.tolist() == [[1], [3]]
    path = write("% by hand\na,b\n1,2\n3,4\n5,6\n7,x\n")
    with pytest.raises(TableError, match=r"line 6: 'x'"):  # comments are counted
        read_table(path, text_options=TextOptions(comment="%"))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_found(write, delimiter):
    rows = [["a, b; c", "n"], ['"x, y; z"', "1"], ['"u | v"', "2"]]
    rows[0][0] = '"a, b; c"'
    path = write("\n".join(delimiter.join(row) for row in rows) + "\n")
    table = read_table(path)
    assert table.names == ("a, b; c", "n")
    assert set(table.texts["a, b; c"].values) == {"x, y; z", "u | v"}


def test_a_delimiter_is_given(write):
    path = write("a:b\n1:2\n3:4\n")
    table = read_table(path, text_options=TextOptions(delimiter=":"))
    assert table.numbers.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "values"),
    [
        ("1,5;2,5\n3,5;4,5\n", [[1.5, 2.5], [3.5, 4.5]]),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", [[5.1, 3.5], [4.9, 3.0]]),
        ("5.1,,setosa\n4.9,3.0,setosa\n", [[5.1, np.nan], [4.9, 3.0]]),
    ],
)
def test_a_first_line_that_is_a_row_is_not_lost(write, content, values):
    table = read_table(write(content))
    np.testing.assert_array_equal(table.numbers, values)
    assert "first line holds numbers" in table.notes[0]


def test_names_that_are_numbers(write):
    table = read_table(write("2019,2020,town\n1,2,Ulm\n3,4,Bonn\n"))
    assert table.names == ("2019", "2020", "town")
    assert "'2019' is a number" in table.notes[0]
    table = read_table(write("mean,25%,1.1\n1,2,3\n3,4,5\n"))
    assert table.names == ("mean", "25%", "1.1")


def test_header_of_several_lines_and_of_many_columns(write):
    table = read_table(write('\n\n"a\nb",c\n1,2\n'))
    assert table.names == ("a\nb", "c")
    names = [f"column_{j}" for j in range(20_000)]
    line = ",".join(map(str, range(20_000)))
    assert read_table(write(",".join(names) + "\n" + line)).names == tuple(names)


def test_an_open_quote_hides_no_rows(write):
    with pytest.raises(TableError, match="line 3: a quote is opened and never closed"):
        read_table(write('a,b\nx,1\n"y,2\nz,3\n'))
    table = read_table(write('a,b\n5" pipe,1\n"two\nlines",3\n'))
    assert set(table.texts["a"].values) == {'5" pipe', "two\nlines"}


def test_many_cells_with_line_ends(write):
    rows = "".join(
        f'"a\n{i}, b, which is long, long, long, long",{i}\n' for i in range(30_000)
    )
    table = read_table(write("t,n\n" + rows))
    assert table.column("n").tolist() == list(range(30_000))


def test_a_file_in_blocks_may_change_its_notation(write):
    rows = [f"{i},{'2'.zfill(90)}" for i in range(20_000)]
    rows[-2:] = ["$1.5,?", '"1,000",NA']
    path = write("a,b\n" + "\n".join(rows) + "\n")
    *_, last = read_blocks(path)
    np.testing.assert_array_equal(last[-2:], [[1.5, np.nan], [1000, np.nan]])
    rows[-2] = "1.5,oops"
    with pytest.raises(TableError, match="line 20000: 'oops' in column 'b'"):
        list(read_blocks(write("a,b\n" + "\n".join(rows) + "\n")))


IDS = ["00000", "123456789012345678901234", "NA", " x", "1.50", "true", "1e5", ""]


def test_ids_are_the_text_of_the_file(write):
    rows = "".join(f"{who},{i}.5\n" for i, who in enumerate(IDS))
    path = write("id,x\n" + rows)
    samples = read_samples(str(path), TableOptions(id_column="id"))
    assert samples.ids.tolist() == IDS
    (block,) = read_table_blocks(path, ["x"], ["id"])
    assert block.kept["id"].tolist() == IDS
    numeric = write("id,x\n007,1\n010,2\n")
    options = TableOptions(id_column="id", features=["id", "x"])
    samples = read_samples(str(numeric), options)
    assert samples.ids.tolist() == ["007", "010"]
    assert samples.X.shape == (2, 3)  # two codes and a number


def test_ids_of_parquet_are_not_rounded(tmp_path):
    path = tmp_path / "ids.parquet"
    parquet.write_table(pa.table({"id": [2**60 + 1, None], "x": [1.0, 2.0]}), path)
    kept = read_table(path, keep=["id"]).kept["id"]
    assert kept.tolist() == [2**60 + 1, None]


def test_codes_of_classes_stay_and_numbers_are_numbers(write):
    path = write("c,t,d,x\n01,1,2026-01-02,1\n02,10,2026-01-03,2\n,9,2026-01-01,3\n")
    samples = read_samples(str(path), TableOptions(drop=["d"]), label="c", time="t")
    assert samples.labels.tolist() == ["01", "02", None]
    assert samples.times.tolist() == [1, 10, 9]
    samples = read_samples(str(path), TableOptions(drop=["c", "t"]), time="d")
    assert samples.times.dtype.kind == "M"
    assert samples.times.argmin() == 2


def test_columns_of_parquet_that_cannot_be_used_are_noted(tmp_path):
    second = datetime.timedelta(seconds=1)
    table = pa.table(
        {
            "x": [1.0, 2.0],
            "list": [[1], [2]],
            "bytes": [b"a", b"b"],
            "map": [{"a": 1}, {"a": 2}],
            "wait": pa.array([43200 * second, None], pa.duration("ns")),
            "clock": [datetime.time(6), datetime.time(12)],
        }
    )
    path = tmp_path / "types.parquet"
    parquet.write_table(table, path)
    read = read_table(path, drop=["map"])
    assert read.number_names == ("x", "wait", "clock")
    np.testing.assert_array_equal(read.numbers, [[1, 0.5, 0.25], [2, np.nan, 0.5]])
    assert [note.split(" is ")[0] for note in read.notes] == [
        "column 'list'",
        "column 'bytes'",
    ]
    with pytest.raises(TableError, match=r"'list' .* neither numbers nor text"):
        next(read_blocks(path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": "::"}, "one character"),
        ({"decimal": ",", "thousands": ","}, "must differ"),
        ({"encoding": "klingon"}, "no known encoding"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(TableError, match=message):
        TextOptions(**options)


def test_a_byte_order_mark_alone_is_empty(write):
    with pytest.raises(TableError, match="empty"):
        read_table(write(codecs.BOM_UTF16_LE))


def test_dates_with_points_are_days(write):
    cells = ["25.04.2021", "1.5.2021", "", "31.12.1969", "n/a"]
    rows = "".join(f"{cell},{i}\n" for i, cell in enumerate(cells))
    path = write(f"day,x\n{rows}")
    for table in (read_table(path), next(read_table_blocks(path))):
        expected = [18742, 18748, np.nan, -1, np.nan]
        np.testing.assert_array_equal(table.column("day"), expected)
        assert any("'25.04.2021' is read as a date" in note for note in table.notes)


@pytest.mark.parametrize("cell", ["31.02.2021", "tomorrow", "12.5"])
def test_a_cell_that_is_no_date_is_named(write, cell):
    path = write(f"day,x\n25.04.2021,1\n26.04.2021,2\n{cell},3\n")
    with pytest.raises(TableError, match=f"line 4: '{cell}' .* is not a date"):
        read_table(path)


@pytest.mark.parametrize("where", [3, 150_000])
def test_codes_keep_their_zeros(write, where):
    codes = ["10115", "80331"] * where + ["01067", "99084"]
    path = write("plz,n,m\n" + "".join(f"{c},{i},7\n" for i, c in enumerate(codes)))
    table = read_table(path)
    assert set(table.text("plz").values) == set(codes)
    assert table.number_names == ("n", "m")
    assert "column 'plz': '01067' begins with 0: the values are codes" in table.notes[0]
