"""Cells: groups of pixels that are clustered as one sample.

A cell has the pixels of one colour, or it is a superpixel, a small region of similar
colour. Superpixels are found as in SLIC:

R. Achanta, A. Shaji, K. Smith, A. Lucchi, P. Fua, S. Susstrunk. SLIC superpixels
compared to state-of-the-art superpixel methods. IEEE Transactions on Pattern Analysis
and Machine Intelligence 34(11), 2012. doi:10.1109/TPAMI.2012.120
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import ndimage

from maxmargin.compiled import compiled
from maxmargin.segmentation.features import check_image, pixel_features, rgb_to_lab
from maxmargin.segmentation.regions import Borders, connected_regions, find_borders

COMPACTNESS = 10.0  # the difference in colour that counts as much as the grid spacing
N_PASSES = 8


class Cells(NamedTuple):
    """The samples that stand for the pixels of an image."""

    features: np.ndarray  # (n_cells, d), the means of their pixels
    weights: np.ndarray  # (n_cells,), numbers of pixels
    inverse: np.ndarray  # (height, width), the cell of each pixel


def make_cells(image: Any, names: tuple[str, ...], n_cells: int) -> Cells:
    """Return about ``n_cells`` cells of an image, with the means of their features.

    If ``names`` has colour features alone, pixels of equal colour make a cell, so that
    the cost depends on the number of distinct colours, not of pixels. If there are too
    many, colours are quantised to fewer bits. Otherwise cells are superpixels.
    """
    rgb = check_image(image)
    if set(names) <= {"rgb", "lab"}:
        cells = average_cells(rgb, merge_colors(rgb, n_cells))
        # The features of the mean colour, not of every pixel.
        features = pixel_features(cells.features[:, None], names)[:, 0]
        return cells._replace(features=features)
    lab = rgb_to_lab(rgb)
    pixels = pixel_features(rgb, names, lab)
    return average_cells(pixels, find_superpixels(lab, n_cells))


def make_connected_cells(
    image: Any, names: tuple[str, ...], n_cells: int
) -> tuple[Cells, Borders]:
    """Return cells that are connected, and their borders.

    They are the connected parts of superpixels, found in the image blurred by one pixel
    so that noise does not split them. Small parts are left to the merging of regions.
    """
    rgb = check_image(image)
    lab = rgb_to_lab(rgb)
    blurred = ndimage.gaussian_filter(lab, (1.0, 1.0, 0.0), truncate=3.0)
    inverse = connected_regions(find_superpixels(blurred, n_cells))
    cells = average_cells(pixel_features(rgb, names, lab), inverse)
    return cells, find_borders(inverse, lab)


def average_cells(pixels: np.ndarray, inverse: np.ndarray) -> Cells:
    """Return cells with the means of the features of their pixels."""
    flat = inverse.ravel()
    weights = np.bincount(flat).astype(np.float64)
    columns = pixels.reshape(len(flat), -1).T
    n_cells = len(weights)
    means = [np.bincount(flat, c, n_cells) / weights for c in columns]
    return Cells(np.stack(means, axis=1), weights, inverse)


def merge_colors(rgb: np.ndarray, limit: int) -> np.ndarray:
    """Return the number of each pixel's colour, with at most ``limit`` colours.

    Colours have eight bits in each channel. The lowest bits are dropped until there are
    at most ``limit`` distinct colours, or one bit is left.
    """
    levels = np.rint(255 * rgb).astype(np.int64)
    for dropped in range(8):
        kept = levels >> dropped
        codes = (kept[..., 0] << 16) | (kept[..., 1] << 8) | kept[..., 2]
        seen = np.zeros(1 << 24, dtype=bool)
        seen[codes] = True
        colors = np.flatnonzero(seen)
        if len(colors) <= limit:
            break
    return np.searchsorted(colors, codes)


def find_superpixels(lab: np.ndarray, n_superpixels: int) -> np.ndarray:
    r"""Return the superpixel of each pixel of an image in L*a*b*, numbered from 0.

    Superpixels start as the squares of a grid of spacing S. Each pass assigns every
    pixel to the nearest among the superpixels of the 3 x 3 squares around it, in the
    distance of colour and position

    .. math:: \|c - c_p\|^2 + (10 / S)^2 \|x - x_p\|^2,

    and moves the superpixels to the means of their pixels: k-means restricted to
    neighbouring squares. Empty superpixels are dropped.
    """
    height, width = lab.shape[:2]
    spacing = max(np.sqrt(height * width / n_superpixels), 1.0)
    n_rows = max(round(height / spacing), 1)
    n_columns = max(round(width / spacing), 1)
    grid_rows = np.arange(height) * n_rows // height
    grid_columns = np.arange(width) * n_columns // width
    labels = grid_rows[:, None] * n_columns + grid_columns
    unit = COMPACTNESS / spacing  # the difference in colour that one pixel counts
    for _ in range(N_PASSES):
        before = labels
        centers = superpixel_means(lab, labels, n_rows * n_columns, unit)
        labels = assign_pixels(
            lab, centers, grid_rows, grid_columns, n_rows, n_columns, unit
        )
        if np.array_equal(labels, before):
            break
    return np.unique(labels, return_inverse=True)[1].reshape(height, width)


@compiled
def superpixel_means(lab, labels, n_superpixels, unit):
    """Return the mean colour of each superpixel and its mean position times ``unit``.

    An empty superpixel has a mean so far away that no pixel is assigned to it.
    """
    centers = np.zeros((n_superpixels, 5))
    counts = np.zeros(n_superpixels)
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            p = labels[i, j]
            for c in range(3):
                centers[p, c] += lab[i, j, c]
            centers[p, 3] += unit * i
            centers[p, 4] += unit * j
            counts[p] += 1
    for p in range(n_superpixels):
        share = 1 / counts[p] if counts[p] > 0 else 0.0
        for c in range(5):
            centers[p, c] = centers[p, c] * share if share > 0 else 1e100
    return centers


@compiled
def assign_pixels(lab, centers, grid_rows, grid_columns, n_rows, n_columns, unit):
    """Return the nearest superpixel of each pixel among the squares around it."""
    labels = np.empty((len(grid_rows), len(grid_columns)), dtype=np.int64)
    for i in range(len(grid_rows)):
        top, bottom = max(grid_rows[i] - 1, 0), min(grid_rows[i] + 2, n_rows)
        for j in range(len(grid_columns)):
            left = max(grid_columns[j] - 1, 0)
            right = min(grid_columns[j] + 2, n_columns)
            nearest, least = -1, np.inf
            for row in range(top, bottom):
                for column in range(left, right):
                    center = centers[row * n_columns + column]
                    distance = (center[3] - unit * i) ** 2 + (center[4] - unit * j) ** 2
                    for c in range(3):
                        distance += (center[c] - lab[i, j, c]) ** 2
                    if distance < least:
                        nearest, least = row * n_columns + column, distance
            labels[i, j] = nearest
    return labels
