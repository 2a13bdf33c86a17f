"""Parameters and weights, checked before any work is done."""

import numbers

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin.kernels.sample import Sample
from maxmargin.search.restarts import SEARCHES

STARTS = ("auto", "random", "k-means++")
LANDMARKS = ("random", "k-means++", "leader")  # how they are found


def check_parameters(estimator) -> None:
    """Refuse parameters of a kind or size that no fit can use."""
    if estimator.n_clusters != "auto":
        check_integer("n_clusters", estimator.n_clusters)
    elif estimator.kernel == "precomputed":
        raise ValueError(
            "n_clusters='auto' looks at neighbours among samples, and a precomputed "
            "kernel has none: give a number."
        )
    check_integer("max_iter", estimator.max_iter)
    if estimator.n_init != "auto":
        check_integer("n_init", estimator.n_init)
    if estimator.search not in SEARCHES:
        raise ValueError(
            f"search={estimator.search!r} is not known: use one of {SEARCHES}."
        )
    if isinstance(estimator.init, str) and estimator.init not in STARTS:
        raise ValueError(
            f"init={estimator.init!r} is not known: use {STARTS} or labels."
        )
    check_ridge(estimator)


def check_ridge(estimator) -> None:
    """Refuse a ridge parameter or degrees of freedom that no fit can use."""
    if estimator.alpha is not None:
        check_positive("alpha", estimator.alpha)
    if not isinstance(estimator.degrees_of_freedom, str):
        check_positive("degrees_of_freedom", estimator.degrees_of_freedom)
    elif estimator.degrees_of_freedom != "auto":
        raise ValueError(
            f"degrees_of_freedom={estimator.degrees_of_freedom!r} is not understood: "
            "give 'auto', a share of the samples below 1, or a number."
        )


def check_integer(name: str, value: object) -> None:
    """Refuse what is not a whole number from 1 on."""
    if (
        not isinstance(value, numbers.Integral)
        or isinstance(value, bool)
        or int(value) < 1
    ):
        raise ValueError(f"{name}={value!r} must be a whole number from 1 on.")


def check_positive(name: str, value: object) -> None:
    """Refuse what is not a positive number."""
    if not isinstance(value, numbers.Real) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name}={value!r} must be a positive number.")


def check_weights(sample_weight, n_samples: int) -> np.ndarray:
    """Return the weights as an array of positive or zero numbers, not all zero."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}: give one weight for each of the "
            f"{n_samples} samples."
        )
    if (weights < 0).any():
        raise ValueError("sample_weight has negative values: weights count samples.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every sample: nothing is left.")
    return weights


def check_init(init, n_clusters: int, sample: Sample):
    """Return the kind of start, or the starting labels of the searched samples."""
    if isinstance(init, str):
        return init
    labels = np.asarray(init)
    n_samples = len(sample.inverse)
    if labels.shape != (n_samples,) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"init must hold one whole number for each of the {n_samples} samples."
        )
    if labels.min() < 0 or labels.max() >= n_clusters:
        raise ValueError(
            f"init has labels from {labels.min()} to {labels.max()}: they must lie "
            f"between 0 and n_clusters - 1 = {n_clusters - 1}."
        )
    return labels[sample.indices].astype(np.int64)


def check_landmarks(landmarks, X):
    """Return landmarks in the form that `choose_landmarks` takes."""
    if landmarks is None or (isinstance(landmarks, str) and landmarks == "auto"):
        return landmarks
    if isinstance(landmarks, numbers.Integral) and int(landmarks) >= 1:
        return int(landmarks)
    pair = (landmarks, None) if isinstance(landmarks, str) else landmarks
    if isinstance(pair, tuple) and pair and isinstance(pair[0], str):
        return _check_found_landmarks(pair)
    if not sp.issparse(landmarks) and np.ndim(landmarks) != 2:
        raise ValueError(
            f"landmarks={landmarks!r} is not understood: give 'auto', None for the "
            f"exact method, a number, one of {LANDMARKS}, that and a number, or an "
            "array of points."
        )
    points = check_array(landmarks, accept_sparse="csr", input_name="landmarks")
    if points.shape[1] != X.shape[1]:
        raise ValueError(
            f"landmarks have {points.shape[1]} features and the samples {X.shape[1]}."
        )
    return points


def _check_found_landmarks(pair: tuple):
    """Return how landmarks are found, and their number or ``None``."""
    if pair[0] not in LANDMARKS or len(pair) != 2:
        raise ValueError(
            f"landmarks={pair[0]!r} is not understood: use one of {LANDMARKS}, or a "
            "pair of that and a number."
        )
    kind, number = pair
    if number is None:
        return kind, None
    check_integer("the number of landmarks", number)
    return kind, int(number)
