"""File formats of tables, recognised by the suffix or the first bytes."""

import gzip
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from maxmargin.tables.table import TableError

FORMATS = {
    **dict.fromkeys([".csv", ".tsv", ".tab", ".txt"], "text"),
    **dict.fromkeys([".parquet", ".pq"], "parquet"),
    **dict.fromkeys([".arrow", ".feather", ".ipc"], "ipc"),
    ".npy": "npy",
    ".npz": "npz",
    ".h5ad": "AnnData",
    **dict.fromkeys([".jsonl", ".ndjson"], "json lines"),
    **dict.fromkeys([".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"], "spreadsheet"),
}
READ_ONLY = ("json lines", "spreadsheet", "AnnData")
TAB_SUFFIXES = (".tsv", ".tab")
_FIRST_BYTES = {
    b"PAR1": "parquet",
    b"ARROW1": "ipc",
    b"\x93NUMPY": "npy",
    b"PK": "npz",
    b"\xd0\xcf\x11\xe0": "spreadsheet",  # before Excel 2007
    b"{": "json lines",
}
_IN_SPREADSHEETS = (b"[Content_Types].xml", b"opendocument.spreadsheet")
_GZIP = b"\x1f\x8b"
_HEAD_SIZE = 1 << 16


@dataclass(frozen=True)
class InputFile:
    """A file with a table, or the content of standard input."""

    name: str  # for messages
    path: Path | None  # None for standard input
    data: bytes | None  # the content of standard input
    head: bytes
    format: str
    delimiter: str | None  # None if the suffix does not determine it

    def path_or_buffer(self) -> str | io.BytesIO:
        """Return the path as a string, or the content as a binary file."""
        return str(self.path) if self.path is not None else io.BytesIO(self.data or b"")

    def open(self) -> IO[bytes]:
        """Open the content as a binary file, decompressed if it is a gzip file."""
        file = self.path if self.path is not None else io.BytesIO(self.data or b"")
        if self.head.startswith(_GZIP):
            return gzip.open(file)  # type: ignore[return-value]
        return file.open("rb") if isinstance(file, Path) else file


def _find_format(data: bytes) -> str:
    """Return the format of a file by its content."""
    if data.startswith(_GZIP):
        with gzip.open(io.BytesIO(data)) as stream:
            data = stream.read(_HEAD_SIZE)
    kind = next((k for first, k in _FIRST_BYTES.items() if data.startswith(first)), "")
    if kind == "npz" and any(name in data for name in _IN_SPREADSHEETS):
        return "spreadsheet"
    return kind or "text"


def open_input(path: str | Path) -> InputFile:
    """Find out the format of a file from its suffix, or of ``"-"`` from its content."""
    if str(path) == "-":
        data = sys.stdin.buffer.read()
        if not data:
            raise TableError("Standard input is empty: pipe a table into the command.")
        kind = _find_format(data)
        return InputFile("standard input", None, data, data[:_HEAD_SIZE], kind, None)
    path = Path(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in FORMATS:
        raise TableError(
            f"{path} has no suffix of a known format: use one of "
            f"{', '.join(FORMATS)}, or pipe the file in and give - as its name."
        )
    if path.is_dir():
        raise TableError(f"{path} is a folder: give a file.")
    with path.open("rb") as file:
        head = file.read(_HEAD_SIZE)
    if not head:
        raise TableError(f"{path} is empty: give a table with a header and rows.")
    delimiter = "\t" if suffix in TAB_SUFFIXES else None
    return InputFile(str(path), path, None, head, FORMATS[suffix], delimiter)
