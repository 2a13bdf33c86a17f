"""The samples that span the fitted functions: all of them, or some landmarks."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve_triangular
from sklearn.cluster import KMeans, kmeans_plusplus

from maxmargin.rows.sample import Sample
from maxmargin.smoothers.cholesky import pivoted_cholesky
from maxmargin.smoothers.degrees_of_freedom import Ridge, auto_degrees
from maxmargin.smoothers.distances import central_point, shift
from maxmargin.smoothers.feature_map import FeatureMap, KernelBasis, LinearBasis
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.leader import find_leaders
from maxmargin.smoothers.smoother import Smoother, exact_smoother, landmark_smoother

CENTERS = ("random", "k-means++", "k-means", "leader")
# Up to this many samples "auto" is exact.
EXACT_SAMPLES = 2000
LANDMARKS_PER_DEGREE = 2
# Centres other than random ones are searched among at most this many samples.
CENTER_SAMPLES = 4000


class Landmarks(NamedTuple):
    """The parameters ``landmarks`` and ``landmark_selection``, checked."""

    given: Any = "auto"  # "auto", None for all samples, a number, or points
    selection: str = "random"  # "random", "k-means++" or "leader"

    @property
    def automatic(self) -> bool:
        """Return True if the number of landmarks is chosen."""
        return isinstance(self.given, str)

    @property
    def are_points(self) -> bool:
        """Return True if the landmarks are given."""
        return not isinstance(self.given, str | int | None)


ALL_SAMPLES = Landmarks(None)


def choose_landmarks(
    kernel: Kernel,
    X,
    sample: Sample,
    landmarks: Landmarks,
    random: np.random.RandomState,
    degrees: float | None = None,
) -> Any:
    """Return the landmarks as a basis for the kernel, or ``None`` for all samples.

    ``"auto"`` is all samples if they are few and complete; else there are two landmarks
    for each expected degree of freedom. Random ones for the radial kernel are reduced
    to those that span the others.
    """
    n_samples = len(sample.indices)
    given, selection = landmarks
    if given is None:
        return None
    if landmarks.automatic and n_samples <= EXACT_SAMPLES and sample.complete:
        return None
    if landmarks.are_points:
        if kernel.precomputed:
            raise ValueError(
                "landmarks that are points need samples, and a precomputed kernel has "
                "none: give a number."
            )
        return given
    if kernel.precomputed and selection != "random":
        raise ValueError(
            f"landmark_selection={selection!r} needs samples, and a precomputed kernel "
            "has none: use 'random'."
        )
    number = given
    if landmarks.automatic:
        degrees = auto_degrees(n_samples) if degrees is None else degrees
        number = int(np.ceil(LANDMARKS_PER_DEGREE * degrees))
    if selection != "random":
        samples = X[sample.indices]
        return find_centers(selection, samples, sample.weights, number, random)
    size = min(number, n_samples)
    chosen = np.sort(random.choice(n_samples, size, replace=False))
    drawn = kernel.take(X, sample.indices[chosen])
    if landmarks.automatic and kernel.name == "rbf":
        return drawn[independent_rows(kernel(drawn, drawn))]
    return drawn


def independent_rows(corner: np.ndarray) -> np.ndarray:
    """Return the landmarks that span all of them, given their kernel matrix.

    They are the pivots of a Cholesky factor, in increasing order. With few features a
    smooth kernel has a low rank: its functions of two features are spanned by some
    eighty landmarks.
    """
    return np.sort(pivoted_cholesky(corner)[1])


def make_smoother(
    X,
    sample: Sample,
    kernel: Kernel,
    ridge: Ridge,
    landmarks: Landmarks,
    random: np.random.RandomState,
) -> Smoother:
    """Build the smoother of a sample of X, exact or with landmarks."""
    degrees = ridge.expected_degrees(len(sample.indices))
    basis = choose_landmarks(kernel, X, sample, landmarks, random, degrees)
    if basis is None:
        return exact_smoother(kernel, X, sample.weights, sample.indices, ridge)
    return landmark_smoother(kernel, X, sample.weights, sample.indices, basis, ridge)


def make_basis(
    kernel: Kernel,
    X,
    sample: Sample,
    landmarks: Landmarks,
    random: np.random.RandomState,
) -> FeatureMap:
    """Return the features of a kernel on the samples ``X[sample.indices]``.

    Of the landmarks, or of all samples, the pivots of a Cholesky factor are kept, so
    that the number of features is the rank of the kernel.
    """
    if kernel.name == "linear":
        return LinearBasis()
    basis = choose_landmarks(kernel, X, sample, landmarks, random)
    if basis is None:
        basis = kernel.take(X, sample.indices)
    return span_basis(kernel, X, basis)


def span_basis(kernel: Kernel, X, points) -> KernelBasis:
    """Return the features of a kernel on the span of some points.

    ``points`` are returned by `Kernel.take` on X, or are any others.
    """
    corner = kernel(X[points] if kernel.precomputed else points, points)
    factor, pivots = pivoted_cholesky(corner)
    inverse = solve_triangular(factor, np.eye(len(pivots)), lower=True)
    return KernelBasis(kernel, points[pivots], np.ascontiguousarray(inverse.T))


def find_centers(
    kind: str, X, weights: np.ndarray, n_centers: int, random: np.random.RandomState
):
    """Return at most ``n_centers`` points that represent the samples.

    ``"random"`` draws samples; ``"k-means++"`` draws them one by one, with a
    probability that grows with the distance to those drawn; ``"k-means"`` returns
    cluster means; ``"leader"`` the centres of leader clustering, with the radius that
    yields that number. Samples of weight zero are ignored. If there are no more samples
    than centres, all samples are returned.
    """
    if kind == "random":
        rows = np.flatnonzero(weights > 0)
        size = min(n_centers, len(rows))
        return X[np.sort(random.choice(rows, size, replace=False))]
    rows = center_rows(weights, random)
    n_centers = min(n_centers, len(rows))
    X, weights = X[rows], weights[rows]
    if n_centers == len(rows):
        return X
    if kind == "leader":
        return find_leaders(X, weights, n_centers).centers.astype(X.dtype)
    origin = central_point(X)
    moved = shift(X, origin)
    if kind == "k-means++":
        chosen = kmeans_plusplus(
            moved, n_centers, sample_weight=weights, random_state=random
        )[1]
        return X[chosen]
    means = KMeans(n_centers, n_init=1, random_state=random)
    centers = means.fit(moved, sample_weight=weights).cluster_centers_ + origin
    centers = centers.astype(X.dtype)
    return type(X)(centers) if sp.issparse(X) else centers


def center_rows(weights: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Return the rows among which centres are searched."""
    rows = np.flatnonzero(weights > 0)
    if len(rows) > CENTER_SAMPLES:
        rows = np.sort(random.choice(rows, CENTER_SAMPLES, replace=False))
    return rows
