"""How wide the margin between two parts is, whoever parted them."""

import numpy as np

from maxmargin.clustering.candidates import JUDGE_SAMPLES
from maxmargin.clustering.model import indicators
from maxmargin.kernels.kernel import make_kernel
from maxmargin.kernels.landmarks import make_smoother
from maxmargin.kernels.leave_one_out import leave_one_out_error
from maxmargin.kernels.sample import draw_part, draw_sample
from maxmargin.kernels.smoother import Ridge


def split_margin(
    X,
    labels: np.ndarray,
    weights: np.ndarray,
    precomputed: bool,
    random: np.random.RandomState,
    n_threads: int = 1,
) -> float:
    """Return 1 minus the leave-one-out error of least squares on the labels 0 and 1.

    The judge has a radial kernel of median width, or the given kernel matrix, and looks
    at some of the samples. Labels that the others tell have a margin around them; the
    number has no unit, so that those of different splits can be compared.
    """
    sample = draw_sample(X, weights, merge=not precomputed, limit=None, random=random)
    part = draw_part(sample, JUDGE_SAMPLES, random)
    name = "precomputed" if precomputed else "rbf"
    kernel = make_kernel(name, X[part.indices], random=random)
    smoother = make_smoother(X, part, kernel, Ridge(), None, random, n_threads)
    return 1.0 - leave_one_out_error(smoother, indicators(labels[part.indices], 2))
