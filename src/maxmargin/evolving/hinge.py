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
from maxmargin.evolving.base import Outcome
from maxmargin.evolving.paired_loss import Pairs, paired_hinge
from maxmargin.evolving.snapshots import Matches, prefer, share_moved, stack_rows
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
from maxmargin.kernels.sample import Sample
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance


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
    fresh, C = solve_clusters(
        features,
        balance,
        C=step.C,
        epsilon=step.epsilon,
        n_init=step.n_init,
        max_iter=step.max_iter,
        random=step.random,
    )
    problem = cluster_problem(
        features, balance.limits / balance.targets.sum(), C, step.epsilon
    )
    pairs = Pairs(step.matches.now, n_now + step.matches.before)
    constant = 0.0
    if strategy == "individual":
        problem = replace(problem, majorise=paired_hinge(features.shares, pairs))
    elif strategy == "model":
        gone = np.ones(n_past, dtype=bool)
        gone[step.matches.before] = False
        left = step.previous.decide(step.past_X[gone], step.n_threads)[:, 1]
        alone = np.maximum(0.0, 1.0 - np.abs(fresh.decisions)).mean()
        pull = C * alone * (1.0 - step.weight) / step.weight
        problem, constant = pull_toward(problem, features, before, left, pull)
    solution = _best_run(step, problem, fresh, before, strategy != "model")
    return _outcome(step, strategy, problem, solution, basis, balance, before, constant)


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
