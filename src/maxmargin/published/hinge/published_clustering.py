"""The problem of CPMMC as printed, and the points from which it is solved.

The samples are centred, which changes nothing but b, and keep their scale. Then the sum
of the decision values is the total weight times b, and the constraint ``|sum f| <= l``
is a bound of b. With k > 2 functions the constraint is on the differences of any two
b; as adding a number to all of them changes no difference, it is the same as a box.
"""

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from maxmargin.published.hinge.cutting_plane_clustering import default_C
from maxmargin.published.hinge.master_problem import LinearConstraints, Quadratic
from maxmargin.published.hinge.published_planes import (
    ManySides,
    PlaneProblem,
    Selection,
    TwoSides,
)
from maxmargin.published.hinge.standard_features import (
    StandardFeatures,
    principal_directions,
)


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
