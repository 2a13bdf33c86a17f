"""The limits of what the app accepts, so that no upload can exhaust the machine.

Sizes that a file declares are checked before it is read. A small file can still hold
much more than it declares, in more ways than can be listed: so the process that reads
it may take no more memory than a table of its size needs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

MAX_BYTES = 200_000_000  # of an uploaded file, also after decompression
MAX_BODY = 16_000_000  # bytes of any other request; MAX_ROWS numbers have 4 million
MAX_ROWS = 500_000
MAX_CELLS = 50_000_000  # rows times columns of a table
MAX_PIXELS = 12_000_000
MAX_CLUSTERS = 100
MAX_DATASETS = 200
MAX_JOBS = 32  # that run or wait
READING = 500_000_000  # bytes of memory to read a small file
READING_FACTOR = 12  # bytes for each byte of a file; text needs most
CELL = 16  # bytes for each cell that a file declares


class LimitError(ValueError):
    """An input that is larger than the app accepts."""


def check_table_size(n_rows: int, n_columns: int) -> None:
    """Raise an error if a table is too large."""
    if n_rows > MAX_ROWS:
        raise LimitError(
            f"The table has {n_rows:,} rows, and the page takes {MAX_ROWS:,}: draw "
            "some of them, or use the command maxmargin cluster."
        )
    if n_rows * n_columns > MAX_CELLS:
        raise LimitError(
            f"The table has {n_rows:,} rows of {n_columns:,} columns, and the page "
            f"takes {MAX_CELLS:,} cells: leave out some columns or rows."
        )


def check_decoded_size(n_bytes: int) -> None:
    """Raise an error if the content of a compressed file is too large."""
    if n_bytes > MAX_BYTES:
        raise LimitError(
            f"The file is larger than {MAX_BYTES / 1e6:.0f} MB when it is decompressed:"
            " leave out some rows, or use the command maxmargin cluster."
        )


def reading_memory(path: str, n_cells: int = 0) -> int:
    """Return the bytes of memory that may be taken to read a file."""
    return READING + READING_FACTOR * Path(path).stat().st_size + CELL * n_cells


@contextmanager
def limited_memory(n_bytes: int) -> Iterator[None]:
    """Let this process take at most so many bytes more; then a MemoryError is raised.

    Libraries that cannot raise it end the process. Only Linux counts all memory.
    """
    if resource is None or not (usage := Path("/proc/self/statm")).exists():
        yield
        return
    taken = int(usage.read_text().split()[5]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [one for one in (soft, hard) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([taken + n_bytes, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def check_image_size(width: int, height: int) -> None:
    """Raise an error if an image is too large."""
    if width * height > MAX_PIXELS:
        raise LimitError(
            f"The image has {width} x {height} pixels, and the page takes "
            f"{MAX_PIXELS:,} in all: make it smaller."
        )
