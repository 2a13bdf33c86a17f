"""The samples that a search works on."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.random import sample_without_replacement

from maxmargin.kernels.distinct import group_equal_rows
from maxmargin.kernels.memory import format_bytes

# A search takes at most this many samples, drawn at random.
SEARCH_SAMPLES = 4000
# On a graph, which is sparse, a tenth of all samples may be searched, in parts of that
# size, but no more than this many.
GRAPH_SAMPLES = 20_000
FEWEST_SAMPLES = 500  # with less, memory is too short for a search


class SearchPlan(NamedTuple):
    """How many searches there are, each on its own part, and how large a part is."""

    n_parts: int
    size: int


def plan_search(
    n_samples: int, n_features: int, sparse: bool, memory: float
) -> SearchPlan:
    """Return the plan for a number of samples.

    ``sparse`` tells whether a search needs a graph alone, with features of its nodes,
    or a matrix of all pairs, kept three times over.
    """
    total = SEARCH_SAMPLES
    fitting = np.sqrt(memory / (3 * 8))
    if sparse:
        total = min(max(n_samples // 10, SEARCH_SAMPLES), GRAPH_SAMPLES)
        fitting = memory / 4 / (8 * n_features + 2000)
    n_parts = total // SEARCH_SAMPLES
    size = total // n_parts
    if fitting < min(n_samples, size, FEWEST_SAMPLES):
        raise ValueError(
            f"memory_limit={format_bytes(memory)} holds {int(fitting)} samples for the "
            f"search, and it takes {FEWEST_SAMPLES}: raise memory_limit."
        )
    return SearchPlan(n_parts, min(size, int(fitting)))


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
    first: np.ndarray | None = None,
) -> Sample:
    """Draw at most ``limit`` of the samples that have weight and merge equal ones.

    Equal samples then get equal labels, cost nothing, and cannot make a kernel matrix
    singular. They come in an order that depends on their values alone: a fit on them
    does not depend on the order of the rows, and a sample of weight 3 is the same as
    three equal samples. Rows of a precomputed kernel are not to be merged. Samples that
    are ``True`` in ``first`` are drawn before any other.
    """
    n_weighted = int(np.count_nonzero(weights))
    limit = n_weighted if limit is None else limit
    complete = n_weighted <= limit
    rows = draw_rows(weights, limit, random, first)
    if merge:
        kept, groups = group_equal_rows(X[rows])
    else:
        kept = groups = np.arange(len(rows))
    if len(kept) == 1:
        raise ValueError(
            "All samples are equal: there is nothing to cluster. Remove duplicates "
            "or check how the features were made."
        )
    inverse = np.full(len(weights), -1, dtype=np.int32)
    inverse[rows] = groups
    totals = np.bincount(groups, weights=weights[rows], minlength=len(kept))
    return Sample(rows[kept], totals, inverse, complete)


def draw_rows(
    weights: np.ndarray,
    limit: int,
    random: np.random.RandomState,
    first: np.ndarray | None = None,
) -> np.ndarray:
    """Draw at most ``limit`` rows that have weight, marked ones first, in order."""
    rows = np.flatnonzero(weights)
    if len(rows) <= limit:
        return rows
    if first is None or not first[rows].any():
        return _draw(rows, limit, random)
    marked, others = rows[first[rows]], rows[~first[rows]]
    if len(marked) > limit:
        return _draw(marked, limit, random)
    more = _draw(others, limit - len(marked), random)
    return np.sort(np.concatenate([marked, more]))


def _draw(rows: np.ndarray, number: int, random: np.random.RandomState) -> np.ndarray:
    return rows[draw_positions(len(rows), number, random)]


def draw_positions(n: int, limit: int, random: np.random.RandomState) -> np.ndarray:
    """Draw at most ``limit`` of n positions, in order, with no array of length n."""
    if n <= limit:
        return np.arange(n)
    return np.sort(sample_without_replacement(n, limit, random_state=random))
