"""Columns that name rows or places: ids, zip codes, account numbers."""

import re
from dataclasses import replace

import numpy as np

from maxmargin.tables.table import Table

MIN_ROWS_FOR_IDS = 20  # with fewer rows, no column is taken for ids or codes
MIN_DIGITS = 9  # of integers that are codes whatever their name
MIN_NAMED_DIGITS = 4  # if a word of the name is one of these
CODE_WORDS = frozenset(
    "zip zipcode postcode postal plz account acct konto iban phone telephone ssn isbn "
    "ean gtin sku code".split()
)


def with_codes(table: Table, notes: list[str]) -> Table:
    """Return the table with integers that are codes as text, and add a note on each."""
    codes = [name for name in table.number_names if _is_code(table.column(name), name)]
    if not codes:
        return table
    shown = ", ".join(map(repr, codes))
    notes.append(f"integers in {shown} are taken for codes, not numbers")
    kept = [j for j, name in enumerate(table.number_names) if name not in codes]
    return replace(
        table,
        number_names=tuple(table.number_names[j] for j in kept),
        numbers=table.numbers[:, kept],
        texts={**table.texts, **{name: table.text(name) for name in codes}},
    )


def _is_code(values: np.ndarray, name: str) -> bool:
    """Return True if a column has integers that are names: zip codes, accounts."""
    filled = values[np.isfinite(values)]
    if len(filled) < MIN_ROWS_FOR_IDS or (filled[0] != np.rint(filled[0])):
        return False
    low, high = filled.min(), filled.max()
    words = re.findall("[A-Z]?[a-z]+|[A-Z]+", name)
    named = not CODE_WORDS.isdisjoint(word.lower() for word in words)
    n_digits = len(str(int(low))) if low > 0 else 0
    if n_digits < (MIN_NAMED_DIGITS if named else MIN_DIGITS) or low == high:
        return False
    same = high < 10.0**n_digits
    return bool(same and (filled == np.rint(filled)).all())


def is_id(table: Table, name: str, notes: list[str]) -> bool:
    """Return True, and add a note, if a column looks like ids of the rows."""
    n_rows = len(table)
    if n_rows < MIN_ROWS_FOR_IDS:
        return False
    if name in table.texts:
        found = len(table.texts[name].values) > n_rows / 2
    else:
        x = table.column(name)
        steps = np.diff(x[: min(n_rows, 1000)])
        found = bool((np.abs(steps) == 1).all() and x.max() - x.min() == n_rows - 1)
    if found:
        notes.append(f"column {name!r} looks like ids and is not used as a feature")
    return found
