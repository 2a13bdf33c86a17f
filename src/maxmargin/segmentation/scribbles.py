"""Strokes of a pen: labels of a few pixels, given by hand."""

import numpy as np
from scipy import ndimage


def check_scribbles(scribbles: object, shape: tuple[int, int]) -> np.ndarray:
    """Return strokes as whole numbers, 0 where there is none."""
    strokes = np.asarray(scribbles)
    if strokes.shape != shape or not (
        np.issubdtype(strokes.dtype, np.integer) or strokes.dtype == bool
    ):
        raise ValueError(
            f"scribbles must be whole numbers of shape {shape}, the height and width "
            "of the image: 0 where there is no stroke, else the label of the stroke."
        )
    if strokes.min() < 0:
        raise ValueError("scribbles have negative labels: give labels from 1 on.")
    if not strokes.any():
        raise ValueError("scribbles are empty: draw a stroke or leave them out.")
    return strokes.astype(np.int64)


def strokes_of_colours(picture: np.ndarray, least: int = 8) -> np.ndarray:
    """Return the strokes in a picture of them: a label for each colour, 0 for none.

    The commonest colour, or what is transparent, is no stroke. Colours of fewer than
    ``least`` pixels are blurred edges of others, and no stroke either. Labels are
    numbered in the order of the colours' values.
    """
    values = np.asarray(picture)
    values = values[:, :, None] if values.ndim == 2 else values
    seen = np.ones(values.shape[:2], dtype=bool)
    if values.shape[2] in (2, 4):
        seen = values[:, :, -1] > values[:, :, -1].max() // 2
        values = values[:, :, :-1]
    _, codes, counts = np.unique(
        values[seen], axis=0, return_inverse=True, return_counts=True
    )
    kept = counts >= least
    if seen.all():
        kept[counts.argmax()] = False
    strokes = np.zeros(seen.shape, dtype=np.int64)
    strokes[seen] = np.where(kept, np.cumsum(kept), 0)[codes.ravel()]
    return strokes


def strokes_of_cells(
    strokes: np.ndarray, labels: np.ndarray, inverse: np.ndarray, n_cells: int
) -> np.ndarray:
    """Return for each cell the position in ``labels`` of its stroke, -1 without one.

    It is that of most of its marked pixels. A label that is first in no cell gets the
    one in which it has most.
    """
    votes = np.stack(
        [np.bincount(inverse[strokes == one], minlength=n_cells) for one in labels]
    )
    given = np.where(votes.any(axis=0), votes.argmax(axis=0), -1)
    for place in set(range(len(labels))) - set(given.tolist()):
        given[votes[place].argmax()] = place
    return given


def count_strokes(strokes: np.ndarray) -> int:
    """Return the number of strokes: connected pieces of one label."""
    touching = np.ones((3, 3))
    labels = np.unique(strokes[strokes != 0])
    return int(sum(ndimage.label(strokes == one, touching)[1] for one in labels))
