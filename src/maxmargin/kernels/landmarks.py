"""Which samples span the fitted functions: all of them, or some landmarks."""

from typing import Any

import numpy as np
from scipy.linalg.lapack import dpstrf

from maxmargin.kernels.centers import find_centers
from maxmargin.kernels.degrees_of_freedom import auto_degrees
from maxmargin.kernels.exact_smoother import exact_smoother
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.low_rank_smoother import landmark_smoother
from maxmargin.kernels.sample import Sample
from maxmargin.kernels.smoother import Ridge, Smoother

# Up to so many samples the smoother is exact, beyond there are some landmarks for each
# degree of freedom.
EXACT_SAMPLES = 2000
LANDMARKS_PER_DEGREE = 2
# What is left of a landmark's kernel value after projection on the others, in shares of
# the largest, below which it adds nothing but rounding.
NEGLIGIBLE = 1e-10


def choose_landmarks(
    kernel: Kernel,
    X,
    sample: Sample,
    landmarks,
    random: np.random.RandomState,
    degrees: float | None = None,
) -> Any:
    """Return the landmarks as a basis for the kernel, or ``None`` for all samples.

    ``landmarks`` is ``"auto"``, ``None``, a number of landmarks to draw, a pair of how
    to find them and their number or ``None``, or the landmarks themselves. ``"auto"``
    takes all samples as long as they are few, and some for each degree of freedom that
    is expected beyond, without those that the others span; so many are also found where
    no number is given. A sample from which some were left out always gets landmarks,
    because what is left out is labelled by means of them.
    """
    n_samples = len(sample.indices)
    spare = isinstance(landmarks, str) and kernel.name == "rbf"
    if isinstance(landmarks, str):
        if n_samples <= EXACT_SAMPLES and sample.complete:
            return None
        landmarks = ("random", None)
    if isinstance(landmarks, int):
        landmarks = ("random", landmarks)
    if landmarks is None:
        return None
    kind, number = landmarks if isinstance(landmarks, tuple) else ("points", None)
    if kernel.precomputed and kind != "random":
        raise ValueError(
            f"landmarks by {kind} need samples, and a precomputed kernel has none: "
            "give 'random' or a number."
        )
    if kind == "points":
        return landmarks
    if number is None:
        degrees = auto_degrees(n_samples) if degrees is None else degrees
        number = int(np.ceil(LANDMARKS_PER_DEGREE * degrees))
    if kind == "random":
        size = min(number, n_samples)
        chosen = np.sort(random.choice(n_samples, size, replace=False))
        drawn = kernel.take(X, sample.indices[chosen])
        return drawn[independent(kernel(drawn, drawn))] if spare else drawn
    return find_centers(kind, X[sample.indices], sample.weights, number, random)


def independent(corner: np.ndarray) -> np.ndarray:
    """Return which landmarks span them all, given their kernel matrix, in their order.

    They are the pivots of a Cholesky factor. With few features a smooth kernel has a
    low rank: its functions of two features are spanned by some eighty landmarks.
    """
    tolerance = NEGLIGIBLE * np.diagonal(corner).max()
    pivots, rank = dpstrf(corner, tol=tolerance, lower=1)[1:3]
    return np.sort(pivots[:rank] - 1)


def make_smoother(
    X,
    sample: Sample,
    kernel: Kernel,
    ridge: Ridge,
    landmarks,
    random: np.random.RandomState,
    n_threads: int = 1,
) -> Smoother:
    """Build the smoother of a sample of X with landmarks as `choose_landmarks` has."""
    degrees = ridge.expected_degrees(len(sample.indices))
    landmarks = choose_landmarks(kernel, X, sample, landmarks, random, degrees)
    if landmarks is None:
        return exact_smoother(
            kernel, X, sample.weights, sample.indices, ridge, n_threads
        )
    return landmark_smoother(
        kernel, X, sample.weights, sample.indices, landmarks, ridge, n_threads
    )
