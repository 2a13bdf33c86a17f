"""Generated text files whose content is known: it is read, or refused with a reason.

The environment variable MAXMARGIN_FUZZ sets the number of tables; they then differ from
run to run, and ``--hypothesis-seed`` repeats a run.
"""

import csv
import gzip
import io
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maxmargin.tables import TableError, read_table
from maxmargin.tables.read import read_table_blocks
from maxmargin.tables.text import TextOptions

N_TABLES = int(os.environ.get("MAXMARGIN_FUZZ", "100"))
MISSING = ["", "NA", "n/a", "?", "-", "#DIV/0!"]
BAD = ["oops", "1.2.3.4", "12a", "1,2,3", "1-2", "--5", "(3", "$", "1/2", "12:61"]
MARKED = {"utf-8", "utf-8-sig", "utf-16", "utf-32"}  # encodings that are found out


@dataclass
class Generated:
    """A text file, its options and its content."""

    data: bytes
    suffix: str
    options: TextOptions
    numbers: dict  # name: values
    texts: dict  # name: values, None is missing
    ids: list
    bad_line: int | None = None
    decided: bool = False  # a cell shows the decimal sign
    plain_reader: bool = False


@st.composite
def number_cells(draw, decimal, thousands, n_rows, vague):
    """Return cells and their values; vague ones look like 1,234."""
    fraction = 3 if vague else draw(st.integers(0, 4))
    largest = 999 if vague else draw(st.sampled_from([9, 999, 99_999, 9_999_999]))
    currency = draw(st.sampled_from(["", "", "", "$", "\xa3", "EUR ", " EUR", "%"]))
    parentheses = draw(st.booleans())
    signed = draw(st.booleans())
    grouped = draw(st.booleans()) and thousands
    cells, values = [], []
    for _ in range(n_rows):
        whole = draw(st.integers(int(vague), largest))
        part = "".join(
            draw(
                st.lists(
                    st.sampled_from("0123456789"), min_size=fraction, max_size=fraction
                )
            )
        )
        negative = signed and draw(st.booleans())
        value = float(f"{whole}.{part or 0}")
        text = f"{whole:,}".replace(",", thousands) if grouped else str(whole)
        text += decimal + part if fraction else ""
        after = currency.startswith((" ", "%"))
        text = text + currency if after else currency + text
        if negative:
            text = f"({text})" if parentheses else f"-{text}"
        cells.append(text)
        values.append(-value if negative else value)
    return cells, values


@st.composite
def text_cells(draw, n_rows, forbidden):
    signs = [c for c in "abcXYZ \xf6\xe9,;|'\"\n#.-0123456789" if c not in forbidden]
    word = st.text(st.sampled_from(signs), max_size=6)
    words = draw(st.lists(word, min_size=n_rows, max_size=n_rows))
    return [f"w{word}" for word in words]


@st.composite
def id_cells(draw, n_rows):
    kind = st.one_of(
        st.integers(0, 99).map("{:05d}".format),
        st.integers(10**20, 10**25).map(str),
        st.sampled_from(["NA", "true", "1e5", "1.50", "0x1F", " 7", "2026-01-01", "-"]),
    )
    return draw(st.lists(kind, min_size=n_rows, max_size=n_rows))


def shows_decimal(cell, decimal):
    """Return True if a number can have one meaning only."""
    core = re.sub(r"[^0-9.,]", "", cell)
    parts = core.split(decimal)
    other = "." if decimal == "," else ","
    return (len(parts) == 2 and len(parts[1]) != 3) or core.count(other) > 1


def make_gaps(draw, cells, n_rows):
    """Return cells, some of them missing, and the rows of the gaps."""
    rows = draw(st.sets(st.integers(0, n_rows - 1), max_size=n_rows // 4))
    return [
        draw(st.sampled_from(MISSING)) if i in rows else c for i, c in enumerate(cells)
    ], rows


def write_rows(draw, rows, dialect, comment, bad_row):
    """Return the text of a table, some comments in it, and the line of the bad row."""
    stream = io.StringIO(newline="")
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer = csv.writer(stream, quoting=quoting, **dialect)
    remark = "{} a remark, with {delimiter} signs{lineterminator}"
    bad_line = None
    for i, row in enumerate(rows):
        if comment and draw(st.booleans()):
            stream.write(remark.format(comment, **dialect))
        if i == bad_row:
            bad_line = len(stream.getvalue().splitlines()) + 1
        writer.writerow(row)
    return stream.getvalue(), bad_line


def draw_numbers(draw, n_rows, decimal, thousands):
    """Return the numbers of columns, and their cells."""
    numbers, columns = {}, {}
    vague = draw(st.sampled_from([False, False, False, True]))
    for j in range(draw(st.integers(1, 4))):
        cells, values = draw(number_cells(decimal, thousands, n_rows, vague))
        columns[f"n{j}"], gaps = make_gaps(draw, cells, n_rows)
        numbers[f"n{j}"] = [np.nan if i in gaps else v for i, v in enumerate(values)]
    return numbers, columns


@st.composite
def generated(draw):
    n_rows = draw(st.integers(4, 25))
    decimal = draw(st.sampled_from(".,"))
    other = "," if decimal == "." else "."
    thousands = draw(st.sampled_from(["", other, " ", "'", "\xa0"]))
    encoding = draw(st.sampled_from([*sorted(MARKED), "cp1252", "utf-16-le"]))
    comment = draw(st.sampled_from([None, None, "#", "%"]))
    given_format = draw(st.booleans())
    delimiter = draw(st.sampled_from(",;\t|"))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))

    numbers, by_name = draw_numbers(draw, n_rows, decimal, thousands)
    shown = (shows_decimal(c, decimal) for cells in by_name.values() for c in cells)
    decided = given_format or any(shown)
    points = any("." in cell for cells in by_name.values() for cell in cells)
    if points and decimal == "," and not decided:  # 1.234 alone has a decimal point
        by_name["half"], numbers["half"] = ["0,5"] * n_rows, [0.5] * n_rows
        decided = True
    names, columns = ["id", *by_name], [draw(id_cells(n_rows)), *by_name.values()]
    texts = {}
    for j in range(draw(st.integers(0, 2))):
        forbidden = ("#%" if comment else "") + ("\n" if end == "\r" else "")
        cells = draw(text_cells(n_rows, forbidden))
        names.append(f"t{j}")
        columns.append(cells)
        texts[f"t{j}"] = cells

    bad = draw(st.sampled_from([*([None] * 3 * len(BAD)), *BAD]))
    bad_row = draw(st.integers(0, n_rows - 1))
    if bad is not None:
        columns[1][bad_row] = bad

    dialect = {"delimiter": delimiter, "lineterminator": end}
    text, bad_line = write_rows(
        draw, [names, *zip(*columns, strict=True)], dialect, comment,
        None if bad is None else bad_row + 1,
    )  # fmt: skip
    data = text.encode(encoding)
    packed = draw(st.booleans())
    return Generated(
        gzip.compress(data, mtime=0) if packed else data,
        ".csv.gz" if packed else ".csv",
        TextOptions(
            decimal=decimal if given_format else None,
            encoding=None if encoding in MARKED else encoding,
            comment=comment,
            delimiter=draw(st.sampled_from([None, delimiter])),
        ),
        numbers,
        texts,
        columns[0],
        bad_line,
        decided,
        draw(st.booleans()),
    )


def check_table(table, case):
    assert set(table.number_names) == set(case.numbers)
    for name, values in case.numbers.items():
        np.testing.assert_array_equal(table.column(name), values)
    assert set(table.texts) == set(case.texts)
    for name, values in case.texts.items():
        text = table.texts[name]
        assert [text.values[code] for code in text.codes] == values
    assert table.kept["id"].tolist() == case.ids


def check_both_ways(case, path):
    """Check the table and its blocks."""
    table = read_table(path, keep=["id"], text_options=case.options)
    check_table(table, case)
    names = [*case.numbers, *case.texts]
    blocks = read_table_blocks(path, names, ["id"], 10_000, case.options)
    check_table(next(blocks), case)


profile = settings(
    max_examples=N_TABLES,
    deadline=None,
    derandomize="MAXMARGIN_FUZZ" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)
time_limit = pytest.mark.timeout(300 + N_TABLES)


def refusal(case, data, read):
    """Return the message with which a file is refused, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table{case.suffix}"
        path.write_bytes(data)
        found = None if case.plain_reader else mock.Mock()
        with mock.patch("maxmargin.tables.readers.find_spec", lambda name: found):
            try:
                read(case, path)
            except TableError as error:
                return str(error)
    return None


@time_limit
@profile
@given(generated())
def test_generated_text_is_read_or_refused(case):
    message = refusal(case, case.data, check_both_ways)
    if case.bad_line is not None:
        assert message is not None
        if "may be" not in message and "decimal sign" not in message:
            assert f"line {case.bad_line}:" in message
            assert "--drop n0" in message
    elif message is not None:
        assert not case.decided, message
        assert "may be" in message
        assert "--decimal" in message


@time_limit
@profile
@given(generated(), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255))))
def test_damaged_text_is_a_table_or_an_error_in_one_line(case, damage):
    data = bytearray(case.data)
    for place, byte in damage:
        data[int(place * (len(data) - 1))] = byte
    message = refusal(case, bytes(data), lambda case, path: read_table(path))
    assert message is None or "\n" not in message
