"""Text files: encoding, delimiter, header, number format, errors with their line."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import IO

from maxmargin.tables.encoding import Encoding, find_encoding
from maxmargin.tables.formats import InputFile
from maxmargin.tables.numbers import (
    MISSING,
    NOT_A_NUMBER,
    NumberFormat,
    TextColumn,
    choose_format,
    is_number,
)
from maxmargin.tables.table import Source, TableError

COMMAS = "numbers are read with decimal commas"
_HEAD_SIZE = 1 << 16  # characters that are examined


@dataclass(frozen=True)
class TextOptions:
    """How a text file is written. What is None is found out.

    Attributes
    ----------
    delimiter : str
        Sign between two cells.
    decimal : {".", ","}
        Decimal sign of numbers.
    thousands : {",", ".", " ", "'"}
        Sign between groups of digits.
    encoding : str
        Name of an encoding of Python; by default what a byte order mark says, UTF-8, or
        cp1252 if the file is not UTF-8.
    comment : str
        Lines that begin with it are skipped.
    text : sequence of str
        Names of columns that hold text, even if it looks like numbers.
    """

    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    comment: str | None = None
    text: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise TableError(f"The delimiter {self.delimiter!r} must be one character.")
        if self.thousands is not None and self.thousands == self.decimal:
            raise TableError("The decimal and the thousands sign must differ.")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise TableError(
                f"{self.encoding!r} is no known encoding: use utf-8, cp1252, utf-16, "
                "or another name that Python knows."
            ) from None


@dataclass(frozen=True)
class TextLayout:
    """How a text file is written, as far as it must be known to read it."""

    file: InputFile
    encoding: str
    comment: str | None
    delimiter: str = ","
    names: tuple[str, ...] = ()
    skip: int = 0  # lines before the first row
    numbers: NumberFormat = NumberFormat()  # noqa: RUF009
    notes: tuple[str, ...] = ()  # messages for the user

    def with_numbers(self, numbers: NumberFormat) -> "TextLayout":
        """Return the layout with the number format of the whole file."""
        notes = self.notes + ((COMMAS,) if numbers.decimal == "," else ())
        return replace(self, numbers=numbers, notes=notes)

    def lines(self) -> Iterator[str]:
        """Read lines with their ends. Comments are empty lines, to be counted."""
        with (
            self.file.open() as stream,
            io.TextIOWrapper(stream, self.encoding, newline="") as text,
        ):
            for line in text:
                comment = self.comment is not None and line.startswith(self.comment)
                yield "\n" if comment else line

    def open(self) -> IO[bytes]:
        """Open the file as UTF-8 without comments."""
        if self.encoding in {"utf-8", "utf-8-sig"} and self.comment is None:
            return self.file.open()
        return io.BufferedReader(_Lines(self.lines()))  # type: ignore[type-var]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Read the cells of each row with the number of its line."""
        reader = csv.reader(self.lines(), delimiter=self.delimiter)
        start = 1
        for cells in reader:
            if cells and start > self.skip:
                yield start, cells
            start = reader.line_num + 1

    def error(self, line: int, message: str) -> TableError:
        """Return an error in a line."""
        return TableError(f"{self.file.name}, line {line}: {message}")


class _Lines(io.RawIOBase):
    """A binary file of the lines of a text."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines = lines
        self.rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        while not self.rest:
            line = next(self.lines, None)
            if line is None:
                return 0
            self.rest = line.encode()
        size = min(len(buffer), len(self.rest))
        buffer[:size], self.rest = self.rest[:size], self.rest[size:]
        return size


def text_layout(
    file: InputFile, options: TextOptions, keep: Collection[str] = ()
) -> TextLayout:
    """Find out how a text file is written from its first lines.

    The columns in ``keep`` do not show the decimal sign: ids may be versions or codes.
    """
    encoding, notes = Encoding(options.encoding or "")
    if not encoding:
        encoding, notes = find_encoding(file)
    layout = TextLayout(file, encoding, options.comment)
    head = _head(layout)
    delimiter = options.delimiter or file.delimiter or _find_delimiter(head)
    (skip, first), *records = _records(head, delimiter)
    names = tuple(cell.strip() for cell in first)
    rows = [row for _, row in records if len(row) == len(names)]
    if _is_row(names, rows):
        rows, skip, notes = [first, *rows], 0, (*notes, _NO_HEADER)
        names = tuple(f"x{j}" for j in range(len(first)))
    elif number := next(filter(is_number, names), None):
        although = f"the first line is read as names, although {number!r} is a number"
        notes = (*notes, although)
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise TableError(f"{file.name} has two columns named {name!r}: rename one.")
    for name in options.text:
        if name not in names:
            raise TableError(f"{file.name} has no column {name!r} of text.")
    columns = [
        [row[j] for row in rows]
        for j, name in enumerate(names)
        if name not in options.text and name not in keep
    ]
    numbers = choose_format(columns, options.decimal, options.thousands)
    return TextLayout(
        file, encoding, options.comment, delimiter, names, skip, numbers, notes
    )


_FRACTION = re.compile("[+-]?[0-9]*[.,][0-9]+")
_NO_HEADER = "the first line holds numbers: columns are named x0, x1, ..."


def _head(layout: TextLayout) -> list[str]:
    """Return the first lines: at least one row after the header, if there is one."""
    head: list[str] = []
    size = filled = 0
    try:
        for line in layout.lines():
            head.append(line)
            size += len(line)
            filled += bool(line.strip())
            if size > _HEAD_SIZE and filled > 2:
                break
    except UnicodeError:
        raise encoding_error(layout) from None
    if not filled:
        raise TableError(f"{layout.file.name} is empty: give a table with a header.")
    return head


def _records(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each record, with the number of lines up to its end."""
    reader = csv.reader(lines, delimiter=delimiter)
    for cells in reader:
        if cells:
            yield reader.line_num, cells


def _find_delimiter(head: Sequence[str]) -> str:
    """Return the delimiter that gives all rows the same number of cells.

    Of several, it is the one with the largest share of numbers, then of most cells.
    """
    scores = {}
    for delimiter in ",;\t|":
        try:
            rows = [cells for _, cells in islice(_records(head, delimiter), 100)]
        except csv.Error:  # a cell of more than 2^17 characters
            continue
        equal = all(len(cells) == len(rows[0]) for cells in rows)
        if equal and len(rows[0]) > 1:
            cells = [cell for row in rows for cell in row]
            share = sum(map(is_number, cells)) / len(cells)
            scores[delimiter] = (share, len(rows[0]))
    if scores:
        return max(scores, key=scores.__getitem__)
    first = next(line for line in head if line.strip())
    return max(",;\t|", key=first.count)


def _is_row(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return True if the first line is not a header but a row.

    All of its cells are numbers; or one has a fraction, and no column that begins with
    text has numbers below.
    """
    if all(map(is_number, first)):
        return True
    if not any(_FRACTION.fullmatch(cell) for cell in first):
        return False
    return not any(
        any(is_number(row[j]) for row in rows)
        for j, cell in enumerate(first)
        if cell not in MISSING and not is_number(cell)
    )


def text_source(
    layout: TextLayout, found: Mapping[str, TextColumn], source: Source
) -> Source:
    """Return a source with what was found out about its columns of text."""

    def check(names: Iterable[str]) -> None:
        for name in names:
            column = found.get(name, TextColumn())
            if column.problem is not None:
                raise cell_error(layout, column.problem, name, str(column.cell))

    return replace(
        source,
        kinds={**source.kinds, **{name: column.kind for name, column in found.items()}},
        text=lambda column: source.text(column).with_gaps(MISSING),
        notes=layout.notes,
        dates=source.dates | {n for n, column in found.items() if column.is_date},
        column_notes={n: column.note for n, column in found.items() if column.note},
        check=check,
        cell_error=partial(cell_error, layout, NOT_A_NUMBER),
    )


def cell_error(layout: TextLayout, problem: str, name: str, cell: str) -> TableError:
    """Return an error about the first row with a cell."""
    j = layout.names.index(name)
    rows = layout.rows()
    line = next((n for n, row in rows if len(row) > j and row[j] == cell), 0)
    message = (
        f"{cell.strip()!r} in column {name!r} {problem}. To use the column as text: "
        f"--text {name}; to leave it out: --drop {name}."
    )
    return layout.error(line, message)


def find_error(layout: TextLayout) -> TableError | None:
    """Search a file that cannot be read for the line that is the reason."""
    try:
        for line, cells in layout.rows():
            if len(cells) != len(layout.names):
                return _ragged(layout, line, cells)
    except UnicodeError:
        return encoding_error(layout)
    except csv.Error as error:
        return TableError(f"{layout.file.name} is not a table: {error}.")
    return None


def _ragged(layout: TextLayout, line: int, cells: Sequence[str]) -> TableError:
    signs = {cells[0].lstrip()[:1], layout.names[0][:1]} & set("#%!/")
    cure = "give the delimiter with --delimiter, or correct the line"
    if signs:
        cure = f"skip comments with --comment '{signs.pop()}'"
    elif len(layout.names) == 1:
        cure = (
            "name all columns in the first line, or give the delimiter with --delimiter"
        )
    return layout.error(
        line,
        f"it has {len(cells)} cells (first {cells[0].strip()[:20]!r}) where "
        f"{len(layout.names)} are expected: {cure}.",
    )


def encoding_error(layout: TextLayout) -> TableError:
    """Return an error that names the line that cannot be decoded."""
    decoder = codecs.getincrementaldecoder(layout.encoding)()
    line = 1
    with layout.file.open() as stream:
        for chunk in stream:
            try:
                text = decoder.decode(chunk)
            except UnicodeError as error:
                start = chunk[: getattr(error, "start", 0)]
                line += start.count(b"\r")
                break
            line += text.count("\n") or text.count("\r")
    name = "UTF-8" if layout.encoding.startswith("utf-8") else layout.encoding
    return layout.error(
        line, f"it is not {name}: give the encoding, such as --encoding cp1252."
    )


def check_quotes(layout: TextLayout) -> bool:
    """Raise an error if a quote is opened and never closed: it would hide rows.

    Returns True if a cell may begin with a zero before other digits, as codes do.
    """
    zero = re.compile(b'(?:^|[\r\n" %s])0[0-9]' % re.escape(layout.delimiter).encode())
    n_quotes, zeros, end = 0, False, b""
    try:
        with layout.open() as stream:
            for chunk in iter(partial(stream.read, 1 << 20), b""):
                n_quotes += chunk.count(b'"')
                zeros = zeros or zero.search(end + chunk) is not None
                end = chunk[-2:]
    except UnicodeError:
        raise encoding_error(layout) from None
    if n_quotes % 2 == 0:
        return zeros
    start = 0
    for start, _ in layout.rows():  # noqa: B007
        pass
    last = islice(layout.lines(), start - 1, None)
    try:
        list(csv.reader(last, delimiter=layout.delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end" in str(error):
            message = "a quote is opened and never closed: correct it."
            raise layout.error(start, message) from None
    return zeros
