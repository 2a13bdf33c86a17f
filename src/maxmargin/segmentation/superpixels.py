"""Superpixels: small patches of like colour that stand for their pixels."""

import numpy as np

from maxmargin.compiled import compiled

COMPACTNESS = 10.0  # a difference in colour that counts as much as one patch in place
N_PASSES = 8


def find_superpixels(lab: np.ndarray, n_superpixels: int) -> np.ndarray:
    r"""Return the patch of each pixel of an image in L*a*b*, counted from 0.

    Patches start as the cells of a square grid of spacing S. Passes then give each
    pixel to the nearest among the patches of the 3 x 3 cells around it, in the distance

    .. math:: \|c - c_p\|^2 + (10 / S)^2 \|x - x_p\|^2

    of colour and place, and move the patches to the means of their pixels: k-means
    that never looks further than two cells, as in [1]_. A patch that loses all its
    pixels is left out.

    References
    ----------
    .. [1] R. Achanta, A. Shaji, K. Smith, A. Lucchi, P. Fua, S. Susstrunk. SLIC
       superpixels compared to state-of-the-art superpixel methods. IEEE Transactions on
       Pattern Analysis and Machine Intelligence 34(11), 2012.
       doi:10.1109/TPAMI.2012.120
    """
    height, width = lab.shape[:2]
    spacing = max(np.sqrt(height * width / n_superpixels), 1.0)
    n_rows = max(round(height / spacing), 1)
    n_columns = max(round(width / spacing), 1)
    row_cells = np.arange(height) * n_rows // height
    column_cells = np.arange(width) * n_columns // width
    labels = row_cells[:, None] * n_columns + column_cells
    pace = COMPACTNESS / spacing
    for _ in range(N_PASSES):
        before = labels
        centers = _centers(lab, labels, n_rows * n_columns, pace)
        labels = _assign(lab, centers, row_cells, column_cells, n_rows, n_columns, pace)
        if np.array_equal(labels, before):
            break
    return np.unique(labels, return_inverse=True)[1].reshape(height, width)


@compiled
def _centers(lab, labels, n_patches, pace):
    """Return the mean colour of each patch and its mean place times ``pace``."""
    centers = np.zeros((n_patches, 5))
    counts = np.zeros(n_patches)
    for i in range(labels.shape[0]):
        for j in range(labels.shape[1]):
            patch = labels[i, j]
            for c in range(3):
                centers[patch, c] += lab[i, j, c]
            centers[patch, 3] += pace * i
            centers[patch, 4] += pace * j
            counts[patch] += 1
    for patch in range(n_patches):
        # An empty patch is out of reach.
        scale = 1 / counts[patch] if counts[patch] > 0 else 0.0
        for c in range(5):
            centers[patch, c] = centers[patch, c] * scale if scale > 0 else 1e100
    return centers


@compiled
def _assign(lab, centers, row_cells, column_cells, n_rows, n_columns, pace):
    """Return the nearest patch of each pixel among those of the cells around it."""
    labels = np.empty((len(row_cells), len(column_cells)), dtype=np.int64)
    for i in range(len(row_cells)):
        top, bottom = max(row_cells[i] - 1, 0), min(row_cells[i] + 2, n_rows)
        for j in range(len(column_cells)):
            left = max(column_cells[j] - 1, 0)
            right = min(column_cells[j] + 2, n_columns)
            nearest, least = -1, np.inf
            for row in range(top, bottom):
                for column in range(left, right):
                    center = centers[row * n_columns + column]
                    distance = (center[3] - pace * i) ** 2 + (center[4] - pace * j) ** 2
                    for c in range(3):
                        distance += (center[c] - lab[i, j, c]) ** 2
                    if distance < least:
                        nearest, least = row * n_columns + column, distance
            labels[i, j] = nearest
    return labels
