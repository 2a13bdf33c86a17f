r"""CPMMC and e-MMC step by step, as paper 002 prints them (Algorithms 1 and 2).

With decision values ``f = A v``, ``v = (w, b)``, the problem is

    minimise over v, xi >= 0    1/2 v'Pv + q'v + sum_g C_g xi_g
    subject to                  sum_i c_i (1 - |f_i|) <= xi_g    for every c of slack g,

and linear constraints such as ``-l <= sum_i f_i <= l``. A vector c has a share of each
row, such as 1 / n, or zero. The outer loop adds the most violated c to the set of
constraints until none is violated by more than a tolerance. The inner loop is the
concave-convex procedure on the set so far: ``|f_i|`` is replaced by ``sign(f_i) f_i``
with the signs of the solution before, and the Wolfe dual is solved until the objective
no longer falls.

With k > 2 clusters (Zhao, Wang and Zhang, ICML 2008) c names a rival of each row, and
``|f_i|`` is the largest value of a row less that of the rival.

The samples of CPMMC are centred, which changes nothing but b, and keep their scale.
Then the sum of the decision values is the total weight times b, and the constraint
``|sum f| <= l`` is a bound of b. With k > 2 functions the constraint is on the
differences of any two b; as adding a number to all of them changes no difference, it is
the same as a box.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from maxmargin.published.hinge.convex_losses import Pairs, signs_of
from maxmargin.published.hinge.cutting_plane import MarginSolution
from maxmargin.published.hinge.cutting_plane_clustering import default_C
from maxmargin.published.hinge.master_problem import LinearConstraints, Quadratic
from maxmargin.published.hinge.standard_features import (
    StandardFeatures,
    principal_directions,
)
from maxmargin.published.hinge.wolfe_dual import DualSolution, Plane, solve_planes

MAX_ROUNDS = 100  # of the concave-convex procedure


class Selection(ABC):
    """The constraints of a problem."""

    n_slacks: int

    @abstractmethod
    def select(self, f: np.ndarray) -> Any:
        """Return the most violated c of each slack at values f."""

    @abstractmethod
    def tangents(self, c: Any, f: np.ndarray) -> list[tuple[float, np.ndarray]]:
        """Return offset and gradient by the values, for each slack, with signs of f."""

    def violations(self, c: Any, f: np.ndarray) -> np.ndarray:
        """Return ``sum_i c_i (1 - |f_i|)`` for each slack."""
        return np.array(
            [offset + np.vdot(slope, f) for offset, slope in self.tangents(c, f)]
        )


@dataclass(frozen=True)
class TwoSides(Selection):
    """Two clusters. The two rows of each of the ``pairs`` share a slack variable.

    Of these the row with the larger ``share (1 - |f|)`` has a c, equation (16).
    """

    shares: np.ndarray  # (slacks, n), of each row in each slack
    pairs: Pairs | None = None

    @property
    def n_slacks(self) -> int:  # type: ignore[override]
        """Return the number of slack variables."""
        return len(self.shares)

    def select(self, f: np.ndarray) -> np.ndarray:  # noqa: D102
        c = np.where(np.abs(f) < 1.0, self.shares, 0.0)
        if self.pairs is not None:
            first, second = self.pairs
            short = self.shares * (1.0 - np.abs(f))
            later = short[:, second] > short[:, first]
            c[:, first] = np.where(later, 0.0, c[:, first])
            c[:, second] = np.where(later, c[:, second], 0.0)
        return c

    def tangents(self, c, f):  # noqa: D102
        return [(one.sum(), -one * signs_of(f)) for one in c]


@dataclass(frozen=True)
class ManySides(Selection):
    """More clusters, with a function for each."""

    shares: np.ndarray  # (n,)
    n_slacks: int = 1

    def select(self, f: np.ndarray) -> np.ndarray:
        """Return the rival of each row, -1 where its margin is at least one."""
        rows = np.arange(len(f))
        largest = f.argmax(axis=1)
        others = f.copy()
        others[rows, largest] = -np.inf
        rivals = others.argmax(axis=1)
        return np.where(f[rows, largest] - f[rows, rivals] < 1.0, rivals, -1)

    def tangents(self, c, f):  # noqa: D102
        largest = f.argmax(axis=1)
        rows = np.flatnonzero((c >= 0) & (c != largest))
        slope = np.zeros(f.shape)
        slope[rows, c[rows]] = self.shares[rows]
        slope[rows, largest[rows]] = -self.shares[rows]
        return [(self.shares[rows].sum(), slope)]


@dataclass(frozen=True)
class PlaneProblem:
    """A problem of this module."""

    features: StandardFeatures  # the map A
    selection: Selection
    quadratic: Quadratic
    constraints: LinearConstraints
    weights: np.ndarray  # the C_g
    tol: float = 0.01  # the epsilon of the paper
    cccp_tol: float = 0.01  # relative decrease at which the inner loop ends

    def objective(self, v: np.ndarray, f: np.ndarray) -> float:
        """Return the objective at v with values f."""
        losses = self.selection.violations(self.selection.select(f), f)
        return self.quadratic.value(v) + float(self.weights @ losses)


def solve_published(
    problem: PlaneProblem,
    v: np.ndarray,
    *,
    max_iter: int = 1000,
    on_iteration: Callable[[int, float], None] | None = None,
) -> MarginSolution:
    """Run Algorithm 1 (e-MMC) or 2 (CPMMC) from w0 and b0.

    With more than two clusters the replaced values do not bound the true ones, and a c
    may come a second time: nothing would change then, and the run ends.
    """
    selection = problem.selection
    f, xi = problem.features.decide(v), np.zeros(selection.n_slacks)
    history = [problem.objective(v, f)]
    known: list[Any] = []
    c = selection.select(f)
    while not (done := _is_met(problem, known, c, f, xi)) and len(known) < max_iter:
        known.append(c)
        v, f, xi = concave_convex(problem, known, f)
        history.append(problem.objective(v, f))
        if on_iteration is not None:
            on_iteration(len(known), -history[-1])
        c = selection.select(f)
    C = float(problem.weights.sum())
    return MarginSolution(v, f, C, tuple(history), done)


def _is_met(problem: PlaneProblem, known: list[Any], c: Any, f, xi) -> bool:
    """Tell whether c is not violated, or known already."""
    if (problem.selection.violations(c, f) <= xi + problem.tol).all():
        return True
    return any(np.array_equal(c, one) for one in known)


def concave_convex(
    problem: PlaneProblem, known: list[Any], f: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Solve the problem with the known constraints, from values f; return v, f, xi."""
    before: float | None = None
    for _ in range(MAX_ROUNDS):
        found = solve_linearised(problem, known, f)
        f = problem.features.decide(found.v)
        reached = problem.quadratic.value(found.v) + float(problem.weights @ found.xi)
        if before is not None and before - reached <= problem.cccp_tol * abs(before):
            break
        before = reached
    return found.v, f, found.xi


def solve_linearised(
    problem: PlaneProblem, known: list[Any], f: np.ndarray
) -> DualSolution:
    """Solve problem (23), with the signs of the values f."""
    planes = [
        Plane(problem.features.transpose_dot(slope), offset, slack)
        for c in known
        for slack, (offset, slope) in enumerate(problem.selection.tangents(c, f))
    ]
    return solve_planes(problem.quadratic, problem.constraints, planes, problem.weights)


def clustering_problem(
    features: StandardFeatures,
    mean_limit: float,
    C: float | None,
    tolerances: tuple[float, float],
    random: np.random.RandomState,
) -> PlaneProblem:
    """Return the problem with ``|mean f| <= mean_limit``."""
    k = features.n_functions
    if C is None:
        n_clusters = max(k, 2)
        directions = principal_directions(features, n_clusters - 1, random)
        C = default_C(directions, n_clusters)
    curvature = np.ones(features.n_coefficients)
    curvature[-k:] = 0.0
    rows = np.zeros((k, features.n_coefficients))
    rows[:, -k:] = np.eye(k)
    bound = np.full(2 * k, mean_limit if k == 1 else mean_limit / 2)
    many = ManySides(features.shares)
    selection: Selection = TwoSides(features.shares[None, :]) if k == 1 else many
    return PlaneProblem(
        features,
        selection,
        Quadratic(curvature, np.zeros(len(curvature))),
        LinearConstraints(np.concatenate([rows, -rows]), bound),
        np.array([C]),
        *tolerances,
    )


def start_from(
    problem: PlaneProblem, given: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the coefficients of functions ``w'x + b`` of samples that are not centred.

    ``given`` has w (d x k) and b (k).
    """
    w, b = given
    features = problem.features
    return np.concatenate([w.ravel(), b + (features.mean + features.origin) @ w])


def published_starts(
    problem: PlaneProblem, n_init: int, random: np.random.RandomState
) -> Iterator[np.ndarray]:
    """Yield coefficients from which runs start."""
    if problem.features.n_functions == 1:
        yield from _direction_starts(problem, n_init, random)
        return
    for _ in range(n_init):
        yield _k_means_start(problem.features, random)


def _direction_starts(problem, n_init, random) -> Iterator[np.ndarray]:
    """Yield the principal directions, then random combinations of them."""
    directions = principal_directions(problem.features, n_init, random)
    for w in directions.starts(n_init, random):
        yield np.append(w, 0.0)


def _k_means_start(features: StandardFeatures, random) -> np.ndarray:
    """Return functions whose largest one is that of the nearest centre of k-means.

    With centres c_h and the mean squared distance s of the samples from the mean it is
    ``(c_h'x - |c_h|^2 / 2) / s``.
    """
    means = KMeans(features.n_functions, n_init=1, random_state=random)
    with warnings.catch_warnings():  # fewer distinct samples than clusters
        warnings.simplefilter("ignore", ConvergenceWarning)
        means.fit(features.samples, sample_weight=features.shares)
    centers = means.cluster_centers_ - features.mean
    unit = features.shares @ features.squared_norms()
    offsets = -0.5 * (centers**2).sum(axis=1)
    return np.concatenate([centers.T.ravel(), offsets]) / unit
