"""The samples that a search works on."""

from typing import NamedTuple

import numpy as np

from maxmargin.kernels.distinct import group_equal_rows

# With landmarks, a search takes at most this many samples, drawn at random.
SEARCH_SAMPLES = 4000


class Sample(NamedTuple):
    """Distinct samples, what each weighs, and how they stand for the others."""

    indices: np.ndarray  # (m,), positions among all samples
    weights: np.ndarray  # (m,), the total weight of the samples equal to it
    inverse: np.ndarray  # (n,), position in ``indices`` of each sample, -1 if left out
    complete: bool  # whether every sample that has weight takes part


def draw_part(sample: Sample, limit: int, random: np.random.RandomState) -> Sample:
    """Draw at most ``limit`` of the distinct samples."""
    if len(sample.indices) <= limit:
        return sample
    kept = np.sort(random.choice(len(sample.indices), limit, replace=False))
    position = np.full(len(sample.indices) + 1, -1)  # the last one for -1 itself
    position[kept] = np.arange(limit)
    return Sample(
        sample.indices[kept], sample.weights[kept], position[sample.inverse], False
    )


def draw_sample(
    X,
    weights: np.ndarray,
    *,
    merge: bool,
    limit: int | None,
    random: np.random.RandomState,
) -> Sample:
    """Draw at most ``limit`` of the samples that have weight and merge equal ones.

    Equal samples then get equal labels, cost nothing, and cannot make a kernel matrix
    singular. They come in an order that depends on their values alone: a fit on them
    does not depend on the order of the rows, and a sample of weight 3 is the same as
    three equal samples. Rows of a precomputed kernel are not to be merged.
    """
    rows = np.flatnonzero(weights > 0)
    complete = limit is None or len(rows) <= limit
    if not complete:
        rows = np.sort(random.choice(rows, limit, replace=False))
    if merge:
        first, groups = group_equal_rows(X[rows])
    else:
        first = groups = np.arange(len(rows))
    if len(first) == 1:
        raise ValueError(
            "All samples are equal: there is nothing to cluster. Remove duplicates "
            "or check how the features were made."
        )
    inverse = np.full(len(weights), -1)
    inverse[rows] = groups
    totals = np.bincount(groups, weights=weights[rows], minlength=len(first))
    return Sample(rows[first], totals, inverse, complete)
