"""The outline of a segment: an alpha matte with soft borders, and polygons."""

from typing import Any

import numpy as np
from scipy import ndimage, sparse
from scipy.sparse.linalg import splu

from maxmargin.segmentation.features import check_image, rgb_to_lab
from maxmargin.segmentation.regions import neighbors
from maxmargin.segmentation.render import check_labels, find_boundaries

LEAST_WEIGHT = 1e-4  # of neighbouring pixels across the sharpest contour


def alpha_matte(image: Any, labels: Any, label: int, width: int = 3) -> np.ndarray:
    r"""Return the opacity of one segment, with soft borders.

    Pixels within ``width`` of the boundary take the values a that minimise

    .. math:: \sum_{pq} w_{pq} (a_p - a_q)^2, \quad
              w_{pq} = \exp(-\|c_p - c_q\|^2 / 2 v)

    over neighbouring pixels p, q with the colours c in L*a*b*, where v is the mean of
    the squared differences near the boundary. The others are 1 inside and 0 outside.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        The image, as in :class:`maxmargin.ImageSegmenter`.
    labels : array-like of shape (height, width)
        Label of each pixel, ints.
    label : int
        The segment.
    width : int, default=3
        Distance in pixels from the boundary within which the border is soft.

    Returns
    -------
    matte : ndarray of shape (height, width)
        Between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.segmentation import alpha_matte
    >>> image = np.array([[0.0, 0.0, 0.5, 1.0, 1.0]])
    >>> alpha_matte(image, np.array([[0, 0, 0, 1, 1]]), 1, width=1)[0, [0, 4]]
    array([0., 1.])
    """
    inside = check_labels(labels) == label
    matte = inside.astype(np.float64)
    edge = find_boundaries(inside.astype(np.int64), thickness=2)
    if not edge.any():
        return matte
    lab = rgb_to_lab(check_image(image))
    band = ndimage.distance_transform_cdt(~edge, "chessboard") < width
    if band.all():
        return matte
    first, second = neighbors(np.arange(matte.size).reshape(matte.shape))
    near = band.flat[first] | band.flat[second]
    first, second = first[near], second[near]
    colors = lab.reshape(-1, 3)
    squares = ((colors[first] - colors[second]) ** 2).sum(axis=1)
    weights = np.exp(-squares / max(2 * squares.mean(), 1e-12)) + LEAST_WEIGHT
    one_way = sparse.coo_matrix((weights, (first, second)), shape=(matte.size,) * 2)
    graph = (one_way + one_way.T).tocsr()[band.ravel()]
    total = sparse.diags(np.asarray(graph.sum(axis=1)).ravel())
    free = band.ravel()
    known = graph[:, ~free] @ matte.flat[~free]
    matte[band] = splu((total - graph[:, free]).tocsc()).solve(known)
    return np.clip(matte, 0.0, 1.0)


def outline_polygons(labels: Any, label: int) -> list[np.ndarray]:
    """Return the outline of one segment as closed polygons along the pixels' sides.

    Parameters
    ----------
    labels : array-like of shape (height, width)
        Label of each pixel, ints.
    label : int
        The segment.

    Returns
    -------
    polygons : list of ndarray of shape (n_corners, 2)
        Corners as (x, y), the column and the row; the last is joined to the first. The
        segment lies to the right of the way, so that holes turn the other way. Filled
        by the even-odd rule, they are the segment.

    Examples
    --------
    >>> from maxmargin.segmentation import outline_polygons
    >>> outline_polygons([[0, 1, 1]], 1)[0].tolist()
    [[1, 0], [3, 0], [3, 1], [1, 1]]
    """
    inside = np.pad(check_labels(labels) == label, 1)
    step: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for (rows, columns), start, end in (
        (np.nonzero(inside[1:] & ~inside[:-1]), (0, 0), (1, 0)),  # above a pixel
        (np.nonzero(~inside[1:] & inside[:-1]), (1, 0), (0, 0)),  # below
        (np.nonzero(inside[:, :-1] & ~inside[:, 1:]), (1, -1), (1, 0)),  # right
        (np.nonzero(~inside[:, :-1] & inside[:, 1:]), (1, 0), (1, -1)),  # left
    ):
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
            corner = (column + start[0] - 1, row + start[1])
            target = (column + end[0] - 1, row + end[1])
            step.setdefault(corner, []).append(target)
    polygons = []
    while step:
        corner = min(step)
        way = []
        while corner in step:
            way.append(corner)
            following = step[corner].pop()
            if not step[corner]:
                del step[corner]
            corner = following
        corners = np.array(way)
        steps = np.roll(corners, -1, axis=0) - corners
        turns = (steps != np.roll(steps, 1, axis=0)).any(axis=1)
        polygons.append(corners[turns])
    return polygons
