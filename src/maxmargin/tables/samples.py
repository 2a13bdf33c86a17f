"""The samples of a table in a file, with their ids, labels and times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from maxmargin.tables.features import Cells
from maxmargin.tables.numbers import infer_values
from maxmargin.tables.preprocessing import fit_preprocessor
from maxmargin.tables.read import read_table
from maxmargin.tables.text import TextOptions


@dataclass(frozen=True)
class TableOptions:
    """Which columns of a table are used, and how they are encoded."""

    features: Sequence[str] | None = None  # all columns by default
    drop: Sequence[str] | None = None
    id_column: str | None = None
    scale: str = "auto"  # or "on", "off"
    missing: str = "median"  # or "error", "drop"
    text_options: TextOptions = TextOptions()  # noqa: RUF009
    roles: Mapping[str, str] = field(default_factory=dict)  # as of `TableEncoder`
    weights: Mapping[str, float] = field(default_factory=dict)  # of columns, else 1


@dataclass(frozen=True)
class TableSamples:
    """The samples of a table, and the columns that belong to them."""

    table: str  # its path
    X: Any  # (n_samples, n_features), sparse for words
    preprocessor: Any  # a `Preprocessor`, or None for samples without a table
    id_name: str  # of the column of ids, or "row"
    ids: np.ndarray  # or the positions of the rows
    labels: np.ndarray | None = None
    times: np.ndarray | None = None
    notes: tuple[str, ...] = ()  # messages for the user
    rows: np.ndarray | None = None  # positions of the samples in the table
    texts: list[str] | None = None  # if their words are the features
    # Categories and numbers with few values: features are what is expected of them.
    cells: Mapping[str, Cells] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Return the number of samples."""
        return int(self.X.shape[0])


def read_samples(
    path: str, options: TableOptions, label: str | None = None, time: str | None = None
) -> TableSamples:
    """Read a table, and turn all columns but labels and times into features."""
    id_column = options.id_column
    keep = list(dict.fromkeys(n for n in (id_column, label, time) if n is not None))
    table = read_table(
        path, options.features, options.drop or (), keep, options.text_options
    )
    preprocessor = fit_preprocessor(
        table,
        options.scale,
        options.missing,
        options.features or (),
        options.text_options.text,
        options.roles,
        options.weights,
    )
    n_rows = len(table)
    X, rows = preprocessor.transform(table)
    notes = preprocessor.notes
    if len(rows) < n_rows:
        n_left = n_rows - len(rows)
        row, verb = ("row", "is") if n_left == 1 else ("rows", "are")
        notes += (f"{n_left} {row} with missing values {verb} left out",)
    return TableSamples(
        path,
        X,
        preprocessor,
        id_column or "row",
        table.kept[id_column][rows] if id_column else rows,
        infer_values(table.kept[label])[rows] if label else None,
        infer_values(table.kept[time])[rows] if time else None,
        notes,
        rows,
        preprocessor.read_texts(table, rows),
        preprocessor.cells_of(table, rows),
    )
