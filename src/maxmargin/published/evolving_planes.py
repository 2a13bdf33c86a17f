r"""One step of e-MMC as printed: the problems of CDE, IDE and MI for Algorithm 1.

The problems are written out in `EvolvingMMC`. In the notation of `published_planes`:

- **CDE**, (26): two slacks, of weights ``a C`` and ``(1 - a) C``, with the shares
  1 / n1 of the present rows and 1 / n2 of the past ones;
- **IDE**, (8): one slack; an object of both snapshots has the row with the larger of
  ``a (1 - |f_now|)`` and ``(1 - a) (1 - |f_before|)``, shares are over the n objects;
- **MI**: the present rows alone, and a quadratic term in ``w - w_{t-1}``.

The constraint on the sum of the decision values is over all rows, as with the
``x^`` of (25) and (27). Features are those of the kernel as they are, not centred: the
terms of (12) and (30) depend on the origin.
"""

from dataclasses import replace

import numpy as np

from maxmargin.engine.model import MarginModel
from maxmargin.evolving.snapshots import stack_rows
from maxmargin.evolving.step import Outcome
from maxmargin.published.evolving_hinge import (
    HingeStep,
    add_squared_shift,
    hinge_losses,
)
from maxmargin.published.hinge.convex_losses import Pairs
from maxmargin.published.hinge.cutting_plane import MarginSolution
from maxmargin.published.hinge.cutting_plane_clustering import default_C
from maxmargin.published.hinge.master_problem import LinearConstraints, Quadratic
from maxmargin.published.hinge.published_planes import (
    PlaneProblem,
    TwoSides,
    solve_published,
)
from maxmargin.published.hinge.standard_features import (
    StandardFeatures,
    principal_directions,
)
from maxmargin.published.parameters import check_landmarks
from maxmargin.rows.sample import whole_sample
from maxmargin.smoothers.feature_map import FeatureMap
from maxmargin.smoothers.landmarks import make_basis

SHIFTS = ("bound", "separate", "present", "past")


def published_step(step: HingeStep, margin_shift: str) -> Outcome:
    """Cluster the present snapshot, given the past one."""
    model = step.strategy == "model"
    X = step.X if model else stack_rows(step.X, step.past.X)
    features, basis = _features_of(step, X)
    problem = _make_problem(step, features)
    start = _previous_function(step, features, basis, X)
    constant = 0.0
    if model:
        problem, constant = _add_shift(step, problem, start, margin_shift)
    solution = solve_published(problem, start, max_iter=step.clusterer.max_iter)
    return _outcome(step, features, basis, solution, constant)


def _features_of(step: HingeStep, X) -> tuple[StandardFeatures, FeatureMap]:
    """Return the rows in the feature space of the kernel, as they are."""
    kernel = step.clusterer._make_kernel(step.X, step.random)
    landmarks = check_landmarks(step.clusterer, step.X)
    weights = np.ones(X.shape[0])
    basis = make_basis(kernel, X, whole_sample(weights), landmarks, step.random)
    samples = basis(X)
    origin = np.zeros(samples.shape[1])
    return StandardFeatures(samples, weights / len(weights), origin, 1.0), basis


def _make_problem(step: HingeStep, features: StandardFeatures) -> PlaneProblem:
    """Return the problem of a strategy, for MI without its temporal term."""
    a, clusterer = step.weight, step.clusterer
    n_now, n_rows = step.X.shape[0], len(features.shares)
    C, limit = clusterer.C, clusterer.sum_limit
    if C == "auto":
        mean = np.asarray(features.samples.mean(axis=0)).ravel()  # sparse: a row
        centred = replace(features, mean=mean)
        C = default_C(principal_directions(centred, 1, step.random), 2)
    limit = 0.3 * n_rows if limit == "auto" else limit
    now = np.arange(n_rows) < n_now
    pairs = None
    if step.strategy == "cohort":
        shares = np.stack([now / n_now, ~now / (n_rows - n_now)])
        weights = C * np.array([a, 1.0 - a])
    elif step.strategy == "individual":
        pairs = Pairs(step.matches.now, n_now + step.matches.before)
        n_objects = n_rows - len(pairs.first)
        shares = np.where(now, a, 1.0 - a)[None, :] / n_objects
        weights = np.array([C])
    else:
        shares, weights = np.full((1, n_now), 1.0 / n_now), np.array([C])
    curvature = np.ones(features.n_coefficients)
    curvature[-1] = 0.0
    total = features.transpose_dot(np.ones(n_rows))  # of all rows (x, 1)
    return PlaneProblem(
        features,
        TwoSides(shares, pairs),
        Quadratic(curvature, np.zeros(len(curvature))),
        LinearConstraints(np.stack([total, -total]), np.full(2, float(limit))),
        weights,
        clusterer.tol,
        clusterer.cccp_tol,
    )


def _previous_function(
    step: HingeStep, features: StandardFeatures, basis: FeatureMap, X
) -> np.ndarray:
    """Return w and b of the previous snapshot, w in the present features.

    With the linear kernel they are the same. Else w is projected on the span of the
    features: the projection has the same values at the rows.
    """
    model = step.previous.model
    assert model is not None
    b = float(model.offsets[1])
    if step.clusterer.kernel == "linear":
        return np.append(model.coefficients[:, 1], b)
    values = step.previous_values(X) - b
    w = np.linalg.lstsq(features.samples, values, rcond=None)[0]
    return np.append(w, b)


def _add_shift(
    step: HingeStep, problem: PlaneProblem, before: np.ndarray, margin_shift: str
) -> tuple[PlaneProblem, float]:
    """Add the temporal term of MI; return also the part that is constant in v."""
    a, features = step.weight, problem.features
    if margin_shift == "bound":
        beta = a * features.squared_norms().sum()
        penalty = np.append(np.full(len(before) - 1, beta), 0.0)
        return _add_penalty(problem, np.diag(penalty), before)
    if margin_shift == "separate":
        Z = features.samples
        Z = Z.toarray() if hasattr(Z, "toarray") else Z
        penalty = np.zeros((len(before),) * 2)
        penalty[:-1, :-1] = a * Z.T @ Z
        penalty[-1, -1] = a
        return _add_penalty(problem, penalty, before)
    previous, left = step.previous_values(step.X), np.empty(0)
    if margin_shift == "past":
        now, then = step.matches
        previous[now] = step.previous_values(step.past.X)[then]
        gone = np.ones(step.past.X.shape[0], dtype=bool)
        gone[then] = False
        left = step.previous_values(step.past.X)[gone]
    n_terms = len(previous) + len(left)
    shifted, constant = add_squared_shift(problem, previous, left, a * n_terms)
    return shifted, constant


def _add_penalty(
    problem: PlaneProblem, penalty: np.ndarray, before: np.ndarray
) -> tuple[PlaneProblem, float]:
    """Add ``(v - before)' penalty (v - before)``."""
    diagonal = penalty.diagonal()
    if (penalty == np.diag(diagonal)).all():  # keep a diagonal as it is
        curvature = problem.quadratic.curvature + 2.0 * diagonal
    else:
        curvature = np.diag(problem.quadratic.curvature) + 2.0 * penalty
    linear = problem.quadratic.linear - 2.0 * penalty @ before
    changed = replace(problem, quadratic=Quadratic(curvature, linear))
    return changed, float(before @ penalty @ before)


def _outcome(
    step: HingeStep,
    features: StandardFeatures,
    basis: FeatureMap,
    solution: MarginSolution,
    constant: float,
) -> Outcome:
    """Return labels, model and costs."""
    n_now, f = step.X.shape[0], solution.decisions
    functions = features.original_units(solution.v).with_negative()
    model = MarginModel(basis, functions.coefficients, functions.offsets)
    loss = hinge_losses(f)
    if step.strategy == "model":
        temporal = float(np.mean((f - step.previous_values(step.X)) ** 2))
    else:
        temporal = float(loss[n_now:].mean())
    costs = (float(loss[:n_now].mean()), temporal, -(solution.objective + constant))
    labels = (f[:n_now] > 0).astype(np.int64)
    return Outcome(labels, model, model, costs, solution.converged)
