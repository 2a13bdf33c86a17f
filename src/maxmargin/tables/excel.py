"""Read the first sheet of a spreadsheet with python-calamine."""

import datetime
import io
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from maxmargin.tables.formats import InputFile
from maxmargin.tables.table import TableError

_TIMES = (datetime.date, datetime.timedelta, datetime.time)


def read_sheet(file: InputFile) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Return the columns of the first sheet, and notes for the user.

    Columns of numbers and of times are arrays of these. All others are text, in which
    an empty cell is None.
    """
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise TableError(
            f"{file.name} needs python-calamine: pip install 'maxmargin[tables]'."
        ) from None
    with file.open() as stream:
        content = io.BytesIO(stream.read())
    try:
        book = CalamineWorkbook.from_filelike(content)
        name = book.sheet_names[0]
        rows = book.get_sheet_by_index(0).to_python()
    except CalamineError as error:
        raise TableError(f"{file.name} is not a spreadsheet: {error}") from None
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if not rows:
        raise TableError(f"Sheet {name!r} of {file.name} is empty: give a table.")
    notes: tuple[str, ...] = ()
    if len(book.sheet_names) > 1:
        notes = (f"sheet {name!r} is read, the first of {len(book.sheet_names)}",)
    if all(isinstance(cell, float | int) for cell in rows[0]):
        names = [f"x{j}" for j in range(len(rows[0]))]
        notes += ("the first row holds numbers: columns are named x0, x1, ...",)
    else:
        names = [str(cell).strip() for cell in rows.pop(0)]
    return _columns(file, names, rows), notes


def _columns(
    file: InputFile, names: Sequence[str], rows: list[list[Any]]
) -> dict[str, np.ndarray]:
    """Return the columns by name, without those that have neither name nor cells."""
    columns: dict[str, np.ndarray] = {}
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    for j, name in enumerate(names):
        if not name and any(cell != "" for cell in cells[j]):
            raise TableError(
                f"{file.name} has no name above column {j + 1}: write names of all "
                "columns into the first row."
            )
        if name:
            columns[name] = _convert(cells[j])
    twice = [name for name, count in Counter(filter(None, names)).items() if count > 1]
    if twice:
        raise TableError(f"{file.name} has two columns named {twice[0]!r}: rename one.")
    return columns


def _convert(cells: Sequence[Any]) -> np.ndarray:
    """Return cells as numbers, as times, or as text."""
    filled = [cell for cell in cells if cell != ""]
    if all(isinstance(cell, float | int) for cell in filled):
        return np.array([np.nan if cell == "" else cell for cell in cells], dtype=float)
    if all(isinstance(cell, datetime.date) for cell in filled):
        times = [None if cell == "" else cell for cell in cells]
        return np.array(times, dtype="datetime64[us]")
    if all(isinstance(cell, datetime.timedelta) for cell in filled):
        times = [None if cell == "" else cell for cell in cells]
        return np.array(times, dtype="timedelta64[us]")
    return np.array([_text(cell) for cell in cells], dtype=object)


def _text(cell: Any) -> str | None:
    """Return a cell as text; 3.0 is written as 3, as a spreadsheet shows it."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, _TIMES):
        return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)
    return None if cell == "" else str(cell)
