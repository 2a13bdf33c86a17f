r"""One step of evolving clustering with the hinge loss, adapted from paper 002.

The printed steps are those of `evolving_planes`.

With decision values ``f_i = w'z_i + b`` of rows in standard form, a step minimises
``1/2 |w|^2 + C Loss`` by cutting planes, subject to limits on the mean decision value
(Fan et al., 2012). Let a be the weight of the present, and N the sum of a over the
objects of the present and 1 - a over those of the past. The strategies differ in their
loss:

- **cohort**, equation (15): ``N Loss = sum_now a max(0, 1 - |f_i|) + sum_before
  (1 - a) max(0, 1 - |f_i|)``, the static problem on the rows of both snapshots with
  weights;
- **individual**, equation (16): an object of both snapshots has the loss ``max(0,
  a (1 - |f_now|), (1 - a) (1 - |f_before|))``, any other object the loss of its one
  row;
- **model**, equations (9) to (11): on the present rows alone, ``Loss = mean max(0, 1 -
  |f_i|) + c mean (f_i - g_i)^2``. For an object of both snapshots g_i is its decision
  value in the previous snapshot, for a new object the value of the previous function at
  its present position. An object that left enters the second mean with the mean of the
  present decision values as f_i and its previous value as g_i (section 5.2). The factor
  is ``c = (1 - a) / a`` times the mean hinge loss of the present snapshot clustered
  without the past. The weight of the sum of squared shifts in the paper is ``C c / n``.

With k > 2 clusters there are k functions, ``|f_i|`` is replaced by the difference of
the two largest values of a row, and the shift is summed over the functions. If the
number of clusters has changed, "model" clusters the present alone, since there are no
previous functions to be near to.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.engine.model import MarginModel
from maxmargin.evolving.snapshots import Matches, Snapshot, stack_rows
from maxmargin.evolving.step import Outcome, balance_in_weights, prefer
from maxmargin.metrics.matching import match_labels, share_moved
from maxmargin.published.cutting_plane import CuttingPlaneMaxMarginClustering
from maxmargin.published.hinge.convex_losses import (
    Pairs,
    hinge_loss,
    multiclass_hinge_loss,
    signs_of,
)
from maxmargin.published.hinge.cutting_plane import (
    MarginProblem,
    MarginSolution,
    descend,
)
from maxmargin.published.hinge.cutting_plane_clustering import (
    cluster_functions,
    cluster_problem,
)
from maxmargin.published.hinge.master_problem import Quadratic
from maxmargin.published.hinge.standard_features import StandardFeatures, standardise
from maxmargin.published.parameters import check_landmarks
from maxmargin.rows.sample import draw_positions, whole_sample
from maxmargin.search.balance import Balance, make_balance
from maxmargin.search.limits import assign_in_order
from maxmargin.smoothers.feature_map import FeatureMap
from maxmargin.smoothers.landmarks import make_basis

# With more rows than this the runs use a random subset of them, and the best run is
# continued on all rows.
SUBSET_ROWS = 20_000
NO_STRENGTH = 1e-12  # of the temporal term; the coefficients have a curvature of one


@dataclass(frozen=True)
class HingeStep:
    """Two snapshots, the previous model and the options of a step."""

    X: Any  # the present
    past: Snapshot
    matches: Matches
    previous: Outcome
    clusterer: CuttingPlaneMaxMarginClustering  # of the present alone
    strategy: str
    weight: float  # of the present
    random: np.random.RandomState

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return self.clusterer.n_clusters

    def previous_values(self, X) -> np.ndarray:
        """Return the values f of the previous model, (n,) for two clusters."""
        assert self.previous.model is not None
        values = self.previous.model.decide(X)
        return values[:, 1] if self.n_clusters == 2 else values

    def balance_of(self, weights: np.ndarray) -> Balance:
        """Return the limits of the sizes, in units of the weights of the rows."""
        n_now, k = self.X.shape[0], self.n_clusters
        total = n_now
        if self.strategy != "model":
            total = self.weight * n_now + (1 - self.weight) * self.past.X.shape[0]
        balance = balance_in_weights(self.clusterer.balance, k, total / n_now)
        return make_balance(balance, k, weights)


def hinge_losses(f: np.ndarray) -> np.ndarray:
    """Return ``max(0, 1 - |f_i|)``, or that of the gap of the two largest values."""
    if f.ndim == 1:
        return np.maximum(0.0, 1.0 - np.abs(f))
    if f.shape[1] == 1:
        return np.zeros(len(f))
    second, first = np.partition(f, -2, axis=1)[:, -2:].T
    return np.maximum(0.0, 1.0 - (first - second))


def _clusters_of(f: np.ndarray) -> np.ndarray:
    """Return the clusters by decision values."""
    return (f > 0.0).astype(np.int64) if f.ndim == 1 else f.argmax(axis=1)


@dataclass(frozen=True)
class StepRows:
    """The rows that a step clusters: those of the present, then those of the past."""

    features: StandardFeatures
    pairs: Pairs  # the rows of each object of both snapshots
    previous: np.ndarray | None  # decision values under the previous model, if usable

    def take(self, rows: np.ndarray) -> "StepRows":
        """Return a subset of the rows, with the pairs of which it has both rows."""
        position = np.full(len(self.features.shares), -1)
        position[rows] = np.arange(len(rows))
        first, second = position[self.pairs.first], position[self.pairs.second]
        kept = (first >= 0) & (second >= 0)
        pairs = Pairs(first[kept], second[kept])
        previous = None if self.previous is None else self.previous[rows]
        return StepRows(self.features.take(rows), pairs, previous)


def hinge_step(step: HingeStep) -> Outcome:
    """Cluster the present snapshot, given the past one."""
    n_now, n_past = step.X.shape[0], step.past.X.shape[0]
    X, weights = step.X, np.ones(n_now)
    if step.strategy != "model":
        X = stack_rows(step.X, step.past.X)
        weights = np.repeat([step.weight, 1.0 - step.weight], [n_now, n_past])
    kernel = step.clusterer._make_kernel(step.X, step.random)
    landmarks = check_landmarks(step.clusterer, step.X)
    basis = make_basis(kernel, X, whole_sample(weights), landmarks, step.random)
    features = standardise(basis(X), weights)
    features = features.with_functions(1 if step.n_clusters == 2 else step.n_clusters)
    balance = step.balance_of(weights)
    rows = _step_rows(step, X, features)
    subset = _draw_subset(step, rows)
    some = rows if subset is None else rows.take(subset)
    fresh = step.clusterer._optimise(some.features, balance, step.random)
    problem, constant = _make_problem(step, some, balance, fresh.C), 0.0
    if step.strategy == "model":
        problem, constant = _add_temporal_term(step, problem, rows, fresh)
    solution = _best_run(step, problem, some, fresh)
    if subset is not None:
        problem = _make_problem(step, rows, balance, fresh.C)
        solution = descend(problem, solution.v, max_iter=step.clusterer.max_iter)
    return _outcome(step, rows, balance, basis, solution, constant)


def _step_rows(step: HingeStep, X, features: StandardFeatures) -> StepRows:
    """Return the rows X with their pairs and previous decision values.

    With "model", an object of both snapshots has the value of its past row. Values for
    another number of clusters are of no use.
    """
    now, before = step.matches
    pairs = Pairs(now, step.X.shape[0] + before)
    if step.previous.n_clusters != step.n_clusters:
        return StepRows(features, pairs, None)
    previous = step.previous_values(X)
    if step.strategy == "model" and len(before):
        previous[now] = step.previous_values(step.past.X[before])
    return StepRows(features, pairs, previous)


def _draw_subset(step: HingeStep, rows: StepRows) -> np.ndarray | None:
    """Draw rows for the runs, or return None to use all rows.

    With the strategy "individual" a row is drawn together with its partner.
    """
    n_rows = len(rows.features.shares)
    if step.strategy == "model" or n_rows <= SUBSET_ROWS:
        return None
    if step.strategy == "cohort":
        return draw_positions(n_rows, SUBSET_ROWS, step.random)
    drawn = draw_positions(n_rows, SUBSET_ROWS // 2, step.random)
    first, second = rows.pairs
    partner = np.arange(n_rows)
    partner[first], partner[second] = second, first
    return np.union1d(drawn, partner[drawn])


def _make_problem(
    step: HingeStep, rows: StepRows, balance: Balance, C: float
) -> MarginProblem:
    """Return the problem of a strategy, for "model" without its temporal term."""
    size_limits = balance.limits / balance.targets.sum()
    pairs = rows.pairs if step.strategy == "individual" else None
    tol = step.clusterer.tol
    return cluster_problem(rows.features, size_limits, C, tol, pairs)


def _add_temporal_term(
    step: HingeStep, problem: MarginProblem, rows: StepRows, fresh: MarginSolution
) -> tuple[MarginProblem, float]:
    """Add the temporal term of "model"; return also the part that is constant in v."""
    left = np.ones(step.past.X.shape[0], dtype=bool)
    left[step.matches.before] = False
    strength = fresh.C * (1.0 - step.weight) / step.weight
    strength *= hinge_losses(fresh.decisions).mean()
    assert rows.previous is not None
    values = rows.previous[:0]
    if left.any():
        values = step.previous_values(step.past.X[left])
    return add_squared_shift(problem, rows.previous, values, strength)


def add_squared_shift(
    problem: Any, previous: np.ndarray, left: np.ndarray, strength: float
) -> tuple[Any, float]:
    """Add ``strength mean (f - previous)^2`` to a problem.

    The squares are summed over several functions, whose coefficients have the same
    quadratic form. It is ``1/2 v'Pv + q'v + constant``, with the rows ``A = ((z_i -
    mean) / scale, 1)``. The mean is over these rows and, for each object that left, the
    mean row with the previous value of the object, given in ``left``. A strength that
    is a rounding error, of rows without loss, counts as zero: the bias would have next
    to no curvature, for which a solution takes minutes.
    """
    if strength <= NO_STRENGTH:
        return problem, 0.0
    features = problem.features
    samples = features.samples
    samples = samples.toarray() if sp.issparse(samples) else samples
    standard = (samples - features.mean) / features.scale
    A = np.column_stack([standard, np.ones(len(previous))])
    n = len(previous) + len(left)
    mean_row = A.mean(axis=0)
    k = features.n_functions
    previous, left = previous.reshape(-1, k), left.reshape(-1, k)
    P = np.kron(A.T @ A + len(left) * np.outer(mean_row, mean_row), np.eye(k))
    q = (A.T @ previous + np.outer(mean_row, left.sum(axis=0))).ravel()
    constant = (previous**2).sum() + (left**2).sum()
    quadratic = problem.quadratic
    curvature = np.diag(quadratic.diagonal) + 2.0 * strength / n * P
    linear = quadratic.linear - 2.0 * strength / n * q
    shifted = replace(problem, quadratic=Quadratic(curvature, linear))
    return shifted, float(strength * constant / n)


def _best_run(
    step: HingeStep, problem: MarginProblem, rows: StepRows, fresh: MarginSolution
) -> MarginSolution:
    """Return the better of two runs, from the previous labels and from a fresh start.

    The objective is compared together with the share of objects that change their
    cluster, except with the strategy "model", whose objective has a temporal term.
    """
    if rows.previous is None:
        return descend(problem, fresh.v, max_iter=step.clusterer.max_iter)
    before, shares = _clusters_of(rows.previous), rows.features.shares
    k, one = step.n_clusters, problem.features.n_functions
    v = _align(problem, fresh, before, k)
    start = np.zeros_like(v)
    high, low = problem.constraints.bounds.reshape(2, one)
    start[-one:] = np.clip(0.0 if k == 2 else 1.0 / k, -low, high)
    if k == 2:
        loss = hinge_loss(signs_of(rows.previous), shares)
    else:
        loss = multiclass_hinge_loss(before, shares)
    runs = [
        descend(problem, start, loss=loss, max_iter=step.clusterer.max_iter),
        descend(problem, v, max_iter=step.clusterer.max_iter),
    ]
    weight = 1.0 if step.strategy == "model" else step.weight
    moved = [share_moved(_clusters_of(run.decisions), before, k) for run in runs]
    return runs[prefer([run.objective for run in runs], moved, weight)]


def _align(
    problem: MarginProblem, fresh: MarginSolution, before: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Return the fresh coefficients with the clusters numbered as before.

    They are left as they are if the limits of the sizes forbid it.
    """
    found = _clusters_of(fresh.decisions)
    names = match_labels(found, before, n_clusters)
    if n_clusters == 2:
        v = fresh.v if names[0] == 0 else -fresh.v
    else:
        columns = fresh.v.reshape(-1, n_clusters)
        v = columns[:, np.argsort(names)].ravel()
    return v if problem.constraints.satisfied_by(v) else fresh.v


def _outcome(
    step: HingeStep,
    rows: StepRows,
    balance: Balance,
    basis: FeatureMap,
    solution: MarginSolution,
    constant: float,
) -> Outcome:
    """Return labels, model and costs."""
    n_now, f = step.X.shape[0], solution.decisions
    functions, values = cluster_functions(rows.features, solution, step.n_clusters)
    model = MarginModel(basis, functions.coefficients, functions.offsets)
    weights = rows.features.shares * balance.targets.sum()
    labels = assign_in_order(values, weights, balance.limits)
    loss = hinge_losses(f)
    if step.strategy == "model":
        assert rows.previous is not None
        squares = (f - rows.previous) ** 2
        temporal = float(squares.sum() / len(f))
    else:
        temporal = float(loss[n_now:].mean())
    costs = (float(loss[:n_now].mean()), temporal, -(solution.objective + constant))
    return Outcome(labels[:n_now], model, model, costs, solution.converged)
