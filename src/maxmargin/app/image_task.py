"""Segments of an image from painted strokes."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from maxmargin.app.schemas import ImageSettings
from maxmargin.files import atomic_write
from maxmargin.segmentation import ImageSegmenter, label_colors
from maxmargin.segmentation.image_files import read_image

FOREGROUND = 1  # the segment of the first colour


def segment_image(
    path: str, folder: Path, settings: ImageSettings, name: str
) -> dict[str, Any]:
    """Segment an image; write pictures and return a step of the work."""
    image = read_image(path)[:, :, :3]
    strokes = rasterize(settings, image.shape[:2])
    n_clusters = settings.clusters
    segmenter = ImageSegmenter(n_clusters, random_state=settings.seed)
    segmenter.fit(image, scribbles=strokes if strokes.any() else None)
    labels = segmenter.labels_
    numbers = np.asarray(segmenter.classes_)
    if strokes.any():  # classes are the numbers of the strokes, then new ones
        labels = numbers[labels].astype(np.int64)
        labels = np.unique(labels, return_inverse=True)[1].reshape(labels.shape)
    k = int(labels.max()) + 1
    front = 0 if strokes.any() and (strokes == FOREGROUND).any() else min(1, k - 1)
    colors = label_colors(labels)
    opaque = np.full((*labels.shape, 1), 255, np.uint8)
    front_mask = np.where(labels == front, 255, 0).astype(np.uint8)
    _write(folder / f"{name}-segments.png", np.concatenate([colors, opaque], axis=2))
    cut = np.concatenate([image, front_mask[:, :, None]], axis=2)
    _write(folder / f"{name}-foreground.png", cut)
    _write(folder / f"{name}-mask.png", front_mask)
    sizes = np.bincount(labels.ravel(), minlength=k).tolist()
    return {
        "result": name,
        "sizes": sizes,
        "strokes": [stroke.model_dump() for stroke in settings.strokes],
        "segments": k,
        "colors": [_hex(label_colors(np.array([[h]]))[0, 0]) for h in range(k)],
    }


def rasterize(settings: ImageSettings, shape: tuple[int, int]) -> np.ndarray:
    """Return the strokes as labels of pixels, 0 for none; later ones lie on top."""
    canvas = Image.new("L", (shape[1], shape[0]), 0)
    draw = ImageDraw.Draw(canvas)
    for stroke in settings.strokes:
        points = [(float(x), float(y)) for x, y in stroke.points]
        width = max(1, round(stroke.width))
        if len(points) > 1:
            draw.line(points, fill=stroke.segment, width=width, joint="curve")
        half = stroke.width / 2
        for x, y in (points[0], points[-1]):
            draw.ellipse((x - half, y - half, x + half, y + half), fill=stroke.segment)
    return np.asarray(canvas).astype(np.int64)


def _write(path: Path, pixels: np.ndarray) -> None:
    with atomic_write(path) as file:
        Image.fromarray(pixels).save(file, format="PNG")


def _hex(color: np.ndarray) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in color)
