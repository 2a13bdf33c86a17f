r"""One step with the hinge loss, for two clusters, by cutting planes.

For decision values ``f_i = w'z_i + b`` of rows in standard form the step minimises
``1/2 |w|^2 + C Loss`` within limits of the mean decision value [1]_. With the share a
of the present and N, the sum of a over the present and 1 - a over the past objects,

- **cohort**, equation (15): ``N Loss = sum_now a max(0, 1 - |f_i|) + sum_before
  (1 - a) max(0, 1 - |f_i|)``, the static problem on rows with weights;
- **individual**, equation (16): for an object of both snapshots the larger of
  ``a (1 - |f_now|)`` and ``(1 - a) (1 - |f_before|)``, or 0; for one that came or left
  the one there is;
- **model**, equations (9) to (11): on the present rows alone, ``Loss = mean max(0, 1 -
  |f_i|) + c mean (f_i - g_i)^2``, where g_i is the decision value that the object had
  in the snapshot before, that of the previous function at the new place for an object
  that came, and ``c = (1 - a) / a`` times the mean loss of the snapshot clustered by
  itself: the paper's own weight of the sum of squared shifts is ``C c / n``. An object
  that left enters the second mean with the mean of the present decision values, and its
  own previous one (section 5.2).

References
----------
.. [1] X. Fan, L. Cao, X. Cui, L. Zhu, Y.-S. Ong. Maximum margin clustering on
   evolutionary data. ACM International Conference on Information and Knowledge
   Management, 2012.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.clustering.model import MarginModel
from maxmargin.evolving.paired_loss import Pairs, paired_hinge
from maxmargin.evolving.snapshots import Matches, stack_rows
from maxmargin.evolving.step import Outcome, prefer
from maxmargin.hinge.clusters import cluster_problem, solve_clusters
from maxmargin.hinge.cutting_plane import (
    Loss,
    MarginProblem,
    MarginSolution,
    descend,
)
from maxmargin.hinge.features import StandardFeatures, standardise
from maxmargin.hinge.margin_loss import hinge_loss
from maxmargin.hinge.master import Quadratic
from maxmargin.kernels.basis import make_basis
from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.kernel import Kernel
from maxmargin.metrics.matching import share_moved
from maxmargin.rows.sample import Sample, draw_positions
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance

# Beyond so many rows the starts work on a part of them; the better one goes on with
# all.
PART_ROWS = 20_000


@dataclass(frozen=True)
class HingeStep:
    """What a step is given."""

    X: Any  # the present
    past_X: Any
    matches: Matches
    previous: MarginModel  # decision values (-f, f)
    weight: float
    kernel: Kernel
    landmarks: Any
    C: float | None
    epsilon: float
    n_init: int
    max_iter: int
    random: np.random.RandomState
    n_threads: int


def hinge_step(step: HingeStep, strategy: str, balance_of) -> Outcome:
    """Cluster the present in view of the past; ``balance_of`` limits sizes."""
    n_now, n_past = step.X.shape[0], step.past_X.shape[0]
    rows, weights = step.X, np.ones(n_now)
    if strategy != "model":
        rows = stack_rows(step.X, step.past_X)
        weights = np.repeat([step.weight, 1.0 - step.weight], [n_now, n_past])
    everything = np.arange(len(weights))
    sample = Sample(everything, weights, everything, True)
    basis = make_basis(
        step.kernel, rows, sample, step.landmarks, step.random, step.n_threads
    )
    features = standardise(basis(rows, step.n_threads), weights)
    balance = balance_of(weights)
    before = step.previous.decide(rows, step.n_threads)[:, 1]
    if strategy == "model":
        there = step.past_X[step.matches.before]
        if len(step.matches.before):
            before[step.matches.now] = step.previous.decide(there, step.n_threads)[:, 1]
    part, pairs = everything, Pairs(step.matches.now, n_now + step.matches.before)
    if strategy != "model" and len(part) > PART_ROWS:
        part = _draw_objects(len(part), pairs, strategy == "individual", step.random)
    some = features if len(part) == len(everything) else features.take(part)
    fresh, C = solve_clusters(
        some,
        balance,
        C=step.C,
        epsilon=step.epsilon,
        n_init=step.n_init,
        max_iter=step.max_iter,
        random=step.random,
    )
    limits, constant = balance.limits / balance.targets.sum(), 0.0
    problem = cluster_problem(some, limits, C, step.epsilon)
    if strategy == "individual":
        few = _pairs_within(part, pairs, len(everything))
        problem = replace(problem, majorise=paired_hinge(some.shares, few))
    elif strategy == "model":
        pull = C * (1.0 - step.weight) / step.weight
        pull *= np.maximum(0.0, 1.0 - np.abs(fresh.decisions)).mean()
        left = _left_values(step)
        problem, constant = pull_toward(problem, features, before, left, pull)
    solution = _best_run(step, problem, fresh, before[part], strategy != "model")
    if len(part) < len(everything):
        problem = cluster_problem(features, limits, C, step.epsilon)
        if strategy == "individual":
            problem = replace(problem, majorise=paired_hinge(features.shares, pairs))
        solution = descend(problem, solution.v, max_iter=step.max_iter)
    return _outcome(step, strategy, problem, solution, basis, balance, before, constant)


def _left_values(step: HingeStep) -> np.ndarray:
    """Return the previous decision values of the objects that left."""
    gone = np.ones(step.past_X.shape[0], dtype=bool)
    gone[step.matches.before] = False
    if not gone.any():
        return np.empty(0)
    return step.previous.decide(step.past_X[gone], step.n_threads)[:, 1]


def _draw_objects(
    n_rows: int, pairs: Pairs, tied: bool, random: np.random.RandomState
) -> np.ndarray:
    """Draw rows for the starts, tied ones with their partner."""
    drawn = draw_positions(n_rows, PART_ROWS // 2 if tied else PART_ROWS, random)
    if not tied:
        return drawn
    partner = np.arange(n_rows)
    partner[pairs.first], partner[pairs.second] = pairs.second, pairs.first
    return np.union1d(drawn, partner[drawn])


def _pairs_within(part: np.ndarray, pairs: Pairs, n_rows: int) -> Pairs:
    """Return the pairs as positions among some rows, which have both or none."""
    position = np.full(n_rows, -1)
    position[part] = np.arange(len(part))
    kept = position[pairs.first] >= 0
    return Pairs(position[pairs.first[kept]], position[pairs.second[kept]])


def _best_run(
    step: HingeStep,
    problem: MarginProblem,
    fresh: MarginSolution,
    before: np.ndarray,
    share: bool,
) -> MarginSolution:
    """Return the better of two runs: from the past labels, and from a fresh start.

    ``share`` tells whether objects that move count, unless the objective sees to that.
    """
    signs = np.where(before > 0.0, 1.0, -1.0)
    v = fresh.v
    if fresh.decisions @ signs < 0.0 and problem.limits.hold(-v):
        v = -v
    start = np.zeros_like(v)
    high, low = problem.limits.bounds
    start[-1] = np.clip(0.0, -low, high)
    loss: Loss = hinge_loss(signs, problem.map.shares)  # type: ignore[attr-defined]
    runs = [
        descend(problem, start, loss=loss, max_iter=step.max_iter),
        descend(problem, v, max_iter=step.max_iter),
    ]
    weight = step.weight if share else 1.0
    moved = [share_moved((signs > 0) * 1, (one.decisions > 0) * 1, 2) for one in runs]
    return runs[prefer([one.objective for one in runs], moved, weight)]


def pull_toward(
    problem: MarginProblem,
    features: StandardFeatures,
    before: np.ndarray,
    left: np.ndarray,
    strength: float,
) -> tuple[MarginProblem, float]:
    """Add ``strength mean (f - before)^2`` to a problem, and return its constant.

    It is quadratic in the coefficients, ``1/2 v'Pv + q'v + constant``, with the rows
    ``A = ((z_i - mean) / scale, 1)``. The mean is over the rows and, for each object
    that left, the mean row with its own previous value.
    """
    samples = features.samples
    samples = samples.toarray() if sp.issparse(samples) else samples
    A = np.column_stack([(samples - features.mean) / features.scale, before * 0.0 + 1])
    n = len(before) + len(left)
    mean_row = A.mean(axis=0)
    P = A.T @ A + len(left) * np.outer(mean_row, mean_row)
    q = A.T @ before + left.sum() * mean_row
    constant = before @ before + left @ left
    quadratic = problem.quadratic
    curvature = np.diag(quadratic.diagonal) + 2.0 * strength / n * P
    linear = quadratic.linear - 2.0 * strength / n * q
    pulled = replace(problem, quadratic=Quadratic(curvature, linear))
    return pulled, float(strength * constant / n)


def _outcome(
    step: HingeStep,
    strategy: str,
    problem: MarginProblem,
    solution: MarginSolution,
    basis: FeatureMap,
    balance: Balance,
    before: np.ndarray,
    constant: float,
) -> Outcome:
    """Return labels, named as before, and costs."""
    features: StandardFeatures = problem.map  # type: ignore[assignment]
    W, b = features.plain(solution.v)
    f, n_now = solution.decisions, step.X.shape[0]
    compared = slice(None) if strategy == "model" else slice(n_now, None)
    if f[compared] @ np.sign(before[compared]) < 0.0 and strategy != "model":
        W, b, f = -W, -b, -f
    model = MarginModel(basis, np.concatenate([-W, W], axis=1), np.concatenate([-b, b]))
    weights = features.shares * balance.targets.sum()
    labels = assign_within_limits(np.stack([-f, f], axis=1), weights, balance.limits)
    short = np.maximum(0.0, 1.0 - np.abs(f))
    if strategy == "model":
        temporal = float(np.mean((f - before) ** 2))
    else:
        temporal = float(short[n_now:].mean())
    costs = (float(short[:n_now].mean()), temporal, -(solution.objective + constant))
    return Outcome(labels[:n_now], model, model, costs, solution.converged)
