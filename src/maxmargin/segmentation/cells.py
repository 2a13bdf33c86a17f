"""Pixels that are treated as one: of equal colour, or of one superpixel."""

from typing import Any, NamedTuple

import numpy as np

from maxmargin.segmentation.features import check_image, lab_colours, pixel_features
from maxmargin.segmentation.superpixels import find_superpixels


class Cells(NamedTuple):
    """What is clustered in place of the pixels."""

    features: np.ndarray  # (n_cells, d), the means of their pixels
    weights: np.ndarray  # (n_cells,), numbers of pixels
    inverse: np.ndarray  # (height, width), the cell of each pixel


def make_cells(image: Any, names: tuple[str, ...], n_cells: int) -> Cells:
    """Return the cells of an image and their features, at most about ``n_cells``.

    Where colour is all that counts, pixels of equal colour make a cell: a photo costs
    its distinct colours and not its pixels. Where there are more, the lowest bit of
    each channel is left out of sight until there are few enough. Else cells are
    superpixels. A cell has the mean features of its pixels.
    """
    rgb = check_image(image)
    by_colour = set(names) <= {"rgb", "lab"}
    lab = None if by_colour else lab_colours(rgb)
    if lab is None:
        inverse = merge_colours(rgb, n_cells)
    else:
        inverse = find_superpixels(lab, n_cells)
    flat = inverse.ravel()
    weights = np.bincount(flat).astype(np.float64)
    if by_colour:  # the features of the mean colour, not of every pixel
        colours = _cell_means(rgb, flat, weights)[:, None]
        features = pixel_features(colours, names)[:, 0]
    else:
        features = _cell_means(pixel_features(rgb, names, lab), flat, weights)
    return Cells(features, weights, inverse)


def merge_colours(rgb: np.ndarray, limit: int) -> np.ndarray:
    """Return the number of each pixel's colour, of at most ``limit`` different ones.

    Colours have eight bits in each channel, and fewer where that makes too many.
    """
    levels = np.rint(255 * rgb).astype(np.int64)
    for dropped in range(8):
        kept = levels >> dropped
        codes = (kept[..., 0] << 16) | (kept[..., 1] << 8) | kept[..., 2]
        seen = np.zeros(1 << 24, dtype=bool)
        seen[codes] = True
        colours = np.flatnonzero(seen)
        if len(colours) <= limit:
            break
    return np.searchsorted(colours, codes)


def _cell_means(
    pixels: np.ndarray, flat: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    columns = pixels.reshape(len(flat), -1).T
    n_cells = len(weights)
    return np.stack([np.bincount(flat, c, n_cells) / weights for c in columns], axis=1)
