"""Write the columns of a table in the format of a file's suffix."""

import csv
import io
import re
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from maxmargin.files import STANDARD_OUTPUT, Writer
from maxmargin.tables.formats import FORMATS, READ_ONLY, TAB_SUFFIXES
from maxmargin.tables.table import TableError

Columns = Mapping[str, np.ndarray]

# Text that spreadsheets evaluate, unless it is a number.
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![\d.,]+([eE][+-]?\d+)?$)")


def is_formula(text: str) -> bool:
    """Return True if a spreadsheet would take a text for a formula."""
    return text[:1] in "=@+-\t\r" and _FORMULA.match(text) is not None


def with_found(given: Columns, found: Columns) -> dict[str, np.ndarray]:
    """Return given columns and those that were found.

    A found column whose name is taken is renamed: ``cluster_found``.
    """
    columns = dict(given)
    for name, values in found.items():
        while name in columns:
            name = f"{name}_found"
        columns[name] = values
    return columns


def table_writer(path: str, columns: Columns) -> Writer:
    """Return a function that writes columns to a binary file.

    The suffix determines the format; standard output (``"-"``) is CSV. A ``.npy`` file
    has one column: ``cluster``, or the last one.
    """
    kind = output_format(path)
    if kind == "npy":
        *_, last = columns.values()
        return lambda file: np.save(file, columns.get("cluster", last))
    if kind == "npz":
        return partial(_write_npz, columns)
    delimiter = "\t" if Path(path).suffix.lower() in TAB_SUFFIXES else ","
    if find_spec("pyarrow") is not None:
        from maxmargin.tables.arrow import write_arrow

        return partial(write_arrow, columns, kind, delimiter)
    if kind == "text":
        return partial(_write_text, columns, delimiter)
    raise TableError(f"{path} needs pyarrow: pip install 'maxmargin[tables]'.")


def output_format(path: str) -> str:
    """Return the format of a file by its suffix; raise an error if it is unknown."""
    if path == STANDARD_OUTPUT:
        return "text"
    suffix = Path(path).suffix.lower()
    known = {name: kind for name, kind in FORMATS.items() if kind not in READ_ONLY}
    if suffix not in known:
        raise TableError(
            f"{path} has no suffix of a format that can be written: use one of "
            f"{', '.join(known)}."
        )
    return known[suffix]


def _write_text(columns: Columns, delimiter: str, file: IO[bytes]) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(v.tolist() for v in columns.values()), strict=True))
    text.flush()
    text.detach()


def _write_npz(columns: Columns, file: IO[bytes]) -> None:
    plain: dict[str, Any] = {
        name: values.astype(str) if values.dtype == object else values
        for name, values in columns.items()
    }
    np.savez(file, **plain)
