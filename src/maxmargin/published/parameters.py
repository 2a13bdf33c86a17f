"""Checks of parameters that several published methods have."""

import numbers

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin.engine.checks import check_choice, check_degrees, check_positive
from maxmargin.rows.sample import Sample
from maxmargin.smoothers.landmarks import Landmarks

LANDMARK_SELECTIONS = ("random", "k-means++", "leader")


def check_landmarks(estimator, X) -> Landmarks:
    """Return the parameters ``landmarks`` and ``landmark_selection`` as a record."""
    landmarks = estimator.landmarks
    selection = getattr(estimator, "landmark_selection", "random")
    check_choice("landmark_selection", selection, LANDMARK_SELECTIONS)
    if landmarks is None or (isinstance(landmarks, str) and landmarks == "auto"):
        return Landmarks(landmarks, selection)
    if isinstance(landmarks, numbers.Integral) and int(landmarks) >= 1:
        return Landmarks(int(landmarks), selection)
    if not sp.issparse(landmarks) and np.ndim(landmarks) != 2:
        raise ValueError(
            f"landmarks={landmarks!r} is not understood: give 'auto', a number, an "
            "array of points, or None for the exact method."
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
    labels = np.asarray(init)
    if labels.shape != (sample.n_rows,) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"init must have one integer for each of the {sample.n_rows} samples."
        )
    if labels.min() < 0 or labels.max() >= n_clusters:
        raise ValueError(
            f"init has labels from {labels.min()} to {labels.max()}: they must lie "
            f"between 0 and n_clusters - 1 = {n_clusters - 1}."
        )
    return labels[sample.indices].astype(np.int64)
