"""Search by steps on small local subsets of the samples, with caches of their own.

Section 5 of Pahikkala et al. (2014) proposes it for many samples: a step of the search
on all of them costs O(n), and O(n) steps are needed. With a smoother of low rank,
``S = Z Z'`` with rows ``z_i`` of m features, the objective depends on the samples
through the sums ``s_h`` of the rows of each cluster and the sizes alone. For a subset B
the caches of a state (`search.state`) are

    S_BB = Z_B Z_B',   (S z_h)_B = Z_B s_h,   z_h' S z_h = |s_h|^2,

so that moves of its samples are evaluated exactly, while all others stay. A move costs
O(b) for b samples of a subset, and building the caches O(b^2 m). The subsets of a pass
are the leaves of a tree of splits along random directions, and the next pass has
another tree: samples at the edge of a subset are inside one of the next. With a fixed b
a pass takes O(n m (b + log n)) time and O(n m) memory, linear in n.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.cluster import kmeans_plusplus

from maxmargin.search.balance import Balance
from maxmargin.search.descent import gain_tolerance, repair_moves, sweep_moves
from maxmargin.search.features import nearest_center, sum_rows
from maxmargin.search.objective import total_share
from maxmargin.search.state import OnIteration, SearchResult, State

SUBSET = 200  # samples of a subset, at most
TOLERANCE = 1e-4  # relative gain of the objective below which passes end, as others do
N_DIRECTIONS = 16  # random directions along which samples are compared


def local_subsets(
    rows: np.ndarray, size: int, random: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield subsets of at most ``size`` samples that are close to each other.

    Samples are projected on a few random directions. A set is split at the median along
    the line through two of its samples, drawn at random.
    """
    if rows.shape[1] > N_DIRECTIONS:
        rows = rows @ random.randn(rows.shape[1], N_DIRECTIONS)
    parts = [np.arange(len(rows))]
    while parts:
        part = parts.pop()
        if len(part) <= size:
            yield part
            continue
        first, second = random.choice(part, 2, replace=False)
        values = rows[part] @ (rows[first] - rows[second])
        middle = len(part) // 2
        order = np.argpartition(values, middle)
        parts += [part[order[:middle]], part[order[middle:]]]


def subset_state(
    rows: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    subset: np.ndarray,
    sums: np.ndarray,
    sizes: np.ndarray,
    balance: Balance,
) -> State:
    """Build the caches of a subset; ``sums`` (k x m) and ``sizes`` are of all."""
    own = rows[subset]
    return State(
        own @ own.T,
        weights[subset],
        balance.limits,
        balance.objective,
        labels[subset],
        np.ascontiguousarray((own @ sums.T).T),
        np.einsum("hm,hm->h", sums, sums),
        sizes,
    )


def local_search(
    features: np.ndarray,  # (n, m), those of the smoother, S = W Phi Phi' W
    weights: np.ndarray,
    labels: np.ndarray,
    balance: Balance,
    random: np.random.RandomState,
    *,
    subset_size: int = SUBSET,
    tolerance: float = TOLERANCE,
    max_iter: int = 1000,  # passes
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Search from the given labels by passes over local subsets."""
    labels = labels.astype(np.int64)
    rows = features * weights[:, None]
    n_clusters = len(balance.targets)
    sums, sizes = sum_rows(features, weights, labels, n_clusters)
    history = [_objective_of(sums, sizes, balance)]
    n_moves, done = 0, False
    while not done and len(history) <= max_iter:
        for subset in local_subsets(rows, subset_size, random):
            state = subset_state(rows, weights, labels, subset, sums, sizes, balance)
            n_moves += _search_subset(state)
            for j in np.flatnonzero(state.labels != labels[subset]):
                sums[labels[subset[j]]] -= rows[subset[j]]
                sums[state.labels[j]] += rows[subset[j]]
            labels[subset] = state.labels
        # Summed anew, so that rounding errors do not add up.
        sums, sizes = sum_rows(features, weights, labels, n_clusters)
        history.append(_objective_of(sums, sizes, balance))
        done = history[-1] <= history[-2] * (1 + tolerance)
        if on_iteration is not None:
            on_iteration(len(history) - 1, history[-1])
    return SearchResult(labels, history[-1], tuple(history), n_moves, done)


def _search_subset(state: State) -> int:
    """Move single samples until no move gains; return the number of moves.

    ``state.sizes`` are those of all samples, and change in place.
    """
    n_moves = max(repair_moves(state), 0)
    order, tolerance = np.arange(len(state.labels)), gain_tolerance(state)
    while moved := sweep_moves(state, order, tolerance):
        n_moves += moved
    return n_moves


def _objective_of(sums: np.ndarray, sizes: np.ndarray, balance: Balance) -> float:
    within = np.einsum("hm,hm->h", sums, sums)
    return float(total_share(within, sizes, balance.objective))


def seed_by_features(
    features: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return the labels by the nearest of k-means++ seeds among the features."""
    centers, _ = kmeans_plusplus(
        features, n_clusters, sample_weight=weights, random_state=random
    )
    return nearest_center(features, centers)
