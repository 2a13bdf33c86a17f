"""A file, or what came through standard input: its first bytes and its format."""

import csv
import gzip
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from maxmargin.tables.errors import TableError

FORMATS = {
    ".csv": "text",
    ".tsv": "text",
    ".tab": "text",
    ".txt": "text",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
    ".npy": "npy",
    ".npz": "npz",
}
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "ipc", b"\x93NUMPY": "npy", b"PK": "npz"}
_HEAD = 1 << 16


@dataclass(frozen=True)
class Opened:
    """Where a table comes from."""

    name: str  # for messages
    path: Path | None
    data: bytes | None  # of standard input
    head: bytes
    format: str
    delimiter: str | None  # known from the name

    @property
    def packed(self) -> bool:
        """Tell whether the text is compressed by gzip."""
        return self.head.startswith(b"\x1f\x8b")

    def handle(self) -> Any:
        """Return the path as text, or a file in memory."""
        return str(self.path) if self.path is not None else io.BytesIO(self.data or b"")

    def stream(self) -> IO[bytes]:
        """Return the bytes as a file, unpacked."""
        place = self.path if self.path is not None else io.BytesIO(self.data or b"")
        if self.packed:
            return gzip.open(place)  # type: ignore[return-value]
        return place.open("rb") if isinstance(place, Path) else place


@dataclass(frozen=True)
class TextLayout:
    """How a text file is cut into columns."""

    delimiter: str
    names: tuple[str, ...]
    header: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what to tell the user."""
        if self.header:
            return ()
        return ("the first line holds numbers: columns are named x0, x1, ...",)


def open_table(path: str | Path) -> Opened:
    """Look at a file and tell its format, by its suffix or, with ``"-"``, its bytes."""
    if str(path) == "-":
        data = sys.stdin.buffer.read()
        if not data:
            raise TableError("Nothing came through standard input: pipe a table in.")
        found = (kind for magic, kind in _MAGIC.items() if data.startswith(magic))
        kind = next(found, "text")
        return Opened("standard input", None, data, data[:_HEAD], kind, None)
    path = Path(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in FORMATS:
        raise TableError(
            f"{path} has no suffix that tells its format: give one of "
            f"{', '.join(FORMATS)}, or pipe it in and write -."
        )
    if path.is_dir():
        raise TableError(f"{path} is a folder: give a file.")
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        raise TableError(f"{path} is empty: give a table with a header and rows.")
    delimiter = "\t" if suffix in (".tsv", ".tab") else None
    return Opened(str(path), path, None, head, FORMATS[suffix], delimiter)


def text_layout(opened: Opened) -> TextLayout:
    """Read the first line: column names, or numbers, which are no names."""
    with opened.stream() as stream:
        head = stream.read(_HEAD)
    if not head.strip():
        raise TableError(f"{opened.name} is empty: give a table with a header.")
    if b"\0" in head:
        raise TableError(f"{opened.name} is not a table: it holds bytes, not text.")
    try:
        line = head.split(b"\n", 1)[0].decode("utf-8-sig").rstrip("\r")
    except UnicodeDecodeError:
        raise TableError(
            f"{opened.name} is not a table in UTF-8: save it as CSV in UTF-8."
        ) from None
    delimiter = opened.delimiter or max(",;\t|", key=line.count)
    cells = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    if cells and all(_is_number(cell) for cell in cells):
        return TextLayout(delimiter, tuple(f"x{j}" for j in range(len(cells))), False)
    for cell in cells:
        if cells.count(cell) > 1:
            raise TableError(
                f"{opened.name} has two columns named {cell!r}: rename one."
            )
    return TextLayout(delimiter, tuple(cells), True)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
