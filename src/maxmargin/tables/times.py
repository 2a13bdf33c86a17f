"""The order of the times of a table."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from maxmargin.tables.table import TableError

# Formats of dates; texts that fit two formats of one line are ambiguous.
DATE_FORMATS = (
    ("iso",),
    ("%Y-%m",),
    ("%Y/%m/%d",),
    ("%d.%m.%Y",),
    ("%d.%m.%y",),
    ("%d/%m/%Y", "%m/%d/%Y"),
    ("%d/%m/%y", "%m/%d/%y"),
    ("%d-%m-%Y", "%m-%d-%Y"),
    ("%b",),
    ("%B",),
    ("%b %Y", "%b %y"),
    ("%B %Y",),
    ("%Y %b",),
    ("%b-%Y", "%b-%y"),
    ("%d %b %Y",),
    ("%d %B %Y",),
    ("%d-%b-%Y",),
    ("%b %d, %Y",),
    ("%B %d, %Y",),
)
DIGITS = re.compile(r"(\d+)")
N_SHOWN = 3  # times in a note

Keys = Mapping[str, Any]  # by which the times are sorted


class OrderedTimes(NamedTuple):
    """The times of the rows as positions in the sequence of snapshots."""

    positions: np.ndarray
    names: list[Any]  # of the snapshots
    note: str  # says which order it is


def order_times(times: np.ndarray, order: str = "auto") -> OrderedTimes:
    """Return the order of the times of the rows.

    Numbers and dates are sorted by value. Text is sorted as numbers, as dates, or by
    the numbers in it if its other characters are the same in all times; else it keeps
    the order of the file, as with ``order="file"``.
    """
    values = times.astype(str) if times.dtype.kind == "O" else times
    distinct, first, codes = np.unique(values, return_index=True, return_inverse=True)
    if order == "file":
        kind, keys = "the file", first.tolist()
    elif values.dtype.kind in "US":
        kind, found = _text_keys(distinct[np.argsort(first)].tolist())
        keys = [found[text] for text in distinct.tolist()]
    else:
        kind = "dates" if values.dtype.kind == "M" else "numbers"
        keys = list(range(len(distinct)))
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    ranked = np.array([ranks[key] for key in keys])
    names = list(values[first[np.unique(ranked, return_index=True)[1]]])
    shown = [str(name) for name in names]
    if len(shown) > 2 * N_SHOWN:
        shown[N_SHOWN:-1] = ["..."]
    note = f"times are in the order of {kind}: {', '.join(shown)}"
    return OrderedTimes(ranked[codes], names, note)


def _text_keys(texts: Sequence[str]) -> tuple[str, Keys]:
    """Return the kind of an order, and the keys of distinct texts in it."""
    keys = _parse_all(texts, float)
    if keys is not None:
        return "numbers", keys
    for formats in DATE_FORMATS:
        parsed = [_parse_all(texts, _date_parser(form)) for form in formats]
        fitting = [keys for keys in parsed if keys is not None]
        if fitting:
            _check_same_order(texts, fitting)
            return "dates", fitting[0]
    keys = _number_keys(texts)
    if keys is not None:
        return "the numbers in them", keys
    return "the file", {text: position for position, text in enumerate(texts)}


def _parse_all(texts: Sequence[str], parse: Callable[[str], Any]) -> Keys | None:
    """Return the values of all texts, or None if one of them cannot be parsed."""
    try:
        return {text: parse(text.strip()) for text in texts}
    except ValueError:
        return None


def _date_parser(form: str) -> Callable[[str], datetime]:
    if form != "iso":
        return lambda text: datetime.strptime(text, form)

    def parse(text: str) -> datetime:
        date = datetime.fromisoformat(text)
        return date if date.tzinfo else date.replace(tzinfo=UTC)

    return parse


def _check_same_order(texts: Sequence[str], fitting: Sequence[Keys]) -> None:
    """Raise an error if the texts have another order in another format."""
    orders = [sorted(texts, key=keys.__getitem__) for keys in fitting]
    if any(order != orders[0] for order in orders):
        raise TableError(
            f"Times such as {texts[0]!r} may have the day or the month first: write "
            "them as 2026-12-31, or use --order file for the order of the rows."
        )


def _number_keys(texts: Sequence[str]) -> Keys | None:
    """Return the numbers in texts that are the same but for their numbers.

    A number of four digits that all texts have in the same place, such as a year,
    comes first.
    """
    parts = [DIGITS.split(text) for text in texts]
    if len({tuple(part[::2]) for part in parts}) > 1:
        return None
    numbers = [part[1::2] for part in parts]
    years = [
        all(len(digits) == 4 for digits in column)
        for column in zip(*numbers, strict=True)
    ]
    first = sorted(range(len(years)), key=lambda j: not years[j])
    return {
        text: tuple(int(row[j]) for j in first)
        for text, row in zip(texts, numbers, strict=True)
    }
