"""Scribbles: strokes drawn by hand that give the labels of some pixels."""

import numpy as np
from scipy import ndimage


def check_scribbles(scribbles: object, shape: tuple[int, int]) -> np.ndarray:
    """Return scribbles as ints, 0 for pixels without a stroke."""
    strokes = np.asarray(scribbles)
    if strokes.shape != shape or not (
        np.issubdtype(strokes.dtype, np.integer) or strokes.dtype == bool
    ):
        raise ValueError(
            f"scribbles must be an array of ints of shape {shape}, the height and "
            "width of the image: 0 for no stroke, else the label of the stroke."
        )
    if strokes.min() < 0:
        raise ValueError("scribbles has negative labels: use labels >= 1.")
    if not strokes.any():
        raise ValueError("scribbles has no stroke: draw one or pass scribbles=None.")
    return strokes.astype(np.int64)


def labels_of_colors(picture: np.ndarray, min_pixels: int = 8) -> np.ndarray:
    """Return the scribbles in a picture: a label for each colour, 0 for no stroke.

    Transparent pixels have no stroke; without any, the most frequent colour is the
    background. Colours of fewer than ``min_pixels`` pixels are taken for blurred edges
    of strokes and have no label either. Labels are numbered from 1 in the order of the
    colours' values.
    """
    values = np.asarray(picture)
    values = values[:, :, None] if values.ndim == 2 else values
    opaque = np.ones(values.shape[:2], dtype=bool)
    if values.shape[2] in (2, 4):
        opaque = values[:, :, -1] > values[:, :, -1].max() // 2
        values = values[:, :, :-1]
    _, codes, counts = np.unique(
        values[opaque], axis=0, return_inverse=True, return_counts=True
    )
    kept = counts >= min_pixels
    if opaque.all():
        kept[counts.argmax()] = False
    strokes = np.zeros(opaque.shape, dtype=np.int64)
    strokes[opaque] = np.where(kept, np.cumsum(kept), 0)[codes.ravel()]
    return strokes


def labels_of_cells(
    strokes: np.ndarray, labels: np.ndarray, inverse: np.ndarray, n_cells: int
) -> np.ndarray:
    """Return the position in ``labels`` of the stroke in each cell, -1 for no stroke.

    A cell takes the label of most of its marked pixels. A label that is not the most
    frequent one of any cell takes the cell in which it has the most pixels.
    """
    votes = np.stack(
        [np.bincount(inverse[strokes == label], minlength=n_cells) for label in labels]
    )
    given = np.where(votes.any(axis=0), votes.argmax(axis=0), -1)
    for position in set(range(len(labels))) - set(given.tolist()):
        given[votes[position].argmax()] = position
    return given


def count_strokes(strokes: np.ndarray) -> int:
    """Return the number of strokes, the connected components of each label."""
    touching = np.ones((3, 3))
    labels = np.unique(strokes[strokes != 0])
    return int(sum(ndimage.label(strokes == label, touching)[1] for label in labels))
