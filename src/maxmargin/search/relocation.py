"""k-means in few dimensions, taken beyond a local optimum by relocating centres.

On a smoother of low rank, ``S = W Phi Phi' W``, the objective with power 1 is that of
k-means on the rows of ``Phi``: ``sum_h z_h' S z_h / n_h = sum_h n_h |c_h|^2`` with the
weighted means ``c_h``. Where ``Phi`` has few columns, a pass costs next to nothing, and
many can be made.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr
from sklearn.cluster import AgglomerativeClustering, KMeans, kmeans_plusplus

from maxmargin.compiled import compiled
from maxmargin.search.state import OnIteration, SearchResult

N_RANDOM = 2  # random starts besides the two fixed ones
# A random start must have a loss smaller by this share to be preferred to the fixed
# ones: of optima that are nearly as good, every seed takes the same.
CLEARLY_BETTER = 0.01
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
    n_random: int = N_RANDOM,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Return the labels of the best centres found.

    A typical error of a local optimum of k-means is one cluster split in two and two
    others merged. So one centre is relocated: the samples of a centre ``h`` go to the
    next nearest one, and those of another centre ``g`` are split in two [1]_. The
    pairs ``(h, g)`` with the largest estimated gain are tried, and the first one that
    improves the objective is kept, until none does.

    The search begins at the clusters of Ward's method and at the samples that a
    pivoted QR decomposition picks [2]_, neither of which is random, and at some random
    centres.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    n_clusters : int
    random : RandomState
    n_random : int
        Number of random starts.
    max_iter : int
        Maximum number of passes of a k-means run.
    on_iteration : callable, default=None
        Called after each relocation.

    References
    ----------
    .. [1] B. Fritzke. The k-means-u* algorithm: non-local jumps and greedy retries
       improve k-means++ clustering. arXiv:1706.09059, 2017.
    .. [2] A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way spectral
       clustering. Information and Inference 8(1), 2019. doi:10.1093/imaiai/iay008
    """
    if len(features) <= n_clusters:
        return _one_sample_each(features, weights)
    step = -(-len(features) // PART_SIZE)
    part = _Problem(features[::step], weights[::step], max_iter)
    starts = _fixed_starts(part, n_clusters)
    fixed = [_relocate(part, start, on_iteration) for start in starts]
    rounds = max(fixed, key=_last_value)
    for start in _random_starts(part, n_clusters, n_random, random):
        found = _relocate(part, start, on_iteration)
        if part.loss(found[-1]) < (1 - CLEARLY_BETTER) * part.loss(rounds[-1]):
            rounds = found
    first = rounds[0].centers
    if step > 1:
        rounds = _pass_over_all(features, weights, rounds[-1].centers, max_iter)
    history = [one.value for one in rounds]
    history.append(history[-1])  # the last round, without improvement
    labels = distances_to_centers(features, rounds[-1].centers).argmin(axis=1)
    at_start = distances_to_centers(features, first).argmin(axis=1)
    n_moves = int(np.sum(labels != at_start))
    return SearchResult(labels, history[-1], tuple(history), n_moves, True)


class _Centers(NamedTuple):
    """Centres, and ``sum_h n_h |c_h|^2``."""

    centers: np.ndarray
    value: float


class _Problem(NamedTuple):
    """The samples of a k-means problem."""

    features: np.ndarray
    weights: np.ndarray
    max_iter: int

    def loss(self, found: _Centers) -> float:
        """Return the sum of the squared distances to the centres."""
        squares = np.einsum("nm,nm->n", self.features, self.features)
        return float(self.weights @ squares) - found.value


def _last_value(rounds: list[_Centers]) -> float:
    return rounds[-1].value


def _fixed_starts(problem: _Problem, n_clusters: int) -> Iterator[np.ndarray]:
    """Yield the centres of Ward's method and those of a pivoted QR decomposition."""
    features, weights = problem.features, problem.weights
    step = -(-len(features) // WARD_SIZE)
    rows, masses = features[::step], weights[::step]
    if len(rows) > n_clusters:
        labels = AgglomerativeClustering(n_clusters).fit_predict(rows)
        yield _means(rows, masses, labels, n_clusters)[0]
    # Rows may have equal lengths: then their order decides, not rounding errors.
    falling = np.linspace(1.0, 1.0 - 1e-6, len(features))
    pivots = qr(features.T * falling, mode="r", pivoting=True)[1]
    yield features[pivots[:n_clusters]]


def _random_starts(
    problem: _Problem, n_clusters: int, number: int, random: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield random centres that are far from each other."""
    for _ in range(number):
        centers, _ = kmeans_plusplus(
            problem.features,
            n_clusters,
            sample_weight=problem.weights,
            random_state=random,
        )
        yield centers


def _relocate(
    problem: _Problem, start: np.ndarray, on_iteration: OnIteration | None
) -> list[_Centers]:
    """Return the centres of a k-means run and after each successful relocation."""
    rounds = [_lloyd(problem.features, problem.weights, start, problem.max_iter)]
    while (found := _best_relocation(problem, rounds[-1])) is not None:
        rounds.append(found)
        if on_iteration is not None:
            on_iteration(len(rounds) - 1, found.value)
    return rounds


def _best_relocation(problem: _Problem, before: _Centers) -> _Centers | None:
    """Return better centres of which one is relocated, or None.

    Without centre ``h`` its samples lose the difference between the squared distances
    to the two nearest centres; if the samples of ``g`` get two centres, they gain the
    squared distance between these and their mean.
    """
    features, weights, max_iter = problem
    n_clusters = len(before.centers)
    distances = distances_to_centers(features, before.centers)
    labels = distances.argmin(axis=1)
    if n_clusters == 1:
        return None
    nearest = np.partition(distances, 1, axis=1)
    losses = np.bincount(labels, weights * (nearest[:, 1] - nearest[:, 0]), n_clusters)
    members = [np.flatnonzero(labels == h) for h in range(n_clusters)]
    halves = [_split(features[own], weights[own]) for own in members]
    estimates = np.array([gain for _, gain in halves])[None, :] - losses[:, None]
    np.fill_diagonal(estimates, -np.inf)
    n_trials = max(N_TRIALS, n_clusters)
    n_trials = max(2, min(n_trials, int(MAX_COST / (features.size * n_clusters))))
    order = np.argsort(-estimates, axis=None, kind="stable")[:n_trials]
    for removed, split in zip(*np.unravel_index(order, estimates.shape), strict=True):
        if not np.isfinite(estimates[removed, split]):
            break
        trial = before.centers.copy()
        trial[[removed, split]] = halves[split][0]
        tried = _lloyd(features, weights, trial, TRIAL_PASSES)
        if tried.value > before.value * (1 + 1e-9):
            return _lloyd(features, weights, tried.centers, max_iter)
    return None


def _split(features: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Return two centres of some samples, and the gain of the objective.

    2-means begins with the halves on either side of the mean, along the direction of
    the largest variance. The gain is minus infinity if all samples are equal.
    """
    none = np.empty((0, 0)), -np.inf
    total = weights.sum()
    if len(features) < 2 or total == 0.0:
        return none
    mean = weights @ features / total
    centered = features - mean
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
    gain = mass * center @ center + (total - mass) * other @ other
    return np.stack([mean + center, mean + other]), float(gain)


def _pass_over_all(
    features: np.ndarray, weights: np.ndarray, centers: np.ndarray, max_iter: int
) -> list[_Centers]:
    """Return centres of a part of the samples, and those of a k-means run from them."""
    before = _lloyd(features, weights, centers, 1)
    model = KMeans(len(centers), init=before.centers, n_init=1, max_iter=max_iter)
    model.fit(features, sample_weight=weights)
    return [before, _lloyd(features, weights, model.cluster_centers_, 1)]


def _one_sample_each(features: np.ndarray, weights: np.ndarray) -> SearchResult:
    """Return the labelling with each sample in its own cluster."""
    value = float(weights @ np.einsum("nm,nm->n", features, features))
    return SearchResult(np.arange(len(features)), value, (value,), 0, True)


def distances_to_centers(features: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return squared distances to the centres, up to a constant of each sample."""
    norms = np.einsum("hm,hm->h", centers, centers)
    result: np.ndarray = norms - 2.0 * features @ centers.T
    return result


def _means(
    features: np.ndarray, weights: np.ndarray, labels: np.ndarray, n_clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weighted means of clusters (zero if empty) and their weights."""
    sums, sizes = sum_rows(features, weights, labels, n_clusters)
    return sums / np.where(sizes > 0, sizes, 1.0)[:, None], sizes


@compiled
def sum_rows(features, weights, labels, n_clusters):
    """Return the weighted sums of the rows of each cluster, and the sums of weights."""
    sums = np.zeros((n_clusters, features.shape[1]))
    sizes = np.zeros(n_clusters)
    for i in range(len(labels)):
        sizes[labels[i]] += weights[i]
        for m in range(features.shape[1]):
            sums[labels[i], m] += weights[i] * features[i, m]
    return sums, sizes


def _lloyd(
    features: np.ndarray, weights: np.ndarray, centers: np.ndarray, max_iter: int
) -> _Centers:
    """Alternate labels and centres until no label changes."""
    labels = None
    value = -np.inf
    for _ in range(max_iter):
        new = distances_to_centers(features, centers).argmin(axis=1)
        if labels is not None and np.array_equal(new, labels):
            break
        labels = new
        means, sizes = _means(features, weights, labels, len(centers))
        centers = np.where(sizes[:, None] > 0, means, centers)
        value = float(sizes @ np.einsum("hm,hm->h", centers, centers))
    return _Centers(centers, value)
