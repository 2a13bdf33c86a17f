"""Write files whole or not at all, and never over one that is there unasked."""

import csv
import errno
import io
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np

from maxmargin.tables.errors import TableError
from maxmargin.tables.opened import FORMATS

Columns = Mapping[str, np.ndarray]


class WholeFiles:
    """Files that appear together, complete, or do not appear.

    Each is written beside its place under another name; at the end of a ``with`` block
    without an error all get their names. What is there stays, unless ``force``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "greeting.txt"
    ...     with WholeFiles() as files:
    ...         files.add(path, lambda file: file.write(b"hello"))
    ...     path.read_text()
    'hello'
    """

    def __init__(self, force: bool = False) -> None:
        self.force = force
        self._waiting: list[tuple[str, Path]] = []

    def check(self, path: str | Path) -> Path:
        """Refuse a place that cannot be written to, before any work is done."""
        path = Path(path)
        if path.exists():
            if not path.is_file():
                raise FileExistsError(f"{path} is not a file: give another name.")
            if not self.force:
                raise FileExistsError(
                    f"{path} exists: give another name, or --force to replace it."
                )
        folder = path.parent
        if not folder.is_dir():
            raise FileNotFoundError(
                f"The folder {folder} does not exist: make it first."
            )
        if not os.access(folder, os.W_OK):
            raise PermissionError(
                f"The folder {folder} cannot be written to: give another place."
            )
        return path

    def add(self, path: str | Path, write: Callable[[IO[bytes]], Any]) -> None:
        """Write a file, under another name for now."""
        path = self.check(path)
        handle, name = tempfile.mkstemp(
            prefix=f".{path.name}.", suffix=".part", dir=path.parent
        )
        self._waiting.append((name, path))
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())

    def __enter__(self) -> "WholeFiles":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                for _, path in self._waiting:
                    self.check(path)
                while self._waiting:
                    name, path = self._waiting[0]
                    os.replace(name, path)
                    self._waiting.pop(0)
        finally:
            for name, _ in self._waiting:
                Path(name).unlink(missing_ok=True)
            self._waiting = []
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG):
            raise OSError(
                error.errno,
                "The disk is full or a limit is reached; nothing was written: make "
                "room or give another place.",
            ) from error


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def columns_writer(path: str | Path) -> Callable[[Columns, IO[bytes]], Any]:
    """Return what writes columns in the format of a suffix."""
    suffix = Path(path).suffix.lower()
    kind = FORMATS.get(suffix)
    if kind == "text":
        delimiter = "\t" if suffix in (".tsv", ".tab") else ","
        return lambda columns, file: _write_text(columns, file, delimiter)
    writers: dict[str | None, Callable[[Columns, IO[bytes]], Any]] = {
        "parquet": _write_parquet,
        "ipc": _write_ipc,
        "npy": _write_npy,
        "npz": _write_npz,
    }
    if kind not in writers:
        raise TableError(
            f"{path} has no suffix that tells its format: give one of "
            f"{', '.join(FORMATS)}."
        )
    return writers[kind]


def _arrow_table(columns: Columns) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise TableError(
            "This format needs pyarrow: pip install 'maxmargin[tables]'."
        ) from None
    return pa.table({name: pa.array(values) for name, values in columns.items()})


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
    quoting = "needed" if _has_marks(table, delimiter) else "none"
    options = arrow_csv.WriteOptions(
        include_header=quoting == "needed", delimiter=delimiter, quoting_style=quoting
    )
    if quoting == "none":
        file.write((delimiter.join(columns) + "\n").encode())
    arrow_csv.write_csv(table, file, options)


def _has_marks(table: Any, delimiter: str) -> bool:
    """Tell whether some text holds what would cut it in two, and so needs quotes."""
    import pyarrow as pa
    from pyarrow import compute

    marks = f'[{delimiter}"\r\n]'
    texts = [pa.array(table.column_names)]
    texts += [c for c in table.columns if pa.types.is_string(c.type)]
    return any(
        compute.any(compute.match_substring_regex(text, marks)).as_py()
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


def _write_npy(columns: Columns, file: IO[bytes]) -> None:
    np.save(file, columns["cluster"] if "cluster" in columns else _last(columns))


def _write_npz(columns: Columns, file: IO[bytes]) -> None:
    plain: dict[str, Any] = {
        name: values.astype(str) if values.dtype == object else values
        for name, values in columns.items()
    }
    np.savez(file, **plain)


def _last(columns: Columns) -> np.ndarray:
    return list(columns.values())[-1]
