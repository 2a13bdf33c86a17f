"""What an uploaded file holds; a copy of it that rows can be read from quickly."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from PIL import Image

from maxmargin.app.limits import check_image_size, check_table_size
from maxmargin.files import atomic_write
from maxmargin.segmentation.image_files import read_image
from maxmargin.tables.formats import FORMATS
from maxmargin.tables.preprocessing import fit_preprocessor
from maxmargin.tables.read import count_rows, read_columns, read_table

IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
TABLES = tuple(suffix for suffix, kind in FORMATS.items() if kind not in ("npy", "npz"))
FEW = 50  # values that are counted as classes


def inspect_file(path: str, folder: Path) -> dict[str, Any]:
    """Return the kind, size and columns of a file."""
    if Path(path).suffix in IMAGES:
        return _inspect_image(path, folder)
    n_rows = count_rows(path)
    if n_rows is not None:
        check_table_size(n_rows, 1)
    table = read_table(path)
    check_table_size(len(table), len(table.names))
    plain = fit_preprocessor(table, missing="median")
    used = set(plain.columns)
    columns = []
    for name in table.names:
        if name in table.texts:
            text = table.texts[name]
            missing, distinct = int((text.codes < 0).sum()), len(text.values)
            kind = "text"
        else:
            values = table.column(name)
            missing = int(np.isnan(values).sum())
            distinct = len(np.unique(values[np.isfinite(values)]))
            kind = "number"
        about = {"name": name, "kind": kind, "missing": missing, "distinct": distinct}
        columns.append({**about, "used": name in used})
    _write_rows(path, folder)
    return {
        "kind": "table",
        "rows": len(table),
        "columns": columns,
        "notes": list(plain.notes),
    }


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


def _write_rows(path: str, folder: Path) -> None:
    """Write the columns as text in a format that is read in place."""
    columns = read_columns(path)
    arrays = {}
    for name, values in columns.items():
        if values.dtype.kind in "iuf":
            arrays[name] = pa.array(values)
        else:
            texts = ["" if v is None else str(v) for v in values.tolist()]
            arrays[name] = pa.array(texts, pa.large_string())
    table = pa.table(arrays)
    with (
        atomic_write(folder / "rows.arrow") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
