"""Write the columns of a table in the format of a file's suffix."""

import csv
import io
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from maxmargin.files import STANDARD_OUTPUT, Writer
from maxmargin.tables.formats import FORMATS
from maxmargin.tables.table import TableError

Columns = Mapping[str, np.ndarray]


def table_writer(path: str, columns: Columns) -> Writer:
    """Return a function that writes columns to a binary file.

    Parameters
    ----------
    path : str
        The suffix determines the format; standard output (``"-"``) is CSV. A ``.npy``
        file has one column: ``cluster``, or the last one.
    columns : mapping of str to ndarray
    """
    suffix = Path(path).suffix.lower()
    writers: dict[str, Callable[[Columns, IO[bytes]], None]] = {
        "text": partial(
            _write_text, delimiter="\t" if suffix in (".tsv", ".tab") else ","
        ),
        "parquet": _write_parquet,
        "ipc": _write_ipc,
        "npy": _write_npy,
        "npz": _write_npz,
    }
    return partial(writers[output_format(path)], columns)


def output_format(path: str) -> str:
    """Return the format of a file by its suffix; raise an error if it is unknown."""
    if path == STANDARD_OUTPUT:
        return "text"
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise TableError(
            f"{path} has no suffix of a known format: use one of {', '.join(FORMATS)}."
        )
    return FORMATS[suffix]


def _write_text(columns: Columns, file: IO[bytes], delimiter: str) -> None:
    try:
        from pyarrow import csv as arrow_csv
    except ImportError:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(v.tolist() for v in columns.values()), strict=True))
        text.flush()
        text.detach()
        return
    table = _arrow_table(columns)
    quoting = "needed" if _needs_quotes(table, delimiter) else "none"
    options = arrow_csv.WriteOptions(
        include_header=quoting == "needed", delimiter=delimiter, quoting_style=quoting
    )
    if quoting == "none":
        file.write((delimiter.join(columns) + "\n").encode())
    arrow_csv.write_csv(table, file, options)


def _needs_quotes(table: Any, delimiter: str) -> bool:
    """Return True if a text has a delimiter, a quote or a line break."""
    import pyarrow as pa
    from pyarrow import compute

    special = f'[{delimiter}"\r\n]'
    texts = [pa.array(table.column_names)]
    texts += [c for c in table.columns if pa.types.is_string(c.type)]
    return any(
        compute.any(compute.match_substring_regex(text, special)).as_py()
        for text in texts
    )


def _write_parquet(columns: Columns, file: IO[bytes]) -> None:
    table = _arrow_table(columns)
    from pyarrow import parquet

    parquet.write_table(table, file)


def _write_ipc(columns: Columns, file: IO[bytes]) -> None:
    table = _arrow_table(columns)
    import pyarrow as pa

    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _arrow_table(columns: Columns) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise TableError(
            "This format needs pyarrow: pip install 'maxmargin[tables]'."
        ) from None
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def _write_npy(columns: Columns, file: IO[bytes]) -> None:
    *_, last = columns.values()
    np.save(file, columns.get("cluster", last))


def _write_npz(columns: Columns, file: IO[bytes]) -> None:
    plain: dict[str, Any] = {
        name: values.astype(str) if values.dtype == object else values
        for name, values in columns.items()
    }
    np.savez(file, **plain)
