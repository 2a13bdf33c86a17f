"""The width of the Gaussian kernel in the units of the papers."""

from typing import Any

import numpy as np
from sklearn.utils import check_array

from maxmargin.engine.checks import check_choice, check_positive
from maxmargin.smoothers.distances import SquaredDistances

PAPERS = ("000", "002", "003", "004")


def paper_gamma(X: Any, width: float, paper: str = "000") -> float:
    r"""Return ``gamma`` of the radial kernel for a width as a paper has it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The samples.
    width : float
        The width in the units of the paper.
    paper : {"000", "002", "003", "004"}, default="000"
        Papers 000 and 004 have :math:`\exp(-d^2 / \sigma^2)` with :math:`\sigma` in
        units of :math:`s`, the root of the sum of the squared ranges of the columns.
        Paper 003 has it in units of the largest distance of two samples; its Gaussian
        kernel, for which it gives no formula, is taken as
        :math:`\exp(-d^2 / 2 \sigma^2)`. Paper 002 has
        :math:`\exp(-d^2 / 2 \delta^2)`, with :math:`\delta` as it is.

    Returns
    -------
    gamma : float

    Examples
    --------
    >>> from maxmargin.published import paper_gamma
    >>> paper_gamma([[0.0, 0.0], [3.0, 4.0]], 2)
    0.01
    """
    check_choice("paper", paper, PAPERS)
    check_positive("width", width)
    X = check_array(X, dtype=np.float64)
    if paper == "002":
        return float(1.0 / (2.0 * width**2))
    if paper == "003":
        distances = SquaredDistances(X)
        largest = max(float(distances(row[None, :]).max()) for row in X)
        return float(1.0 / (2.0 * width**2 * largest))
    return float(1.0 / (width**2 * (np.ptp(X, axis=0) ** 2).sum()))
