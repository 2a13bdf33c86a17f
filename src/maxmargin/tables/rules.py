"""From columns to numbers by rules that are stated, kept, and used again.

- A column of numbers is one feature. If features are scaled, it is brought to mean 0
  and standard deviation 1; two random samples then differ by 2 in the mean square.
- A column of text is one feature of 0 and 1 for each of its values, at most 50, the
  commonest first; others have none. Two samples with different values differ by 2 in
  the square: as much as by a number.
- ``scale="auto"`` scales if there is text, or if a quarter of the columns or more have
  a range below a tenth of the largest: they cannot be in the same unit. Counts (whole
  numbers, nine in ten zero) are left alone; the estimators take care of them.
- Text that is different in more than half of the rows, and whole numbers that count the
  rows, are names of rows and no features, unless they are asked for.
- A gap, or an infinite number, is an error, is filled with the median (of text: with
  the commonest value), or drops its row.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from maxmargin.tables.errors import TableError
from maxmargin.tables.table import Table, Text

MOST_VALUES = 50
FEW_ROWS = 20  # too few to tell a name of rows
SCALES, MISSING = ("auto", "on", "off"), ("error", "median", "drop")


@dataclass(frozen=True)
class Feature:
    """The treatment of a column: ``(x - center) / scale``, or 0 and 1 for values."""

    name: str
    center: float = 0.0
    scale: float = 1.0
    fill: float | str | None = None  # in place of a gap
    values: tuple[str, ...] | None = None  # of text

    @property
    def names(self) -> list[str]:
        """Return the names of the numbers that it becomes."""
        if self.values is None:
            return [self.name]
        return [f"{self.name}={value}" for value in self.values]


@dataclass(frozen=True)
class Rules:
    """The treatment of all columns."""

    features: tuple[Feature, ...]
    missing: str
    scaled: bool
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns of a file that are used."""
        return [feature.name for feature in self.features]

    @property
    def names(self) -> list[str]:
        """Return the names of the numbers that they become."""
        return [name for feature in self.features for name in feature.names]

    def original(self, values: np.ndarray) -> np.ndarray:
        """Turn numbers (n x p) back to the units of the file."""
        centers, scales = [], []
        for feature in self.features:
            centers += [feature.center] * len(feature.names)
            scales += [feature.scale] * len(feature.names)
        return values * np.array(scales) + np.array(centers)

    def apply(self, table: Table) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of a table, and which of its rows have them.

        The matrix of the table is used and overwritten where it can serve.
        """
        rows = _complete_rows(table, self)
        plain = all(feature.values is None for feature in self.features)
        if plain and tuple(self.columns) == table.number_names:
            X = table.numbers if len(rows) == len(table) else table.numbers[rows]
            for j, feature in enumerate(self.features):
                _put(X, j, X[:, j], feature)
            return X, rows
        X = np.zeros((len(rows), len(self.names)))
        start = 0
        for feature in self.features:
            if feature.values is None:
                _put(X, start, _number(table, feature.name)[rows], feature)
            else:
                _mark(X, start, _text(table, feature.name).take(rows), feature)
            start += len(feature.names)
        return X, rows

    def to_json(self) -> dict[str, Any]:
        """Return the rules as JSON holds them."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> "Rules":
        """Return the rules from what JSON held."""
        features = [
            Feature(
                **{
                    **feature,
                    "values": None
                    if feature["values"] is None
                    else tuple(feature["values"]),
                }
            )
            for feature in data["features"]
        ]
        return Rules(
            tuple(features), data["missing"], data["scaled"], tuple(data["notes"])
        )


def learn_rules(
    table: Table,
    scale: str = "auto",
    missing: str = "error",
    asked: Sequence[str] = (),
    count_like: Callable[[np.ndarray], bool] = lambda X: False,
) -> Rules:
    """Fix the treatment of the columns of a table.

    ``asked`` are the columns that were named: they are features whatever they hold.
    ``count_like`` tells numbers that must not be scaled.
    """
    notes: list[str] = list(table.notes)
    names = [n for n in table.names if n in asked or not _names_rows(table, n, notes)]
    if not names:
        raise TableError("All columns are names of rows: name some with --features.")
    for name in names:
        _check_filled(table, name)
    _check_gaps(table, names, missing)
    scaled = scale == "on" or (scale == "auto" and _units_differ(table, names))
    if scaled and scale == "auto" and not table.texts and count_like(table.numbers):
        scaled = False
    features = [_learn(table, name, scaled, missing, notes) for name in names]
    if scaled:
        notes.append("numbers are brought to mean 0 and standard deviation 1")
    return Rules(tuple(features), missing, scaled, tuple(notes))


def _learn(
    table: Table, name: str, scaled: bool, missing: str, notes: list[str]
) -> Feature:
    if name in table.texts:
        return _learn_text(table.texts[name], name, missing, notes)
    values = _number(table, name)
    values = values[np.isfinite(values)]
    fill = float(np.median(values)) if missing == "median" else None
    if not scaled:
        return Feature(name, fill=fill)
    spread = float(values.std())
    tiny = 1e-12 * float(np.abs(values).max(initial=0.0))
    return Feature(
        name, float(values.mean()), spread if spread > tiny else 1.0, fill
    )  # fmt: skip


def _learn_text(text: Text, name: str, missing: str, notes: list[str]) -> Feature:
    counts = np.bincount(text.codes[text.codes >= 0], minlength=len(text.values))
    order = sorted(range(len(counts)), key=lambda c: (-counts[c], text.values[c]))
    kept = tuple(text.values[c] for c in order[:MOST_VALUES] if counts[c])
    notes.append(
        f"text column {name!r} becomes {len(kept)} columns of 0 and 1"
        + (f" for its {MOST_VALUES} commonest values" if len(order) > len(kept) else "")
    )
    return Feature(name, fill=kept[0] if missing == "median" else None, values=kept)


def _names_rows(table: Table, name: str, notes: list[str]) -> bool:
    """Tell whether a column looks like names or numbers of rows, and say so."""
    n_rows = len(table)
    if n_rows < FEW_ROWS:
        return False
    if name in table.texts:
        found = len(table.texts[name].values) > n_rows / 2
    else:
        x = _number(table, name)
        steps = np.diff(x[: min(n_rows, 1000)])
        found = bool((np.abs(steps) == 1).all() and x.max() - x.min() == n_rows - 1)
    if found:
        notes.append(f"column {name!r} is different in each row and left out, as an id")
    return found


def _units_differ(table: Table, names: Sequence[str]) -> bool:
    if any(name in table.texts for name in names):
        return True
    ranges = []
    for name in names:
        values = _number(table, name)
        values = values[np.isfinite(values)]
        ranges.append(values.max() - values.min())
    spread = np.array([r for r in ranges if r > 0])
    if len(spread) < 2:
        return False
    return bool(np.mean(spread < spread.max() / 10) >= 0.25)


def _check_filled(table: Table, name: str) -> None:
    """Refuse a column with no value at all."""
    if name in table.texts:
        filled = bool((table.texts[name].codes >= 0).any())
    else:
        filled = bool(np.isfinite(_number(table, name)).any())
    if not filled:
        raise TableError(f"Column {name!r} has no values: leave it out with --drop.")


def _check_gaps(table: Table, names: Sequence[str], missing: str) -> None:
    """Refuse gaps, unless there is a rule for them."""
    gaps = {}
    for name in names:
        if name in table.texts:
            gaps[name] = int((table.texts[name].codes < 0).sum())
        else:
            gaps[name] = int((~np.isfinite(_number(table, name))).sum())
    with_gaps = {name: count for name, count in gaps.items() if count}
    if with_gaps and missing == "error":
        shown = ", ".join(f"{name} ({count})" for name, count in with_gaps.items())
        raise TableError(
            f"Values are missing or infinite in {shown}: fill them with "
            "--missing median, or leave such rows out with --missing drop."
        )


def _complete_rows(table: Table, rules: Rules) -> np.ndarray:
    """Return the rows that can be used: all, or with ``drop`` those without a gap."""
    names = rules.columns
    if rules.missing != "median":
        _check_gaps(table, names, rules.missing)
    if rules.missing != "drop":
        return np.arange(len(table))
    good = np.ones(len(table), dtype=bool)
    for feature in rules.features:
        if feature.values is None:
            good &= np.isfinite(_number(table, feature.name))
        else:
            good &= _text(table, feature.name).codes >= 0
    rows = np.flatnonzero(good)
    if len(rows) == 0:
        raise TableError(
            "Every row has a missing value: use --missing median, or --drop the "
            "columns with gaps."
        )
    return rows


def _put(X: np.ndarray, j: int, values: np.ndarray, feature: Feature) -> None:
    """Write a column of numbers, filled and scaled."""
    if feature.fill is not None:
        values = np.where(np.isfinite(values), values, feature.fill)
    X[:, j] = (values - feature.center) / feature.scale


def _mark(X: np.ndarray, start: int, text: Text, feature: Feature) -> None:
    """Write the zeros and ones of a column of text."""
    assert feature.values is not None
    places = {value: place for place, value in enumerate(feature.values)}
    gap = places[str(feature.fill)] if feature.fill is not None else -1
    lookup = np.array([*(places.get(value, -1) for value in text.values), gap])
    columns = lookup[text.codes]
    rows = np.flatnonzero(columns >= 0)
    X[rows, start + columns[rows]] = 1.0


def _number(table: Table, name: str) -> np.ndarray:
    if name not in table.number_names:
        raise TableError(f"Column {name!r} must hold numbers: it holds text here.")
    return table.numbers[:, table.number_names.index(name)]


def _text(table: Table, name: str) -> Text:
    if name not in table.texts:
        raise TableError(f"Column {name!r} must hold text: it holds numbers here.")
    return table.texts[name]
