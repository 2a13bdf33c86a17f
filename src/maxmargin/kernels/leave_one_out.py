"""How well labels are predicted for samples left out."""

import numpy as np

from maxmargin.kernels.smoother import Smoother

LEAST = 0.01  # a sample that decides its own fit counts as one that does so to 99 %


def leave_one_out_error(smoother: Smoother, indicators: np.ndarray) -> float:
    """Return the error of least squares on labels of samples left out, 1 for none.

    With the smoother ``S``, weights ``w``, leverages ``h_j = S_jj / w_j``, indicators
    ``Z`` (n x k), the function fitted to all samples but j errs at j by
    ``(Z_j - (S Z)_j / w_j) / (1 - h_j)``: no function is fitted twice. The weighted sum
    of squares is divided by that of the means of ``Z``, so that guessing by the sizes
    of the clusters has error 1 and labels that any neighbour could tell have error 0.
    """
    weights = smoother.weights
    leverage = smoother.diagonal() / weights
    residuals = indicators - smoother.dot(indicators) / weights[:, None]
    residuals /= np.maximum(1.0 - leverage, LEAST)[:, None]
    shares = weights @ indicators / weights.sum()
    spread = weights.sum() * np.sum(shares * (1.0 - shares))
    if spread <= 0:
        return 1.0
    return float(weights @ np.sum(residuals**2, axis=1) / spread)
