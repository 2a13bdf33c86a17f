r"""Regions: neighbouring cells are merged, the most similar ones first.

The cost to merge two neighbouring regions with :math:`n_i` and :math:`n_j` pixels, mean
features :math:`m_i` and :math:`m_j`, and a mean contrast :math:`c_{ij}` along their
common border is

.. math:: \sqrt{\frac{n_i n_j}{n_i + n_j}} \, \|m_i - m_j\| \, c_{ij}.

The first two factors are the root of the increase of the squared error if the features
are fitted by the means of the regions, as in Ward's method. The contrast keeps regions
apart where a contour runs between them, and lets them merge where one colour changes
slowly into another.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import ndimage, sparse
from scipy.sparse.csgraph import connected_components

from maxmargin.compiled import compiled

WINDOW = 3  # depth in pixels of the windows whose means are compared across a border
# Regions are merged while the cost, divided by the root of the number of pixels, is at
# most this: the cost of two halves that differ, on the whole and along their border, by
# 9 in L*a*b*.
LARGEST_COST = 40.0


class Borders(NamedTuple):
    """The borders between neighbouring cells, each once."""

    first: np.ndarray  # (n_borders,), a cell
    second: np.ndarray  # (n_borders,), its neighbour, of a higher number
    length: np.ndarray  # (n_borders,), in pixels
    contrast: np.ndarray  # (n_borders,), the sum over the pixels of the border


class CellMerges(NamedTuple):
    """The merges of cells to regions, in their order."""

    pairs: np.ndarray  # (n_merges, 2), a region and the one that it takes up
    costs: np.ndarray  # (n_merges,)

    def regions(self, n_cells: int, n_merges: int) -> np.ndarray:
        """Return the region of each cell after some merges, numbered from 0."""
        pairs = self.pairs[:n_merges]
        graph = sparse.coo_matrix(
            (np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n_cells, n_cells)
        )
        return connected_components(graph, directed=False)[1]

    def count_until(self, n_segments: int, given: np.ndarray) -> int:
        """Return the number of merges that leave a number of segments.

        Regions of one label in ``given`` are one segment, as is each without a label.
        """
        labels = given.copy()
        n_free = n_segments - len(np.unique(labels[labels >= 0]))
        left = np.count_nonzero(labels < 0)
        for number, (keep, drop) in enumerate(self.pairs):
            if left <= n_free:
                return number
            left -= labels[keep] < 0 or labels[drop] < 0
            labels[keep] = max(labels[keep], labels[drop])
        return len(self.pairs)


def count_regions(merges: CellMerges, n_pixels: float) -> int:
    """Return the number of regions when the next merge would cost too much."""
    above = merges.costs > LARGEST_COST * np.sqrt(n_pixels)
    done = int(above.argmax()) if above.any() else len(above)
    return len(merges.costs) + 1 - done


def neighbors(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of pixels, and those of their right or lower neighbours."""
    first = np.concatenate([pixels[:, :-1].ravel(), pixels[:-1].ravel()])
    return first, np.concatenate([pixels[:, 1:].ravel(), pixels[1:].ravel()])


def connected_regions(labels: Any) -> np.ndarray:
    """Return the connected regions of equal labels, numbered from 0.

    Pixels are neighbours if they share a side.

    Parameters
    ----------
    labels : array-like of shape (height, width)
        Label of each pixel.

    Returns
    -------
    regions : ndarray of shape (height, width)

    Examples
    --------
    >>> from maxmargin.segmentation import connected_regions
    >>> connected_regions([[0, 0, 1, 0]])
    array([[0, 0, 1, 2]])
    """
    labels = np.asarray(labels)
    first, second = neighbors(np.arange(labels.size).reshape(labels.shape))
    same = labels.flat[first] == labels.flat[second]
    graph = sparse.coo_matrix((same, (first, second)), shape=(labels.size,) * 2)
    graph.eliminate_zeros()
    found = connected_components(graph, directed=False)[1]
    return found.reshape(labels.shape).astype(np.int64)


def pixel_contrast(lab: np.ndarray, axis: int) -> np.ndarray:
    """Return the contrast between each pixel and the next one along an axis.

    It is the distance of the mean colours of two windows that meet between the pixels,
    three pixels deep and five wide.
    """
    size = [2 * WINDOW - 1] * 2 + [1]
    size[axis] = WINDOW
    means = np.moveaxis(ndimage.uniform_filter(lab, size), axis, 0)
    last, offset = len(means) - 1, WINDOW // 2
    places = np.arange(last)
    before = means[np.maximum(places - offset, 0)]
    after = means[np.minimum(places + 1 + offset, last)]
    return np.moveaxis(np.linalg.norm(before - after, axis=2), 0, axis)


def find_borders(cells: np.ndarray, lab: np.ndarray) -> Borders:
    """Return the borders of the cells of an image in L*a*b*."""
    one, other = neighbors(cells)
    contrast = np.concatenate([pixel_contrast(lab, axis).ravel() for axis in (1, 0)])
    border = one != other
    one, other, contrast = one[border], other[border], contrast[border]
    n_cells = int(cells.max()) + 1
    codes = np.minimum(one, other) * n_cells + np.maximum(one, other)
    pairs, inverse = np.unique(codes, return_inverse=True)
    return Borders(
        pairs // n_cells,
        pairs % n_cells,
        np.bincount(inverse, minlength=len(pairs)).astype(np.float64),
        np.bincount(inverse, contrast, len(pairs)),
    )


def merge_cells(
    features: np.ndarray,
    weights: np.ndarray,
    borders: Borders,
    given: np.ndarray | None = None,
) -> CellMerges:
    """Merge the two neighbouring regions of the least cost, again and again.

    Regions with different labels in ``given``, -1 for none, are never merged.
    """
    labels = np.full(len(weights), -1) if given is None else given
    pairs, costs = _merge(
        *(np.array(column) for column in borders),
        np.array(features, dtype=np.float64),
        np.array(weights, dtype=np.float64),
        labels.astype(np.int64),
    )
    return CellMerges(pairs, costs)


@compiled
def _cost(one, other, length, contrast, features, weights, labels):
    if labels[one] >= 0 and labels[other] >= 0 and labels[one] != labels[other]:
        return np.inf
    total = 0.0
    for c in range(features.shape[1]):
        total += (features[one, c] - features[other, c]) ** 2
    size = weights[one] * weights[other] / (weights[one] + weights[other])
    return np.sqrt(size * total) * contrast / length


@compiled
def _join(keep, drop, features, weights, labels):
    """Add one region to another: mean features, weight and label."""
    total = weights[keep] + weights[drop]
    for c in range(features.shape[1]):
        taken = weights[drop] * (features[drop, c] - features[keep, c])
        features[keep, c] += taken / total
    weights[keep] = total
    labels[keep] = max(labels[keep], labels[drop])


@compiled
def _merge(first, second, length, contrast, features, weights, labels):
    """Return the pairs of merged regions and the costs; the arguments are changed."""
    n_cells, n_edges = len(weights), len(first)
    costs = np.empty(n_edges)
    for e in range(n_edges):
        costs[e] = _cost(
            first[e], second[e], length[e], contrast[e],
            features, weights, labels,
        )  # fmt: skip
    pairs = np.empty((n_cells, 2), dtype=np.int64)
    paid = np.empty(n_cells)
    edge_to = np.full(n_cells, -1)  # the edge from the merged region to another
    n_merges = 0
    while n_edges > 0:
        best = 0
        for e in range(1, n_edges):
            if costs[e] < costs[best]:
                best = e
        if costs[best] == np.inf:
            break
        keep, drop = first[best], second[best]
        pairs[n_merges, 0], pairs[n_merges, 1] = keep, drop
        paid[n_merges] = costs[best]
        n_merges += 1
        _join(keep, drop, features, weights, labels)
        n_edges = _move_edges(
            keep, drop, n_edges, first, second, length, contrast, costs, edge_to
        )
        for e in range(n_edges):
            if first[e] == keep or second[e] == keep:
                edge_to[first[e] + second[e] - keep] = -1
                costs[e] = _cost(
                    first[e], second[e], length[e], contrast[e],
                    features, weights, labels,
                )  # fmt: skip
    return pairs[:n_merges], paid[:n_merges]


@compiled
def _move_edges(
    keep, drop, n_edges, first, second, length, contrast, costs, edge_to
):  # fmt: skip
    """Let the edges of a dropped region end in the kept one; return their number."""
    e = 0
    while e < n_edges:
        if first[e] == drop:
            first[e] = keep
        if second[e] == drop:
            second[e] = keep
        other = -1
        if first[e] == keep:
            other = second[e]
        elif second[e] == keep:
            other = first[e]
        double = other >= 0 and other != keep and edge_to[other] >= 0
        if other == keep or double:
            if double:
                length[edge_to[other]] += length[e]
                contrast[edge_to[other]] += contrast[e]
            n_edges -= 1
            first[e], second[e] = first[n_edges], second[n_edges]
            length[e], contrast[e] = length[n_edges], contrast[n_edges]
            costs[e] = costs[n_edges]
        else:
            if other >= 0:
                edge_to[other] = e
            e += 1
    return n_edges
