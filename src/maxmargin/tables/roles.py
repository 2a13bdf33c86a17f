"""What a column of a table is: a number, a category, an id, or nothing to compare.

- Text is read as numbers or dates if all of its values are, as days since 1970. Digits
  of equal length, or with leading zeros, are codes: they name something.
- Integers of equal length are codes if the name of their column says so (zip, account,
  ...), or if they have nine digits or more.
- Text and codes with a different value in more than half of the rows, integers that
  number the rows, and different integers of eight or more equally many digits are ids;
  text of four or more words in the mean is no id but a text.
- Numbers with at most 12 different values, each in four rows on average, such as a
  year or a number of rooms, have few values: rows that share one are not alike for
  that, see `maxmargin.tables.expectations`.
- A column with one value says nothing. Missing values are not a value.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from maxmargin.tables.frames import is_missing
from maxmargin.tables.numbers import infer_values
from maxmargin.tables.table import Table, Text

NUMBER, FEW, CATEGORY = "number", "few values", "category"
ID, TEXT, CONSTANT, EMPTY, IGNORED = "id", "text", "constant", "empty", "ignored"
USED = (NUMBER, FEW, CATEGORY)
GIVEN = (NUMBER, FEW, CATEGORY, TEXT, IGNORED)  # the roles that a user can give

FEW_VALUES = 12  # numbers with no more different values have few
MIN_ROWS_PER_VALUE = 4  # and so many rows share one, on average
MIN_ROWS_FOR_IDS = 20  # with fewer rows, no column is taken for ids or codes
ID_DIGITS = 8  # of integers that are ids if all are different
CODE_DIGITS = 9  # of integers that are codes whatever their name
NAMED_DIGITS = 4  # if a word of the name is one of these
CODE_WORDS = frozenset(
    "zip zipcode postcode postal plz account acct konto iban phone telephone ssn isbn "
    "ean gtin sku code".split()
)
WORDS = 4  # mean number of words of values that are texts and not names
DATE = "date, in days"  # begins the reason of a column of dates
# Notations of dates; one line has those that a date may fit both.
DATES = (
    ("%Y/%m/%d",),
    ("%d.%m.%Y",),
    ("%d/%m/%Y", "%m/%d/%Y"),
    ("%d-%m-%Y", "%m-%d-%Y"),
)
_BOOLEANS = {"True": "1", "False": "0"}
_DIGITS = re.compile("[0-9]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Decision:
    """The role of a column and why it has it."""

    role: str
    reason: str
    form: str | None = None  # how numbers are read from text, see `read_numbers`


def decide(
    table: Table,
    name: str,
    given: str | None = None,
    is_group: bool = False,
    is_date: bool = False,
) -> Decision:
    """Decide the role of a column, which a user may have given.

    The type of a column may say that it is a group, a boolean or category, or a date.
    """
    if given == IGNORED:
        return Decision(IGNORED, "left out as asked")
    if is_missing(table, name).all():
        return Decision(EMPTY, "it has no values")
    found = (
        _decide_text(table.texts[name], is_group or given == CATEGORY)
        if name in table.texts
        else _decide_numbers(table.column(name), is_date, name)
    )
    if is_group and name not in table.texts and found.role in (NUMBER, FEW):
        found = Decision(CATEGORY, "a boolean")  # that was read as a number
    if given is None or given == found.role:
        return found
    if given in (NUMBER, FEW) and name in table.texts and found.form is None:
        raise ValueError(f"Column {name!r} holds text, which is no {given}.")
    return Decision(given, "as given", found.form)


def _decide_text(text: Text, is_group: bool) -> Decision:
    counts = np.bincount(text.codes[text.codes >= 0], minlength=len(text.values))
    values = [v for v, count in zip(text.values, counts, strict=True) if count]
    n_rows = int(counts.sum())
    if len(values) == 1:
        return Decision(CONSTANT, f"all values are {values[0]!r}")
    form, note = (None, "") if is_group else number_form(values)
    if form is not None:
        found = _decide_numbers(read_numbers(text, form), form != "number")
        return Decision(found.role, found.reason, form)
    if len(values) > n_rows / 2 and n_rows >= MIN_ROWS_FOR_IDS:
        if np.mean([len(value.split()) for value in values]) >= WORDS:
            return Decision(TEXT, "nearly every row has a text of its own")
        return Decision(ID, f"{len(values)} different values in {n_rows} rows{note}")
    return Decision(CATEGORY, f"{len(values)} values{note}")


def _decide_numbers(x: np.ndarray, is_date: bool, name: str = "") -> Decision:
    x = x[np.isfinite(x)]
    values = np.unique(x)
    kind = f"{DATE}, " if is_date else ""
    if len(values) == 1:
        return Decision(CONSTANT, f"all values are {values[0]:g}")
    if not is_date and len(x) >= MIN_ROWS_FOR_IDS and _are_ids(x, values):
        return Decision(ID, "integers that name the rows")
    if not is_date and len(x) >= MIN_ROWS_FOR_IDS and _are_codes(x, values, name):
        role = ID if len(values) > len(x) / 2 else CATEGORY
        return Decision(role, f"{len(values)} different codes")
    if len(values) <= min(FEW_VALUES, len(x) / MIN_ROWS_PER_VALUE):
        return Decision(FEW, f"{kind}{len(values)} different values")
    return Decision(NUMBER, f"{kind}{len(values)} different values")


def _are_ids(x: np.ndarray, values: np.ndarray) -> bool:
    """Return True for integers that number the rows, or long ones, all different."""
    if len(values) < len(x) or (x != np.floor(x)).any():
        return False
    steps = np.diff(x)
    if steps[0] != 0 and (steps == steps[0]).all():
        return True
    low, high = np.abs(values).min(), np.abs(values).max()
    return bool(
        low >= 10.0 ** (ID_DIGITS - 1) and len(f"{low:.0f}") == len(f"{high:.0f}")
    )


def _are_codes(x: np.ndarray, values: np.ndarray, name: str) -> bool:
    """Return True for integers of one length that are names: zip codes, accounts."""
    low, high = values[0], values[-1]
    words = re.findall("[A-Z]?[a-z]+|[A-Z]+", str(name))
    named = not CODE_WORDS.isdisjoint(word.lower() for word in words)
    if low < 10.0 ** ((NAMED_DIGITS if named else CODE_DIGITS) - 1):
        return False
    return len(f"{low:.0f}") == len(f"{high:.0f}") and not (x != np.rint(x)).any()


def number_form(values: Sequence[str]) -> tuple[str | None, str]:
    """Return how all values are read as numbers, or None, and a note about it."""
    values = [value.strip() for value in values]
    if all(_DIGITS.fullmatch(value) for value in values):
        lengths = {len(value) for value in values}
        years = lengths == {4} and all("1800" <= value < "2200" for value in values)
        zeros = any(value[0] == "0" and len(value) > 1 for value in values)
        if zeros or (len(lengths) == 1 and min(lengths) >= 4 and not years):
            return None, ", codes"
    kind = infer_values(np.array(values, dtype=object)).dtype.kind
    if kind in "iuf":
        return "number", ""
    if kind == "M":
        return "iso", ""
    for forms in DATES:
        fitting = [form for form in forms if _parses(values, form)]
        if len(fitting) == 1:
            return fitting[0], ""
        if fitting:
            return None, ", dates of which day and month cannot be told apart"
    return None, ""


def _parses(values: Sequence[str], form: str) -> bool:
    try:
        for value in values:
            _parse(value, form)
    except ValueError:
        return False
    return True


def _parse(value: str, form: str) -> float:
    """Return a value as a number, a date as days since 1970."""
    if form == "number":
        return float(_BOOLEANS.get(value, value))
    value = value.strip()
    date = (
        datetime.fromisoformat(value)
        if form == "iso"
        else datetime.strptime(value, form)
    )
    return ((date if date.tzinfo else date.replace(tzinfo=UTC)) - _EPOCH).days * 1.0


def read_numbers(text: Text, form: str) -> np.ndarray:
    """Return text as numbers; a value that is none is missing."""
    values = np.full(len(text.values) + 1, np.nan)
    for code, value in enumerate(text.values):
        values[code] = _number_or_gap(value, form)
    return values[text.codes]


def _number_or_gap(value: str, form: str) -> float:
    try:
        return _parse(value, form)
    except ValueError:
        return np.nan


def check_roles(roles: Any, names: Sequence[str]) -> dict[str, str]:
    """Return the roles that a user gave, checked."""
    roles = dict(roles or {})
    for name, role in roles.items():
        if name not in names:
            raise ValueError(f"roles has a column {name!r} that the table has not.")
        if role not in GIVEN:
            known = ", ".join(map(repr, GIVEN))
            raise ValueError(f"roles[{name!r}]={role!r} must be one of {known}.")
    return roles
