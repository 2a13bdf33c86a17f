"""The parameters ``landmarks`` and ``landmark_selection`` of published methods."""

import numbers

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin.engine.checks import check_choice
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
