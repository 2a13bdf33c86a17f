"""Scribbles: strokes drawn by hand that give the labels of some pixels."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin.segmentation.cells import Cells
from maxmargin.segmentation.regions import Borders, Merges, merge_cells

WIDTH = 0.25  # of the densities of the labels, in deviations within a label
NOISE = 1.0  # added to the variance within labels, in units of L*a*b*
UNIFORM_SHARE = 0.1  # of the uniform density, as a share of the median density
MAX_EXAMPLES = 2000  # labelled cells from which densities are computed
LIKENESS = 60.0  # the difference in L*a*b* between two cells that look like two labels
POWER = 0.25  # of the sizes: smaller than 1/2, so that strokes reach thin parts
N_ROUNDS = 2
SURE = 0.99  # the likeness of cells that clearly look like a label
OPEN_SHARE = 0.1  # of the border of a pocket that may be with cells of its label
CONTOUR_QUANTILE = 0.5  # of the contrast of borders: the contrast of a contour


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


def stroke_likeness(
    features: np.ndarray,
    groups: Sequence[slice],
    weights: np.ndarray,
    labels: np.ndarray,
) -> np.ndarray:
    r"""Return how much each cell looks like those of each label, shares that sum to 1.

    The share of label h is that of its density at the cell, the weighted mean of
    :math:`\exp(-\|x - x_i\|^2 / 2 s^2)`, s = 1/4, over the labelled cells i, with a
    small uniform density for cells that look like none of them. The d features of a
    group, such as colour or texture, are multiplied by

    .. math:: \sqrt{\frac{b}{b + v} \, \frac{d}{v}}

    with the variances v within and b between the labels: by what a group tells about
    the labels, in units of its deviation within them. ``labels`` is -1 for cells
    without one.
    """
    rows = np.flatnonzero(labels >= 0)
    rows = rows[:: -(-len(rows) // MAX_EXAMPLES)]
    shares = np.eye(labels.max() + 1)[labels[rows]] * weights[rows, None]
    shares /= shares.sum(axis=0)
    scaled = features.astype(np.float64)
    for group in groups:
        some = features[rows, group]
        means = shares.T @ some
        within = np.mean(shares.T @ some**2 - means**2, axis=0).sum() + NOISE
        between = means.var(axis=0).sum()
        scale = between / (between + within) * some.shape[1] / within
        scaled[:, group] *= np.sqrt(scale)
    density = rbf_kernel(scaled, scaled[rows], gamma=0.5 / WIDTH**2) @ shares
    total = density.sum(axis=1, keepdims=True)
    uniform = UNIFORM_SHARE * np.median(total) + np.finfo(float).tiny
    return (density + uniform / shares.shape[1]) / (total + uniform)


def merge_with_strokes(
    cells: Cells, borders: Borders, groups: Sequence[slice], given: np.ndarray
) -> tuple[Merges, np.ndarray]:
    """Merge cells to regions that never join different strokes.

    The likeness to the strokes, times LIKENESS, counts as a further feature. It is
    computed from the strokes, and once more from the regions that they lead to.
    Returns the merges, and the labels of cells that they started from.
    """
    if given.max() < 1:  # nothing to tell apart
        merges = merge_cells(cells.features, cells.weights, borders, given, POWER)
        return merges, given
    labels, known = given, given
    for number in range(N_ROUNDS):
        likeness = stroke_likeness(cells.features, groups, cells.weights, labels)
        likeness[known >= 0] = np.eye(likeness.shape[1])[known[known >= 0]]
        scaled = LIKENESS / np.sqrt(2) * likeness
        features = np.concatenate([cells.features, scaled], axis=1)
        merges = merge_cells(features, cells.weights, borders, known, POWER)
        labels = spread_labels(merges.regions(len(known), len(merges.costs)), known)
        if number == 0:
            pockets = find_pockets(labels, likeness, borders)
            labels = np.where(pockets >= 0, pockets, labels)
            known = np.where(given >= 0, given, pockets)
    return merges, known


def find_pockets(
    labels: np.ndarray, likeness: np.ndarray, borders: Borders
) -> np.ndarray:
    """Return the labels of cells that their label could not reach, -1 for others.

    A background behind branches has parts that no stroke reaches without crossing the
    object. So connected cells that clearly look like another label, behind a clear
    contour, take that label if they have hardly a border with it: otherwise merging had
    the choice.
    """
    other = likeness.argmax(axis=1)
    clear = (likeness.max(axis=1) > SURE) & (other != labels)
    first, second = borders.first, borders.second
    within = clear[first] & clear[second] & (other[first] == other[second])
    graph = sparse.coo_matrix(
        (within[within], (first[within], second[within])), shape=(len(labels),) * 2
    )
    n_parts, parts = connected_components(graph, directed=False)
    length, shared, contrast = np.zeros((3, n_parts))
    for one, two in ((first, second), (second, first)):
        part = np.where(within, n_parts, parts[one])
        same = np.where(labels[two] == other[one], borders.length, 0.0)
        length += np.bincount(part, borders.length, n_parts + 1)[:-1]
        shared += np.bincount(part, same, n_parts + 1)[:-1]
        contrast += np.bincount(part, borders.contrast, n_parts + 1)[:-1]
    contour = np.quantile(borders.contrast / borders.length, CONTOUR_QUANTILE)
    closed = (shared < OPEN_SHARE * length) & (contrast > contour * length)
    pocket = clear & closed[parts]
    return np.where(pocket, other, -1)


def spread_labels(regions: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Return the label of the region of each cell, -1 for regions without a label."""
    labels = np.full(regions.max() + 1, -1)
    np.maximum.at(labels, regions, given)
    return labels[regions]
