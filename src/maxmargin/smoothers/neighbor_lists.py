"""Lists of the nearest neighbours found so far, and the distances that fill them."""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled, compiled_sum


class Lists(NamedTuple):
    """The nearest neighbours found so far, the nearest first."""

    distances: np.ndarray  # (n, k), squared
    positions: np.ndarray  # (n, k), -1 for none
    new: np.ndarray  # (n, k), whether the entry is of the last round


def empty_lists(n_samples: int, length: int) -> Lists:
    """Return lists without neighbours."""
    shape = (n_samples, length)
    return Lists(
        np.full(shape, np.inf, np.float32),
        np.full(shape, -1, np.int32),
        np.ones(shape, np.bool_),
    )


@compiled
def insert(distances, positions, new, i, j, distance):
    """Insert j, which is not in the list of i, if it is near; return 1 if it is."""
    q = positions.shape[1] - 1
    distance = max(distance, np.float32(0.0))
    if distance >= distances[i, q]:
        return 0
    while q > 0 and distances[i, q - 1] > distance:
        distances[i, q] = distances[i, q - 1]
        positions[i, q] = positions[i, q - 1]
        new[i, q] = new[i, q - 1]
        q -= 1
    distances[i, q], positions[i, q], new[i, q] = distance, j, True
    return 1


@compiled_sum
def sum_squares(left, i, right, j):
    """Return the squared distance of row i to row j."""
    total = np.float32(0.0)
    for q in range(left.shape[1]):
        step = left[i, q] - right[j, q]
        total += step * step
    return total


@compiled_sum
def inner_product(left, i, right, j):
    """Return the inner product of row i with row j."""
    total = np.float32(0.0)
    for q in range(left.shape[1]):
        total += left[i, q] * right[j, q]
    return total
