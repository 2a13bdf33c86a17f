"""Segmentation of image files; needs the extra ``image``."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.files import Writer, check_outputs, write_files
from maxmargin.segmentation.outlines import alpha_matte, outline_polygons
from maxmargin.segmentation.render import (
    draw_boundaries,
    label_colors,
    label_mask,
    overlay,
)
from maxmargin.segmentation.scribbles import labels_of_colors
from maxmargin.segmentation.segmenter import ImageSegmenter

PICTURES = {
    "mask": lambda image, labels: (
        label_mask(labels, 1) if labels.max() < 2 else label_colors(labels)
    ),
    "overlay": overlay,
    "boundaries": draw_boundaries,
    "matte": lambda image, labels: _cut_out(image, labels),
}
FORMATS = {"labels": (".npy",), "path": (".svg",), "matte": (".png", ".tif", ".webp")}
SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp")


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise ImportError(
            "Image files need pillow: pip install 'maxmargin[image]'."
        ) from None
    return Image


def read_image(path: str | Path) -> np.ndarray:
    """Return the pixels of an image file, of shape (height, width, 3 or 4).

    The image is turned as its EXIF orientation says. A fourth channel is the opacity.
    """
    Image = _pillow()
    from PIL import ImageOps

    if not Path(path).is_file():
        raise FileNotFoundError(f"{path} does not exist: check the path.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # files that are unusual but readable
            with Image.open(path) as file:
                upright = ImageOps.exif_transpose(file)
                alpha = "A" in upright.getbands() or "transparency" in upright.info
                return np.asarray(upright.convert("RGBA" if alpha else "RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise ValueError(f"{path} cannot be read as an image: {error}.") from None


def segment_file(
    photo: str | Path,
    n_clusters: int | str = 2,
    *,
    scribbles: str | Path | None = None,
    outputs: Mapping[str, str | Path] | None = None,
    force: bool = False,
    **parameters: Any,
) -> ImageSegmenter:
    """Segment an image file and write the outputs, all of them or none.

    ``scribbles`` is an image of the same size with strokes, a colour for each segment,
    on a transparent background or one of a single colour. Of the outputs ``"mask"``
    (white for label 1 of two segments, which without scribbles is the smaller one; a
    colour for each of more segments), ``"overlay"`` and ``"boundaries"`` are images in
    the format of the suffix, ``"matte"`` is the image of label 1 with soft borders on a
    transparent ground, ``"path"`` its outline as an ``.svg`` file, ``"labels"`` a
    ``.npy`` array. Further parameters are those of `ImageSegmenter`.
    """
    paths = {name: str(path) for name, path in (outputs or {}).items()}
    _check_formats(paths)
    check_outputs(paths.values(), force)
    image = read_image(photo)
    strokes = None
    if scribbles is not None:
        strokes = labels_of_colors(read_image(scribbles))
        if strokes.shape != image.shape[:2]:
            raise ValueError(
                f"{scribbles} has {strokes.shape} pixels and {photo} "
                f"{image.shape[:2]}: draw the strokes on a picture of that size."
            )
    segmenter = ImageSegmenter(n_clusters, **parameters)
    labels = segmenter.fit(image, scribbles=strokes).labels_
    write_files(
        {path: _writer(name, path, image, labels) for name, path in paths.items()},
        force,
    )
    return segmenter


def _check_formats(outputs: Mapping[str, str]) -> None:
    """Raise an error if an output or its suffix is not known."""
    for name, path in outputs.items():
        suffix = Path(path).suffix.lower()
        known = (*PICTURES, "labels", "path")
        if name not in known:
            raise ValueError(
                f"output {name!r} is not known: use one of {', '.join(known)}."
            )
        allowed = FORMATS.get(name, SUFFIXES)
        if suffix not in allowed:
            raise ValueError(
                f"{path} has the wrong suffix for {name}: use {', '.join(allowed)}."
            )


def _writer(name: str, path: str, image: np.ndarray, labels: np.ndarray) -> Writer:
    """Return a function that writes an output to a binary file."""
    if name == "labels":
        return lambda file: np.save(file, labels)
    if name == "path":
        return lambda file: file.write(_svg(labels).encode())
    picture = _pillow().fromarray(PICTURES[name](image, labels))
    kind = _pillow().registered_extensions()[Path(path).suffix.lower()]
    return lambda file: picture.save(file, format=kind)


def _cut_out(image: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the image of label 1 on a transparent ground, with soft borders."""
    opacity = np.rint(255 * alpha_matte(image, labels, 1)).astype(np.uint8)
    return np.dstack([image[:, :, :3], opacity])


def _svg(labels: np.ndarray) -> str:
    """Return an SVG file with the outline of label 1."""
    ways = [
        "M" + " L".join(f"{x} {y}" for x, y in polygon) + " Z"
        for polygon in outline_polygons(labels, 1)
    ]
    height, width = labels.shape
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f'<path fill-rule="evenodd" d="{" ".join(ways)}"/></svg>\n'
    )
