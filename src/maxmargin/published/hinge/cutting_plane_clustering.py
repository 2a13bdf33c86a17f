r"""Maximum margin clustering by cutting planes: CPMMC and its multi-class version.

Both are of Zhao, Wang and Zhang (2008).

The samples z_i are in standard form, with mean zero and mean squared norm one, and have
weights p_i that add up to one (their shares). For two clusters the problem is

    minimise over w, b    1/2 |w|^2 + C sum_i p_i max(0, 1 - |f_i|),

    f_i = w'z_i + b,    low <= sum_i p_i f_i <= high.

Since the mean is zero, the balance constraint is ``low <= b <= high``. For k clusters
it is

    minimise over W, b    1/2 |W|^2 + C sum_i p_i max(0, 1 - first_i + second_i)

with the two largest of the values ``f_ih = w_h'z_i + b_h``, subject to
``sum_i p_i (f_ih - f_ig) <= high_h - low_g`` for each pair of clusters. Adding one
number to all b changes no difference of values, so that the constraints are equivalent
to ``low_h <= b_h <= high_h``.

With a small C the margin is wide and the solution follows the overall shape of the
data. With a large C it is narrow, and there are many local optima. A run therefore
starts with the C at which the margin is as wide as the samples spread,
``1 / variance`` along the first principal direction, and doubles C up to its final
value, each time from the previous solution.
"""

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning

from maxmargin.published.hinge.convex_losses import (
    Pairs,
    majorise_many_clusters,
    majorise_two_clusters,
    multiclass_hinge_loss,
)
from maxmargin.published.hinge.cutting_plane import (
    ConvexLoss,
    MarginProblem,
    MarginSolution,
    descend,
)
from maxmargin.published.hinge.master_problem import LinearConstraints, Quadratic
from maxmargin.published.hinge.standard_features import (
    LinearFunctions,
    PrincipalDirections,
    StandardFeatures,
    principal_directions,
)
from maxmargin.search.balance import Balance
from maxmargin.search.limits import assign_in_order
from maxmargin.search.state import OnIteration

# The runs from several starts use at most this many samples.
RUN_SAMPLES = 4000

# The default C, in units of the C at which the margin is as wide as the samples spread.
DEFAULT_C = 10.0

# The tolerance while C is below its final value, unless that of the problem is larger.
COARSE_TOL = 1e-2


def cluster_problem(
    features: StandardFeatures,
    size_limits: np.ndarray,
    C: float,
    tol: float,
    pairs: Pairs | None = None,
) -> MarginProblem:
    """Return the problem for limits (2 x k) on the shares of the clusters.

    The features have one function for two clusters, else k. The two rows of each of the
    ``pairs`` share a slack.
    """
    k = features.n_functions
    if k == 1:
        majorise = majorise_two_clusters(features.shares, pairs)
    else:
        majorise = majorise_many_clusters(features.shares, size_limits, pairs)
    curvature = np.ones(features.n_coefficients)
    curvature[-k:] = 0.0
    quadratic = Quadratic(curvature, np.zeros(len(curvature)))
    low, high = bias_limits(size_limits)
    rows = np.zeros((k, len(curvature)))
    rows[:, -k:] = np.eye(k)
    constraints = LinearConstraints(
        np.concatenate([rows, -rows]), np.concatenate([high, -low])
    )
    return MarginProblem(features, majorise, quadratic, constraints, C, tol)


def bias_limits(size_limits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits low and high of b for limits (2 x k) on the cluster shares.

    The share of a cluster is also limited by the smallest and largest shares of the
    others. For two clusters b is the difference of their shares if all samples are at
    the margin.
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
    tol: float = 1e-3,
    n_init: int = 4,
    max_iter: int = 100,
    random: np.random.RandomState,
    on_iteration: OnIteration | None = None,
) -> MarginSolution:
    """Return the best of several runs, continued on all samples.

    The runs use a random subset of at most `RUN_SAMPLES` samples. Samples are drawn
    in the order of their distance from the mean, so that the subset depends neither on
    the order of the rows nor on a rotation of the samples.
    """
    k = len(balance.targets)
    features = features.with_functions(1 if k == 2 else k)
    subset, size_limits = _draw_subset(features, balance, random)
    directions = principal_directions(subset, max(n_init, k - 1), random)
    if C is None:
        C = default_C(directions, k)
    problem = cluster_problem(subset, size_limits, C, tol)
    if k == 2:
        starts = direction_starts(problem, directions, n_init, random)
    else:
        starts = k_means_starts(problem, size_limits, n_init, random)
    smallest_C = 1.0 / directions.variances[0]
    runs = []
    for number, start in enumerate(starts, 1):
        runs.append(run_with_growing_C(problem, start, smallest_C, max_iter))
        if on_iteration is not None and n_init > 1:
            on_iteration(number, -runs[-1].objective, "start")
    best = min(runs, key=lambda run: run.objective)
    if n_init > 1:
        on_iteration = None
    size_limits = balance.limits / balance.targets.sum()
    problem = cluster_problem(features, size_limits, C, tol)
    return descend(problem, best.v, max_iter=max_iter, on_iteration=on_iteration)


def cluster_functions(
    features: StandardFeatures, solution: MarginSolution, n_clusters: int
) -> tuple[LinearFunctions, np.ndarray]:
    """Return a function for each cluster, and its values at the samples (n x k)."""
    values = solution.decisions
    if n_clusters == 2:
        functions = features.with_functions(1).original_units(solution.v)
        return functions.with_negative(), np.stack([-values, values], axis=1)
    return features.with_functions(n_clusters).original_units(solution.v), values


def _draw_subset(
    features: StandardFeatures, balance: Balance, random: np.random.RandomState
) -> tuple[StandardFeatures, np.ndarray]:
    """Return the samples for the runs in canonical order, and the limits as shares."""
    total = balance.targets.sum()
    order = _canonical_order(features.with_functions(1))
    if len(order) <= RUN_SAMPLES:
        return features.take(order), balance.limits / total
    order = order[np.sort(random.choice(len(order), RUN_SAMPLES, replace=False))]
    weights = total * features.shares[order]
    return features.take(order), balance.of_part(weights, total).limits / weights.sum()


def _canonical_order(features: StandardFeatures) -> np.ndarray:
    """Return an order of the samples that is invariant to rotation and scale.

    Samples are sorted by their distance from the mean. Ties are broken by the
    projection on the mean of the samples weighted by their squared norms.
    """
    norms = features.squared_norms()
    direction = features.transpose_dot(features.shares * norms)
    direction[-1] = 0.0
    return np.lexsort((features.decide(direction), np.round(norms, 9)))


def default_C(directions: PrincipalDirections, n_clusters: int) -> float:
    """Return the C at which the margin is well inside the spread of the samples.

    Along a direction of variance s the margin is wider than the spread if ``C s < 1``.
    k clusters are separated along k - 1 directions, and the last of them counts.
    """
    last = min(n_clusters - 1, len(directions.variances)) - 1
    return DEFAULT_C / float(directions.variances[max(last, 0)])


class Start(NamedTuple):
    """The start of a run."""

    v: np.ndarray  # feasible coefficients
    loss: ConvexLoss | None  # the first convex loss, instead of the majoriser at v
    small_C: bool  # whether to start with a small C, or with that of the problem


def direction_starts(
    problem: MarginProblem,
    directions: PrincipalDirections,
    n_init: int,
    random: np.random.RandomState,
) -> Iterator[Start]:
    """Yield the principal directions, then random combinations of them."""
    high, low = problem.constraints.bounds
    for w in directions.starts(n_init, random):
        yield Start(np.append(w, np.clip(0.0, -low, high)), None, True)


def k_means_starts(
    problem: MarginProblem,
    size_limits: np.ndarray,
    n_init: int,
    random: np.random.RandomState,
) -> Iterator[Start]:
    """Yield the labels of k-means runs, assigned within the size limits.

    Every second run starts with the C of the problem, because with many clusters a wide
    margin may merge clusters that k-means separates.
    """
    features = problem.features
    k = features.n_functions
    high, low = problem.constraints.bounds.reshape(2, k)
    v = np.zeros(features.n_coefficients)
    v[-k:] = np.clip(1.0 / k, -low, high)
    for start in range(n_init):
        means = KMeans(k, init=_k_means_seeds(features, random), n_init=1)
        with warnings.catch_warnings():  # fewer distinct samples than clusters
            warnings.simplefilter("ignore", ConvergenceWarning)
            means.fit(features.samples, sample_weight=features.shares)
        closeness = -means.transform(features.samples)
        labels = assign_in_order(closeness, features.shares, size_limits)
        yield Start(v, multiclass_hinge_loss(labels, features.shares), start % 2 == 0)


def _k_means_seeds(
    features: StandardFeatures, random: np.random.RandomState
) -> np.ndarray:
    """Draw k-means++ seeds and add small shifts, so that distances are not tied.

    The shifts are random combinations of the samples and rotate with them.
    """
    samples, shares, k = features.samples, features.shares, features.n_functions
    seeds, _ = kmeans_plusplus(samples, k, sample_weight=shares, random_state=random)
    mixture = shares * random.randn(k, len(shares))
    shift = mixture @ samples - np.outer(mixture.sum(axis=1), features.mean)
    return (seeds.toarray() if sp.issparse(seeds) else seeds) + shift


def run_with_growing_C(
    problem: MarginProblem, start: Start, smallest_C: float, max_iter: int
) -> MarginSolution:
    """Solve the problem for increasing C, each time from the previous solution."""
    v, loss = start.v, start.loss
    C = smallest_C if start.small_C else problem.C
    while C < problem.C:
        easier = replace(problem, C=C, tol=max(problem.tol, COARSE_TOL))
        v = descend(easier, v, loss=loss, max_iter=max_iter).v
        loss = None
        C *= 2.0
    return descend(problem, v, loss=loss, max_iter=max_iter)
