r"""Maximum margin clustering by cutting planes: CPMMC and its multi-class version.

Samples come in standard form, mean zero and mean squared norm one. For two clusters
[1]_,

    minimise over w, b    1/2 |w|^2 + C sum_i p_i max(0, 1 - |f_i|),

    f_i = w'z_i + b,    low <= sum_i p_i f_i <= high,

with the shares p_i of the samples. The mean is zero, hence the balance constraint is
``low <= b <= high``. For k clusters [2]_,

    minimise over W, b    1/2 |W|^2 + C sum_i p_i max(0, 1 - first_i + second_i)

with the two largest of the values ``f_ih = w_h'z_i + b_h``, and
``sum_i p_i (f_ih - f_ig) <= high_h - low_g`` for each pair of clusters. Values do not
change when one number is added to all b, so that this is the same as
``low_h <= b_h <= high_h``.

A wide margin, that is a small C, sees the shape of the whole; a narrow one sees a gap,
and many of them. So a run starts at the C at which the margin is as wide as the spread
of the samples, ``1 / variance`` along the leading direction, and doubles C up to its
value, each time from where it was.

References
----------
.. [1] B. Zhao, F. Wang, C. Zhang. Efficient maximum margin clustering via cutting plane
   algorithm. SIAM International Conference on Data Mining, 2008.
.. [2] B. Zhao, F. Wang, C. Zhang. Efficient multiclass maximum margin clustering.
   International Conference on Machine Learning, 2008.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning

from maxmargin.clustering.parameters import SEARCH_SAMPLES
from maxmargin.hinge.cutting_plane import (
    Loss,
    MarginProblem,
    MarginSolution,
    descend,
)
from maxmargin.hinge.directions import Directions, leading_directions
from maxmargin.hinge.features import StandardFeatures
from maxmargin.hinge.margin_loss import (
    many_sided_hinge,
    multiclass_loss,
    two_sided_hinge,
)
from maxmargin.hinge.master import Limits, Quadratic
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance

# C in units of the one at which the margin is as wide as the samples spread.
DEFAULT_C = 10.0

# The precision while C is still below its value, unless that asked for is coarser.
COARSE = 1e-2


def cluster_problem(
    features: StandardFeatures, size_limits: np.ndarray, C: float, epsilon: float
) -> MarginProblem:
    """Return the problem of clusters whose shares lie within limits (2 x k).

    The features have one column for two clusters, else k.
    """
    n_columns = features.n_columns
    if n_columns == 1:
        majorise = two_sided_hinge(features.shares)
    else:
        majorise = many_sided_hinge(features.shares, size_limits)
    curvature = np.ones(features.n_coefficients)
    curvature[-n_columns:] = 0.0
    quadratic = Quadratic(curvature, np.zeros(len(curvature)))
    low, high = bias_limits(size_limits)
    rows = np.zeros((n_columns, len(curvature)))
    rows[:, -n_columns:] = np.eye(n_columns)
    limits = Limits(np.concatenate([rows, -rows]), np.concatenate([high, -low]))
    return MarginProblem(features, majorise, quadratic, limits, C, epsilon)


def bias_limits(size_limits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits of b for limits (2 x k) of the clusters' shares.

    A cluster can be no larger than the smallest sizes of the others leave room for.
    For two clusters, b is the difference of their shares if every sample is on its
    margin.
    """
    low = np.clip(size_limits[0], 0.0, 1.0)
    high = np.minimum(size_limits[1], 1.0 - low.sum() + low)
    low = np.maximum(low, 1.0 - high.sum() + high)
    if len(low) == 2:
        return low[1:] - high[:1], high[1:] - low[:1]
    return low, high


def solve_clusters(
    features: StandardFeatures,
    balance: Balance,
    *,
    C: float | None = None,
    epsilon: float = 1e-3,
    n_init: int = 4,
    max_iter: int = 100,
    random: np.random.RandomState,
    on_iteration: Callable[[int, float], None] | None = None,
) -> tuple[MarginSolution, float]:
    """Return the best of several runs, polished on all samples, and its C.

    Runs work on at most `SEARCH_SAMPLES` samples. The samples are put in the order of
    their distance from the mean, so that what is drawn at random does not depend on
    the order of the rows nor on how the axes lie.
    """
    k = len(balance.targets)
    features = features.with_columns(1 if k == 2 else k)
    limits = balance.limits / balance.targets.sum()
    part, part_limits = _search_part(features, balance, random)
    directions = leading_directions(part, max(n_init, k - 1), random)
    if C is None:
        C = default_C(directions, k)
    problem = cluster_problem(part, part_limits, C, epsilon)
    if k == 2:
        starts = direction_starts(problem, directions, n_init, random)
    else:
        starts = label_starts(problem, part, part_limits, n_init, random)
    first = 1.0 / directions.variances[0]
    runs = (
        anneal(problem, v, loss, first if wide else C, max_iter)
        for v, loss, wide in starts
    )
    best = min(runs, key=lambda run: run.objective)
    whole = cluster_problem(features, limits, C, epsilon)
    solution = descend(whole, best.v, max_iter=max_iter, on_iteration=on_iteration)
    return solution, C


def _search_part(features, balance, random):
    """Return the samples that runs work on, in canonical order, and their limits."""
    total = balance.targets.sum()
    order = _canonical_order(features.with_columns(1))
    if len(order) <= SEARCH_SAMPLES:
        return features.take(order), balance.limits / total
    order = order[np.sort(random.choice(len(order), SEARCH_SAMPLES, replace=False))]
    share = features.shares[order].sum()
    limits = balance.scaled(share).limits / (share * total)
    return features.take(order), limits


def _canonical_order(features):
    """Return an order of the samples that turns and scales with them.

    They come by their distance from the mean and, where that is equal, by how far they
    lie to the side of those that are far away.
    """
    norms = features.squared_norms()
    far = features.collect(features.shares * norms)
    far[-1] = 0.0
    side = features.decide(far)
    return np.lexsort((side, np.round(norms, 9)))


def default_C(directions: Directions, n_clusters: int) -> float:
    """Return the C at which the margin is well inside the spread of the samples.

    Along a direction of variance s, the margin is wider than the spread as long as
    ``C s < 1``. k clusters need k - 1 directions.
    """
    last = min(n_clusters - 1, len(directions.variances)) - 1
    return DEFAULT_C / float(directions.variances[max(last, 0)])


# Coefficients, the loss of labels to start with, and whether to start with a small C.
Start = tuple[np.ndarray, Loss | None, bool]


def direction_starts(
    problem: MarginProblem,
    directions: Directions,
    n_init: int,
    random: np.random.RandomState,
) -> Iterator[Start]:
    """Yield the leading directions, and then random mixtures of them."""
    high, low = problem.limits.bounds
    spreads = np.sqrt(directions.variances)
    for start in range(n_init):
        if start < len(spreads):
            mixture = np.eye(len(spreads))[start]
        else:
            mixture = random.randn(len(spreads)) * spreads
            mixture /= np.linalg.norm(mixture)
        w = directions.axes @ mixture / spreads[0]
        yield np.append(w, np.clip(0.0, -low, high)), None, True


def label_starts(
    problem: MarginProblem,
    features: StandardFeatures,
    size_limits: np.ndarray,
    n_init: int,
    random: np.random.RandomState,
) -> Iterator[Start]:
    """Yield labels of k-means within the size limits, every second one at full C.

    With many clusters a wide margin may bring together what k-means had apart.
    """
    k = features.n_columns
    high, low = problem.limits.bounds.reshape(2, k)
    v = np.zeros(features.n_coefficients)
    v[-k:] = np.clip(1.0 / k, -low, high)
    for start in range(n_init):
        means = KMeans(k, init=_seeds(features, k, random), n_init=1)
        with warnings.catch_warnings():  # of fewer distinct samples than clusters
            warnings.simplefilter("ignore", ConvergenceWarning)
            means.fit(features.samples, sample_weight=features.shares)
        closeness = -means.transform(features.samples)
        labels = assign_within_limits(closeness, features.shares, size_limits)
        yield v, multiclass_loss(labels, features.shares), start % 2 == 0


def _seeds(features, k, random):
    """Draw k-means++ seeds, and shift them a little, so that no sample has two nearest.

    The shifts are mixtures of samples, which turn with them.
    """
    samples, shares = features.samples, features.shares
    seeds, _ = kmeans_plusplus(samples, k, sample_weight=shares, random_state=random)
    mixture = shares * random.randn(k, len(shares))
    shift = mixture @ samples - np.outer(mixture.sum(axis=1), features.mean)
    return (seeds.toarray() if sp.issparse(seeds) else seeds) + shift


def anneal(
    problem: MarginProblem,
    v: np.ndarray,
    loss: Loss | None,
    first: float,
    max_iter: int,
) -> MarginSolution:
    """Run from a small C to that of the problem, doubling it."""
    coarse = max(problem.epsilon, COARSE)
    while first < problem.C:
        step = replace(problem, C=first, epsilon=coarse)
        v = descend(step, v, loss=loss, max_iter=max_iter).v
        loss = None
        first *= 2.0
    return descend(problem, v, loss=loss, max_iter=max_iter)
