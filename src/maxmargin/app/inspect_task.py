"""What an uploaded file holds; a copy of it that rows can be read from quickly."""

import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
import pyarrow as pa
from PIL import Image

from maxmargin.app.failures import for_page
from maxmargin.app.limits import (
    check_decoded_size,
    check_image_size,
    check_table_size,
    limited_memory,
    reading_memory,
)
from maxmargin.files import atomic_write
from maxmargin.segmentation.image_files import read_image
from maxmargin.tables.formats import FORMATS, open_input
from maxmargin.tables.preprocessing import fit_preprocessor
from maxmargin.tables.read import declared_shape, read_table_and_parts
from maxmargin.tables.table import Part
from maxmargin.tables.text import COMMAS, TextOptions, text_layout

IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
TABLES = tuple(suffix for suffix, kind in FORMATS.items() if kind not in ("npy", "npz"))
FEW = 50  # values that are counted as classes


def inspect_file(
    path: str,
    folder: str | Path,
    encoding: str | None = None,
    decimal: str | None = None,
) -> dict[str, Any]:
    """Return the kind, size and columns of a file."""
    folder = Path(folder)
    with limited_memory(reading_memory(path)):
        if Path(path).suffix in IMAGES:
            return _inspect_image(path, folder)
        _check_content(path)
        n_rows, n_columns = declared_shape(path)
        check_table_size(n_rows, n_columns)
    with limited_memory(reading_memory(path, n_rows * n_columns)):
        options = TextOptions(encoding=encoding, decimal=decimal)
        return _inspect_table(path, folder, options)


def _inspect_table(path: str, folder: Path, options: TextOptions) -> dict[str, Any]:
    table, parts = read_table_and_parts(path, options)
    check_table_size(len(table), len(table.names))
    _write_rows(folder, parts)
    plain = fit_preprocessor(table, missing="median")
    taken = plain.encoder.columns_
    columns = []
    for name in table.names:
        if name in table.texts:
            text = table.texts[name]
            missing, distinct = int((text.codes < 0).sum()), len(text.values)
            kind, deviation = "text", None
        else:
            values = table.column(name)
            missing = int(np.isnan(values).sum())
            distinct = len(np.unique(values[np.isfinite(values)]))
            kind, deviation = "number", _deviation(values)
        about = {"name": name, "kind": kind, "missing": missing, "distinct": distinct}
        found = taken[name]
        role = "date" if found.is_date else found.role
        about |= {"role": role, "weight": found.weight, "reason": found.reason}
        used = name in plain.columns
        columns.append({**about, "deviation": deviation, "used": used})
    columns += [_about_kept(name, values) for name, values in table.kept.items()]
    return {
        "kind": "table",
        "rows": len(table),
        "columns": columns,
        "notes": [for_page(note) for note in plain.notes],
        "encoding": options.encoding,
        "decimal": options.decimal,
        "reading": _reading(path, options, table.notes),
    }


def _about_kept(name: str, values: np.ndarray) -> dict[str, Any]:
    """Return what is known of a column that describes rows and is not compared."""
    known = [value for value in values.tolist() if value is not None and value == value]
    number = values.dtype.kind in "iuf"
    return {
        "name": name,
        "kind": "number" if number else "text",
        "missing": len(values) - len(known),
        "distinct": len(set(known)),
        "role": "number" if number else "category",
        "weight": None,
        "reason": "describes rows, and is used only if it is chosen",
        "deviation": _deviation(values) if number else None,
        "used": False,
    }


def _reading(
    path: str, options: TextOptions, notes: Sequence[str]
) -> dict[str, str] | None:
    """Return how a text file is read, None for other files."""
    file = open_input(path)
    if file.format != "text":
        return None
    layout = text_layout(file, options)
    comma = options.decimal == "," or COMMAS in notes
    return {
        "encoding": layout.encoding.removesuffix("-sig"),
        "delimiter": layout.delimiter,
        "decimal": "," if comma else ".",
    }


def _deviation(values: np.ndarray) -> float | None:
    """Return the standard deviation of known values, None if it is not finite."""
    known = values[np.isfinite(values)].astype(float)
    with np.errstate(over="ignore"):
        found = float(known.std()) if len(known) else 0.0
    return found if np.isfinite(found) else None


def _check_content(path: str) -> None:
    """Raise an error if a compressed file holds too much."""
    file = open_input(path)
    if file.format == "spreadsheet" and file.head.startswith(b"PK"):
        try:
            with ZipFile(path) as archive:
                check_decoded_size(sum(one.file_size for one in archive.infolist()))
        except BadZipFile:
            pass  # the reader has a sentence for it
        return
    n_bytes = 0
    with file.open() as stream:
        try:
            for chunk in iter(partial(stream.read, 1 << 20), b""):
                n_bytes += len(chunk)
                check_decoded_size(n_bytes)
        except (EOFError, OSError, zlib.error):
            pass


def _inspect_image(path: str, folder: Path) -> dict[str, Any]:
    try:
        with Image.open(path) as file:
            width, height = file.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise ValueError("The file cannot be read as an image.") from None
    check_image_size(width, height)
    pixels = read_image(path)[:, :, :3]
    with atomic_write(folder / "picture.png") as target:
        Image.fromarray(np.ascontiguousarray(pixels)).save(target, format="PNG")
    return {"kind": "image", "width": pixels.shape[1], "height": pixels.shape[0]}


def _write_rows(folder: Path, parts: Sequence[Part]) -> None:
    """Write the columns, numbers or text, in a format that is read in place."""
    columns = {n: [_as_arrow(part[n]) for part in parts] for n in parts[0]}
    table = pa.table({name: _join(arrays) for name, arrays in columns.items()})
    with (
        atomic_write(folder / "rows.arrow") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)


def _as_arrow(values: Any) -> Any:
    """Return numbers as they are, and all else as text."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iuf":
            return pa.array(values)
        texts = ["" if v is None else str(v) for v in values.tolist()]
        return pa.array(texts, pa.large_string())
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        return values
    try:
        return values.cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # lists and records
        return pa.array([str(v) for v in values.to_pylist()], pa.large_string())


def _join(arrays: list[Any]) -> Any:
    """Return one column; integers are text if some of them are missing."""
    if len({array.type for array in arrays}) > 1:
        arrays = [array.cast(pa.large_string()) for array in arrays]
    return pa.chunked_array(arrays)
