"""The rows of a table as they are in its file, read in place."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

MAX_CELL = 300  # characters of a cell that are shown
MAX_FOUND = 50


def open_rows(folder: Path) -> Any:
    """Return the table of a data set, mapped into memory."""
    with pa.memory_map(str(folder / "rows.arrow")) as source:
        return pa.ipc.open_file(source).read_all()


def read_row(folder: Path, row: int) -> dict[str, Any]:
    """Return the cells of a row by column."""
    values = open_rows(folder).slice(row, 1).to_pylist()[0]
    return {name: _show(value) for name, value in values.items()}


def find_rows(folder: Path, text: str, among: np.ndarray) -> list[int]:
    """Return the positions of the samples with a cell that contains a text."""
    table = open_rows(folder)
    found = np.zeros(table.num_rows, dtype=bool)
    for column in table.columns:
        if pa.types.is_large_string(column.type) or pa.types.is_string(column.type):
            hits = pc.match_substring(column, text, ignore_case=True)
        else:
            try:
                hits = pc.equal(column, pa.scalar(float(text)).cast(column.type))
            except (ValueError, pa.ArrowInvalid):
                continue
        found |= np.asarray(pc.fill_null(hits, False).to_numpy())
    positions = np.flatnonzero(found[among])[:MAX_FOUND].tolist()
    if text.isdecimal() and int(text) < len(among) and int(text) not in positions:
        positions.insert(0, int(text))
    return [int(position) for position in positions]


def numeric_column(folder: Path, name: str, among: np.ndarray) -> np.ndarray:
    """Return a column as numbers; text as the position of its value in order."""
    table = open_rows(folder)
    if name not in table.column_names:
        raise ValueError(f"There is no column {name!r}.")
    values = table.column(name).to_numpy(zero_copy_only=False)[among]
    if values.dtype.kind in "iufb":
        numbers = values.astype(float)
    else:
        try:
            numbers = np.array([float(v) if v else np.nan for v in values])
        except ValueError:
            numbers = np.unique(values.astype(str), return_inverse=True)[1].astype(
                float
            )
    finite = np.isfinite(numbers)
    middle = float(np.median(numbers[finite])) if finite.any() else 0.0
    return np.where(finite, numbers, middle)


def _show(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value if len(value) <= MAX_CELL else value[:MAX_CELL] + "..."
    return value
