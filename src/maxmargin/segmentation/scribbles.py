r"""Scribbles: strokes drawn by hand that give the labels of some pixels.

Cells take the labels y of the least cost

.. math::

    -\sum_i n_i \log q_i(y_i) + \lambda \sum_{i \sim j} \frac{l_{ij} [y_i \ne y_j]}
    {1 + (c_{ij} / 3)^2} + \lambda \sum_i r_i \min(1, \log(d_{y_i} / d))

with the numbers n of pixels of the cells, the probability q of a label by the looks of
a cell, the lengths l and mean contrasts c of borders, and the numbers r of pixels on
the rim of the image. A border costs less where the contrast is high. The last sum is
for what lies outside the image: it belongs to the label whose strokes are closest to
the rim, at the distance d; those of label h are at the distance :math:`d_h`. As
:math:`\lambda` is a fifth of the root of the number of pixels, the labels do not depend
on the resolution.

The strokes give q, the least cost gives labels of all cells, and these give a better q.
"""

from collections.abc import Sequence

import numpy as np

from maxmargin.segmentation.cells import Cells
from maxmargin.segmentation.likeness import label_likeness
from maxmargin.segmentation.minimum_cut import label_by_cuts
from maxmargin.segmentation.regions import Borders, merge_cells

BORDER_COST = 0.2  # of a pixel of a border, as a share of the root of their number
CONTRAST = 3.0  # in L*a*b*, for which a border costs half
N_ROUNDS = 3


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


def add_free_regions(
    cells: Cells, borders: Borders, given: np.ndarray, n_labels: int, n_free: int
) -> np.ndarray:
    """Return the labels of cells with strokes, and new labels of regions without.

    Cells are merged, never those of different strokes, until ``n_free`` regions have no
    stroke. These get the labels from ``n_labels`` on.
    """
    n_cells = len(given)
    merges = merge_cells(cells.features, cells.weights, borders, given)
    n_present = len(np.unique(given[given >= 0]))
    done = merges.count_until(n_present + n_free, given)
    regions = merges.regions(n_cells, done)
    labels = np.full(regions.max() + 1, -1)
    np.maximum.at(labels, regions, given)
    free = labels[regions] < 0
    numbers = np.unique(regions[free], return_inverse=True)[1]
    result = given.copy()
    result[free] = n_labels + numbers
    return result


def rim_costs(cells: Cells, given: np.ndarray) -> np.ndarray:
    """Return the cost of each label for the cells on the rim of the image.

    For each pixel on the rim it is the logarithm of the distance of the strokes of the
    label from the rim, minus that of the closest label, at most 1.
    """
    inverse = cells.inverse
    height, width = inverse.shape
    rows, columns = np.arange(height)[:, None], np.arange(width)
    vertical = np.minimum(rows, height - 1 - rows)
    depth = 1 + np.minimum(vertical, np.minimum(columns, width - 1 - columns))
    n_cells = len(cells.weights)
    rim = np.bincount(inverse[depth == 1], minlength=n_cells)
    depth = np.bincount(inverse.ravel(), depth.ravel(), n_cells) / cells.weights
    least = np.array([depth[given == h].min() for h in range(given.max() + 1)])
    return rim[:, None] * np.minimum(1.0, np.log(least / least.min()))


def label_cells(
    cells: Cells, borders: Borders, groups: Sequence[slice], given: np.ndarray
) -> np.ndarray:
    """Return the label of each cell, from those of the cells with strokes.

    ``groups`` are the columns of each group of features; ``given`` is -1 for cells
    without a stroke.
    """
    names, positions = np.unique(given[given >= 0], return_inverse=True)
    if len(names) == 1:
        return np.full_like(given, names[0])
    given = given.copy()
    given[given >= 0] = positions
    unit = BORDER_COST * np.sqrt(cells.inverse.size)
    contrast = borders.contrast / borders.length
    weights = unit * borders.length / (1 + (contrast / CONTRAST) ** 2)
    outside = unit * rim_costs(cells, given)
    labels = given
    for _ in range(N_ROUNDS):
        before = labels
        likeness = label_likeness(cells.features, groups, given, labels, cells.weights)
        costs = outside - cells.weights[:, None] * likeness
        labels = label_by_cuts(costs, weights, borders, given)
        if np.array_equal(labels, before):
            break
    return names[labels]
