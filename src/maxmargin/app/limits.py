"""The limits of what the app accepts, so that no upload can exhaust the machine."""

MAX_BYTES = 200_000_000  # of an uploaded file
MAX_BODY = 2_000_000  # bytes of any other request
MAX_ROWS = 500_000
MAX_CELLS = 50_000_000  # rows times columns of a table
MAX_PIXELS = 12_000_000
MAX_CLUSTERS = 100
MAX_DATASETS = 200
MAX_JOBS = 32  # that run or wait


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


def check_image_size(width: int, height: int) -> None:
    """Raise an error if an image is too large."""
    if width * height > MAX_PIXELS:
        raise LimitError(
            f"The image has {width} x {height} pixels, and the page takes "
            f"{MAX_PIXELS:,} in all: make it smaller."
        )
