"""Numbers in text: decimal commas, thousands separators, currencies, parentheses.

A file has one decimal sign, a point or a comma. It is given, or the one with which more
cells of the file are numbers. Thousands separators must stand between groups of three
digits: then "1,5" can only be 1.5, and "1,234,567" only 1234567. Where no cell of
a file decides, as with "1,234" alone, the column is refused.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from maxmargin.tables.table import NUMBER, TEXT, CellError

# Missing values in all columns; pyarrow has the same list.
MISSING = frozenset(
    "|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|N/A|NA|NULL|NaN|n/a|"
    "nan|null".split("|")
)
# Missing values in columns of numbers.
NO_NUMBER = frozenset(
    "? - -- \N{EN DASH} \N{EM DASH} . .. * n.a. None none #DIV/0! #NUM! #VALUE! #REF! "
    "#NAME? #NULL!".split()
)
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|CAD|AUD|NZD|INR|BRL|SEK|NOK|DKK|PLN|CZK|HUF"
_SIGNS = "$\N{EURO SIGN}\N{POUND SIGN}\N{YEN SIGN}\u20b9\u20a9\u20bd\u20ba\u20aa\u20ab"
_CURRENCY = f"[{_SIGNS}]|{_CODES}"
_MINUS = "\N{MINUS SIGN}-"  # in this order within a class of characters
_SPACES = "[ \u00a0\u2009\u202f]"
_QUOTES = "['\N{RIGHT SINGLE QUOTATION MARK}]"
_INTEGER = re.compile("-?(?:0|[1-9][0-9]{0,14})")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+)?")
_DAY = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})")
CODE = re.compile(r"^\s*0[0-9]+\s*$")  # a zip code: a number would lose its zero
NOT_A_DATE = (
    "is not a date, as most cells of the column are: correct it, or leave it empty if "
    "the date is missing"
)
NOT_A_NUMBER = (
    "is not a number, as most cells of the column are: correct it, or leave it empty "
    "if the value is missing"
)
_FIRST_DAY = date(1970, 1, 1).toordinal()
_SAMPLE = 2000  # distinct cells that show whether a column may hold numbers


class Number(NamedTuple):
    """The number in a cell, and its currency or percent sign."""

    value: float
    unit: str = ""


@dataclass(frozen=True)
class NumberFormat:
    """The signs of numbers in a file."""

    decimal: str = "."
    thousands: str | None = None  # None for all that are in use with the decimal sign
    certain: bool = False  # given, or found in the file

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the pattern of a number with sign, currency, percent, parentheses."""
        decimal, separators = re.escape(self.decimal), [_SPACES, _QUOTES]
        if self.thousands is not None:
            same = {" ": _SPACES, "'": _QUOTES}
            separators = [same.get(self.thousands, re.escape(self.thousands))]
        else:
            separators.append("," if self.decimal == "." else r"\.")
        groups = [f"[1-9][0-9]{{0,2}}(?:{s}[0-9]{{3}})+" for s in separators]
        if "," in separators:  # 12,34,567
            groups.append("[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
        whole = "|".join([*groups, "[0-9]+"])
        digits = f"(?:{whole})(?:{decimal}[0-9]*)?|{decimal}[0-9]+"
        return re.compile(
            rf"\s*(?P<open>\()?\s*(?P<sign>[+{_MINUS}]?)\s*(?P<before>{_CURRENCY})?\s*"
            rf"(?P<inner>[+{_MINUS}]?)(?P<number>(?:{digits})(?:[eE][+-]?[0-9]+)?"
            rf"|(?i:inf(?:inity)?))\s*(?P<after>{_CURRENCY}|%)?\s*(?P<close>\))?\s*"
        )

    @cached_property
    def plain(self) -> re.Pattern[str]:
        """Return the pattern of most numbers, which is faster."""
        return re.compile(f"-?[0-9]+(?:{re.escape(self.decimal)}[0-9]+)?")

    def parse(self, cell: str) -> Number | None:
        """Return the number in a cell, or None."""
        if self.plain.fullmatch(cell):
            return Number(float(cell.replace(self.decimal, ".")))
        match = self.pattern.fullmatch(cell)
        if match is None:
            return None
        signs = [match[name] for name in ("sign", "inner", "open") if match[name]]
        units = [match[name] for name in ("before", "after") if match[name]]
        if max(len(signs), len(units)) > 1 or bool(match["open"]) != bool(
            match["close"]
        ):
            return None
        plain = match["number"].replace(self.decimal, "_")
        value = float(re.sub("[^0-9a-zA-Z_+-]", "", plain).replace("_", "."))
        negative = signs and signs[0] != "+"
        return Number(-value if negative else value, "".join(units))


POINT, COMMA = NumberFormat("."), NumberFormat(",")


def is_number(cell: str) -> bool:
    """Return True if a cell is a number with any decimal sign."""
    return POINT.parse(cell) is not None or COMMA.parse(cell) is not None


def choose_format(
    columns: Iterable[Iterable[str]], decimal: str | None, thousands: str | None
) -> NumberFormat:
    """Return the given format, or the one with which more cells are numbers."""
    if decimal is None and thousands in {",", "."}:
        decimal = "." if thousands == "," else ","
    if decimal is not None:
        return NumberFormat(decimal, thousands, certain=True)
    votes = {".": 0, ",": 0}
    for cells in columns:
        fits = _fits(Counter(cell.strip() for cell in cells), thousands)
        for sign, other in (".,", ",."):
            votes[sign] += max(0, fits[sign] - fits[other]) if fits["column"] else 0
    sign = "," if votes[","] > votes["."] else "."
    return NumberFormat(sign, thousands, certain=votes["."] != votes[","])


def _fits(cells: Mapping[str, int], thousands: str | None = None) -> dict[str, int]:
    """Return how many cells are numbers with each decimal sign.

    ``"column"`` is 1 if more than half of the cells that are not missing are numbers.
    """
    formats = _both_formats(thousands)
    filled = {c: n for c, n in cells.items() if c not in MISSING and c not in NO_NUMBER}
    fits = {
        format.decimal: sum(n for c, n in filled.items() if format.parse(c) is not None)
        for format in formats
    }
    fits["column"] = int(not filled or 2 * max(fits.values()) > sum(filled.values()))
    return fits


@cache
def _both_formats(thousands: str | None) -> list[NumberFormat]:
    return [NumberFormat(s, None if s == thousands else thousands) for s in ".,"]


@dataclass(frozen=True)
class TextColumn:
    """What a column of text holds."""

    kind: str = TEXT
    note: str | None = None  # how its numbers are read
    problem: str | None = None  # why it cannot be used
    cell: str | None = None  # that has the problem
    is_date: bool = False


def examine(
    cells: Mapping[str, int], format: NumberFormat, whole: bool = True
) -> TextColumn:
    """Find out whether a column holds numbers; ``cells`` has the count of each cell.

    Only if the ``whole`` column is known, it is one of codes where a number would lose
    a zero.
    """
    sample = dict(islice(cells.items(), 0, None, max(1, len(cells) // _SAMPLE)))
    if 2 * sum(parse_day(cell) is not None for cell in sample) > len(sample):
        return _examine_days(cells)
    if not _fits(sample, format.thousands)["column"]:
        return TextColumn()
    fits = _fits(cells, format.thousands)
    if not fits["column"]:
        return TextColumn()
    code = next((cell for cell in cells if CODE.match(cell)), None)
    if whole and code is not None:
        note = f"{code.strip()!r} begins with 0: the values are codes, not numbers"
        return TextColumn(note=note)
    other = "," if format.decimal == "." else "."
    if fits[other] > fits[format.decimal]:
        reads = NumberFormat(other, format.thousands)
        cell = next(c for c in cells if reads.parse(c) and not format.parse(c))
        return TextColumn(
            problem=f"has the decimal sign {other!r} where {format.decimal!r} is "
            "expected: use one in all columns, or give the right one with --decimal",
            cell=cell,
        )
    return _examine_numbers(cells, format)


def _examine_days(cells: Mapping[str, int]) -> TextColumn:
    """Check each cell of a column that should hold dates."""
    for cell in cells:
        if parse_day(cell) is None and not _is_missing(cell):
            return TextColumn(problem=NOT_A_DATE, cell=cell)
    example = next(cell for cell in cells if parse_day(cell) is not None)
    note = f"{example.strip()!r} is read as a date, in days"
    return TextColumn(NUMBER, note, is_date=True)


def parse_day(cell: str) -> float | None:
    """Return a date such as 25.04.2021 in days since 1970, or None."""
    match = _DAY.fullmatch(cell.strip())
    if match is None:
        return None
    day, month, year = map(int, match.groups())
    try:
        return float(date(year, month, day).toordinal() - _FIRST_DAY)
    except ValueError:  # a day that does not exist
        return None


def _is_missing(cell: str) -> bool:
    return cell.strip() in MISSING or cell.strip() in NO_NUMBER


def _examine_numbers(cells: Mapping[str, int], format: NumberFormat) -> TextColumn:
    """Check each cell of a column that should hold numbers."""
    other = COMMA if format.decimal == "." else POINT
    units: dict[str, str] = {}  # and a cell with each of them
    example, missing = "", set()
    for cell in cells:
        number = format.parse(cell)
        if number is None:
            if cell.strip() in NO_NUMBER:
                missing.add(cell.strip())
            elif cell.strip() not in MISSING:
                return TextColumn(problem=NOT_A_NUMBER, cell=cell)
            continue
        units.setdefault(number.unit, cell)
        second = None if format.certain else other.parse(cell)
        if second is not None and second.value != number.value:
            return TextColumn(
                problem=f"may be {number.value:.15g} or {second.value:.15g}: give "
                f"--decimal '{format.decimal}' or --decimal '{other.decimal}'",
                cell=cell,
            )
        if not example and not _is_plain(cell.replace(format.decimal, ".")):
            example = f"{cell.strip()!r} is read as {number.value:.15g}"
    if len(units.keys() - {""}) > 1 or ("%" in units and len(units) > 1):
        first, second_cell = list(units.values())[:2]
        return TextColumn(
            problem=f"has another unit than {first.strip()!r}: convert it",
            cell=second_cell,
        )
    signs = ", ".join(map(repr, sorted(missing)))
    notes = [example, f"{signs} is read as missing" if missing else ""]
    return TextColumn(NUMBER, ", ".join(filter(None, notes)) or None)


def _is_plain(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def parse_numbers(cells: Sequence[str], format: NumberFormat) -> np.ndarray:
    """Return cells as float64; raise a `CellError` at a cell that is no number.

    If the first one is a date, all are: they are returned in days since 1970.
    """
    values = np.empty(len(cells))
    first = next((cell for cell in cells if not _is_missing(cell)), "")
    days = parse_day(first) is not None
    for i, cell in enumerate(cells):
        number = format.parse(cell)
        value = parse_day(cell) if days else None if number is None else number.value
        if value is None and not _is_missing(cell):
            raise CellError(cell)
        values[i] = np.nan if value is None else value
    return values


def infer_values(column: np.ndarray) -> np.ndarray:
    """Return text as numbers or dates if all of its cells are; None is missing.

    Text that a number would change, such as the code 007, stays text.
    """
    if column.dtype != object or not all(isinstance(v, str | None) for v in column):
        return column
    cells = [None if v is None or v.strip() in MISSING else v.strip() for v in column]
    filled = [cell for cell in cells if cell is not None]
    patterns = {"int64": _INTEGER, "float64": _FLOAT, "datetime64": _DATE}
    for kind, pattern in patterns.items():
        if filled and all(pattern.fullmatch(cell) for cell in filled):
            gaps = len(filled) < len(cells)
            kind = "float64" if gaps and kind == "int64" else kind
            with suppress(ValueError):  # a day that does not exist
                return np.array(cells, dtype=object).astype(kind)
    return np.array(cells, dtype=object)
