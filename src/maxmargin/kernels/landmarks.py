"""Which samples span the fitted functions: all of them, or some landmarks."""

import numpy as np

from maxmargin.kernels.exact_smoother import exact_smoother
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.low_rank_smoother import landmark_smoother
from maxmargin.kernels.sample import Sample
from maxmargin.kernels.smoother import Ridge, Smoother

# Up to so many samples the smoother is exact, beyond there are some landmarks for each
# degree of freedom.
EXACT_SAMPLES = 2000
LANDMARKS_PER_DEGREE = 2


def make_smoother(
    X,
    sample: Sample,
    kernel: Kernel,
    ridge: Ridge,
    landmarks,
    random: np.random.RandomState,
    n_threads: int = 1,
) -> Smoother:
    """Build the smoother of a sample of X.

    ``landmarks`` is ``"auto"``, ``None`` for the exact smoother, a number of landmarks
    to draw, or the landmarks themselves. A sample from which some were left out always
    gets landmarks, because what is left out is labelled by means of them.
    """
    n_samples = len(sample.indices)
    if isinstance(landmarks, str):
        degrees = ridge.expected_degrees(n_samples)
        exact = n_samples <= EXACT_SAMPLES and sample.complete
        landmarks = None if exact else int(np.ceil(LANDMARKS_PER_DEGREE * degrees))
    if landmarks is None:
        return exact_smoother(
            kernel, X, sample.weights, sample.indices, ridge, n_threads
        )
    if isinstance(landmarks, int):
        size = min(landmarks, n_samples)
        chosen = np.sort(random.choice(n_samples, size, replace=False))
        landmarks = kernel.take(X, sample.indices[chosen])
    return landmark_smoother(
        kernel, X, sample.weights, sample.indices, landmarks, ridge, n_threads
    )
