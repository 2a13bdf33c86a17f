"""The other half of a symmetric matrix."""

import numpy as np


def mirror_upper(values: np.ndarray, block: int = 512) -> None:
    """Copy the upper half of a matrix onto the lower one, block by block, in place."""
    for start in range(0, len(values), block):
        rows = slice(start, start + block)
        corner = values[rows, rows]
        corner[:] = np.triu(corner) + np.triu(corner, 1).T
        values[start + block :, rows] = values[rows, start + block :].T
