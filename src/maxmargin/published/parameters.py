"""Parameters that several published methods have: checks, and the width of papers."""

import numbers
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin.engine.checks import check_choice, check_degrees, check_positive
from maxmargin.rows.sample import Sample
from maxmargin.smoothers.distances import SquaredDistances
from maxmargin.smoothers.landmarks import Landmarks

LANDMARK_SELECTIONS = ("random", "k-means++", "leader")
PAPERS = ("000", "002", "003", "004")


def check_landmarks(estimator, X) -> Landmarks:
    """Return the parameters ``landmarks`` and ``landmark_selection`` as a record."""
    landmarks = estimator.landmarks
    selection = getattr(estimator, "landmark_selection", "random")
    check_choice("landmark_selection", selection, LANDMARK_SELECTIONS)
    if landmarks is None or (isinstance(landmarks, str) and landmarks == "auto"):
        return Landmarks(landmarks, selection)
    if isinstance(landmarks, numbers.Integral) and int(landmarks) >= 1:
        return Landmarks(int(landmarks), selection)
    if isinstance(landmarks, float) and 0 < landmarks < 1:  # a share
        return Landmarks(max(int(landmarks * X.shape[0]), 1), selection)
    if not sp.issparse(landmarks) and np.ndim(landmarks) != 2:
        raise ValueError(
            f"landmarks={landmarks!r} is not understood: give 'auto', a number, a "
            "share of the samples, an array of points, or None for the exact method."
        )
    points = check_array(landmarks, accept_sparse="csr", input_name="landmarks")
    if points.shape[1] != X.shape[1]:
        raise ValueError(
            f"landmarks have {points.shape[1]} features and the samples {X.shape[1]}."
        )
    return Landmarks(points, selection)


def check_ridge(estimator) -> None:
    """Raise an error for an invalid ridge parameter or degrees of freedom."""
    if estimator.alpha is not None:
        check_positive("alpha", estimator.alpha)
    check_degrees(estimator.degrees_of_freedom)


def check_init(init, n_clusters: int, sample: Sample) -> str | np.ndarray:
    """Return the kind of start, or the starting labels of the distinct samples."""
    if isinstance(init, str):
        return init
    return _check_labels("init", init, 0, n_clusters, sample)


def check_known(known, n_clusters: int, sample: Sample) -> np.ndarray | None:
    """Return the known labels of the samples, -1 where there is none."""
    if known is None:
        return None
    return _check_labels("known_labels", known, -1, n_clusters, sample)


def _check_labels(name, given, least: int, n_clusters: int, sample: Sample):
    labels = np.asarray(given)
    if labels.shape != (sample.n_rows,) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"{name} must have one integer for each of the {sample.n_rows} samples."
        )
    if labels.min() < least or labels.max() >= n_clusters:
        raise ValueError(
            f"{name} has labels from {labels.min()} to {labels.max()}: they must lie "
            f"between {least} and n_clusters - 1 = {n_clusters - 1}."
        )
    return labels[sample.indices].astype(np.int64)


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
