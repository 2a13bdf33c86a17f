"""Clusters in few features, taken beyond a local optimum by relocation.

Where features are few, a pass over the samples (`search.features`) costs next to
nothing, and many can be made.
"""

from collections.abc import Iterator
from itertools import chain

import numpy as np
from scipy.linalg import qr
from sklearn.cluster import AgglomerativeClustering, kmeans_plusplus

from maxmargin.search.features import (
    Problem,
    Solution,
    make_passes,
    move_single_samples,
    nearest_center,
    shares_of,
    solution_of,
    sum_rows,
    within_limits,
)
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.objective import MEANS, Objective
from maxmargin.search.state import OnIteration, SearchResult

# Without a given number, random starts go on until the best objective was reached this
# often, by fixed and random starts. There are at most MAX_RANDOM of them, and fewer, at
# least two, if samples x features x clusters is above START_COST.
N_HITS = 4
MAX_RANDOM = 20
START_COST = 3e6
SAME = 1e-9  # relative difference of two objectives that are the same
# Relocations tried in a round: at least, and as many as clusters, if the passes of a
# round, samples x clusters x features each, cost less than MAX_COST.
N_TRIALS = 10
MAX_COST = 1e8
TRIAL_PASSES = 3  # passes after which a relocation must have improved the objective
# Of more samples a part is searched: its best centres are close to those of all.
PART_SIZE = 10_000
WARD_SIZE = 1500  # samples that Ward's method takes


def relocate_centers(
    features: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    random: np.random.RandomState,
    *,
    objective: Objective = MEANS,
    limits: np.ndarray | None = None,
    init: np.ndarray | None = None,
    n_random: int | None = None,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Return the best labels found.

    A typical error of a local optimum is one cluster split in two and two others
    merged. So one cluster is relocated: the samples of a cluster ``h`` go to the next
    best ones, and those of another cluster ``g`` are split in two [1]_. The pairs
    ``(h, g)`` with the largest estimated gain are tried, and the first one that
    improves the objective is kept, until none does.

    The search begins at the clusters of Ward's method and at the samples that a
    pivoted QR decomposition picks [2]_, neither of which is random, or at given labels,
    and at some random centres. If the sizes are limited and the best labels without
    limits do not meet them, the search goes on from there within the limits, also from
    those that were the best before: more random starts never lower the objective.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    n_clusters : int
    random : RandomState
    objective : Objective, default=MEANS
    limits : ndarray of shape (2, n_clusters), default=None
        The smallest and the largest size of each cluster.
    init : ndarray of shape (n_samples,), default=None
        Labels to start from, in place of the two fixed starts.
    n_random : int, default=None
        Number of random starts. By default they go on until the best objective was
        reached four times, up to twenty; with ``init`` there are none.
    on_iteration : callable, default=None
        Called after each start, and after each relocation of a single one.

    References
    ----------
    .. [1] B. Fritzke. The k-means-u* algorithm: non-local jumps and greedy retries
       improve k-means++ clustering. arXiv:1706.09059, 2017.
    .. [2] A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way spectral
       clustering. Information and Inference 8(1), 2019. doi:10.1093/imaiai/iay008
    """
    whole = Problem(features, weights, n_clusters, objective, limits)
    if len(features) <= n_clusters:
        labels = np.arange(len(features)) if init is None else init
        value = solution_of(whole, labels).value
        return SearchResult(labels, value, (value,), 0, True)
    step = -(-len(features) // PART_SIZE)
    part = whole.part(step)
    best = _best_starts(part, random, init, step, n_random, on_iteration)
    rounds = best[-1]
    if not within_limits(rounds[-1], part.limits):
        limited = [relocate(part, one[-1].labels, on_iteration) for one in best]
        rounds = max(limited, key=_last_value)
    n_moves = int(np.sum(rounds[-1].labels != rounds[0].labels))
    if step > 1:
        rounds = _pass_over_all(whole, part, rounds[-1])
    history = [one.value for one in rounds]
    history.append(history[-1])  # the last round, without improvement
    labels = rounds[-1].labels
    return SearchResult(labels, history[-1], tuple(history), n_moves, True)


def _best_starts(
    problem: Problem,
    random: np.random.RandomState,
    init: np.ndarray | None,
    step: int,
    n_random: int | None,
    on_iteration: OnIteration | None,
) -> list[list[Solution]]:
    """Return the rounds of the starts that were better than all before them.

    Size limits do not count here.
    """
    free = problem._replace(limits=None)
    stops = n_random is None and init is None
    if n_random is None:
        n_random = _most_starts(problem) if init is None else 0
    single = init is not None and n_random == 0
    first = fixed_starts(problem) if init is None else iter([init[::step]])
    best: list[list[Solution]] = []
    hits = 0
    starts = chain(first, random_starts(problem, n_random, random))
    for number, start in enumerate(starts, 1):
        rounds = relocate(free, start, on_iteration if single else None)
        value = rounds[-1].value
        if on_iteration is not None and not single:
            on_iteration(number, value, "start")
        known = best[-1][-1].value if best else -np.inf
        if value > known + SAME * abs(value):
            best.append(rounds)
            hits = 0
        hits += value >= known - SAME * abs(value)
        if stops and hits >= N_HITS:
            break
    return best


def _most_starts(problem: Problem) -> int:
    """Return the largest number of random starts for a problem of this size."""
    cost = problem.features.size * problem.n_clusters
    return max(2, min(MAX_RANDOM, int(MAX_RANDOM * START_COST / cost)))


def _last_value(rounds: list[Solution]) -> float:
    return rounds[-1].value


def fixed_starts(problem: Problem) -> Iterator[np.ndarray]:
    """Yield the labels by Ward's method and by a pivoted QR decomposition."""
    features, weights, k = problem.features, problem.weights, problem.n_clusters
    step = -(-len(features) // WARD_SIZE)
    rows, masses = features[::step], weights[::step]
    if len(rows) > k:
        labels = AgglomerativeClustering(k).fit_predict(rows)
        sums, sizes = sum_rows(rows, masses, labels, k)
        yield nearest_center(features, sums / np.maximum(sizes, 1e-300)[:, None])
    # Rows may have equal lengths: then their order decides, not rounding errors.
    falling = np.linspace(1.0, 1.0 - 1e-6, len(features))
    pivots = qr(features.T * falling, mode="r", pivoting=True)[1]
    yield nearest_center(features, features[pivots[:k]])


def random_starts(
    problem: Problem, number: int, random: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield the labels by the nearest of random centres far from each other."""
    for _ in range(number):
        centers, _ = kmeans_plusplus(
            problem.features,
            problem.n_clusters,
            sample_weight=problem.weights,
            random_state=random,
        )
        yield nearest_center(problem.features, centers)


def relocate(
    problem: Problem, start: np.ndarray, on_iteration: OnIteration | None = None
) -> list[Solution]:
    """Return the solutions after passes from a start, and after each relocation."""
    rounds = [make_passes(problem, start)]
    while (found := _best_relocation(problem, rounds[-1])) is not None:
        rounds.append(found)
        if on_iteration is not None:
            on_iteration(len(rounds) - 1, found.value)
    polished = move_single_samples(problem, rounds[-1])
    if polished.value > rounds[-1].value:
        rounds.append(polished)
        if on_iteration is not None:
            on_iteration(len(rounds) - 1, polished.value)
    return rounds


def _best_relocation(problem: Problem, before: Solution) -> Solution | None:
    """Return a better solution in which one cluster is relocated, or None.

    Without cluster ``h`` its samples lose the difference between their two largest
    slopes; if the samples of ``g`` become two clusters, the objective gains what the
    shares of these have more than that of ``g``.
    """
    k = problem.n_clusters
    if k == 1:
        return None
    slopes = before.slopes(problem)
    rows, labels = np.arange(len(slopes)), before.labels
    own = slopes[rows, labels].copy()
    slopes[rows, labels] = -np.inf
    second = slopes.argmax(axis=1)
    losses = np.bincount(labels, problem.weights * (own - slopes[rows, second]), k)
    halves, gains = _split_clusters(problem, before)
    estimates = gains[None, :] - losses[:, None]
    np.fill_diagonal(estimates, -np.inf)
    cost = problem.features.size * k
    n_trials = max(2, min(max(N_TRIALS, k), int(MAX_COST / cost)))
    order = np.argsort(-estimates, axis=None, kind="stable")[:n_trials]
    for removed, split in zip(*np.unravel_index(order, estimates.shape), strict=True):
        if not np.isfinite(estimates[removed, split]):
            break
        trial = np.where(labels == removed, second, labels)
        trial[halves[split]] = removed
        tried = make_passes(problem, trial, TRIAL_PASSES)
        if tried.value > before.value * (1 + 1e-9):
            return make_passes(problem, tried.labels)
    return None


def _split_clusters(
    problem: Problem, found: Solution
) -> tuple[list[np.ndarray], np.ndarray]:
    """Return the positions of one half of each cluster, and the gains of the splits.

    The gain is minus infinity for a cluster that cannot be split.
    """
    k = problem.n_clusters
    halves, gains = [], np.full(k, -np.inf)
    shares = shares_of(problem, found.sums, found.sizes)
    order = np.argsort(found.labels, kind="stable")
    bounds = np.searchsorted(found.labels[order], np.arange(k + 1))
    for g in range(k):
        own = order[bounds[g] : bounds[g + 1]]
        features, weights = problem.features[own], problem.weights[own]
        upper = _upper_half(features, weights)
        halves.append(own[upper])
        if 0 < upper.sum() < len(own):
            half, mass = weights[upper] @ features[upper], weights[upper].sum()
            sums = np.stack([half, found.sums[g] - half])
            sizes = np.array([mass, found.sizes[g] - mass])
            gains[g] = shares_of(problem, sums, sizes).sum() - shares[g]
    return halves, gains


def _upper_half(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return a mask of one of two parts of some samples, none or all if there is one.

    2-means begins with the halves on either side of the mean, along the direction of
    the largest variance.
    """
    none = np.zeros(len(features), dtype=bool)
    total = weights.sum()
    if len(features) < 2 or total == 0.0:
        return none
    centered = features - weights @ features / total
    direction = centered[np.einsum("nm,nm->n", centered, centered).argmax()]
    for _ in range(5):  # power iteration
        direction = centered.T @ (weights * (centered @ direction))
        direction = direction / max(np.linalg.norm(direction), np.finfo(float).tiny)
    upper = centered @ direction > 0.0
    for _ in range(4):
        mass = weights[upper].sum()
        if mass == 0.0 or mass == total:
            return none
        center = weights[upper] @ centered[upper] / mass
        other = -mass / (total - mass) * center
        middle = (center @ center - other @ other) / 2
        upper = centered @ (center - other) > middle
    return upper


def _pass_over_all(whole: Problem, part: Problem, found: Solution) -> list[Solution]:
    """Return the solution of all samples that those of a part lead to.

    All samples are labelled by the decision values of the part.
    """
    slopes = found.slopes(part._replace(features=whole.features))
    if whole.limits is None:
        labels = slopes.argmax(axis=1)
    else:
        labels = assign_within_limits(slopes, whole.weights, whole.limits)
    return [solution_of(whole, labels), make_passes(whole, labels)]
