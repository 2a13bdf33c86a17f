"""Input of semi-supervised learning: partly missing labels and pairs of samples."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, column_or_1d

UNLABELLED = -1


class PartialLabels(NamedTuple):
    """The classes, and the class of each sample that has one."""

    classes: np.ndarray  # sorted
    numbers: np.ndarray  # (n_samples,), positions in ``classes``, -1 for no label


def split_labels(y, n_samples: int) -> PartialLabels:
    """Return the classes and the class number of each sample.

    A label is missing if it is -1, among strings ``"-1"``, among objects also ``None``.
    """
    y = column_or_1d(y, warn=True)
    if len(y) != n_samples:
        raise ValueError(
            f"y has {len(y)} labels and X has {n_samples} samples: give one label for "
            "each, -1 if it is not known."
        )
    given = _given(y)
    numbers = np.full(n_samples, UNLABELLED)
    if not given.any():
        return PartialLabels(np.empty(0, dtype=int), numbers)
    known = y[given]
    if known.dtype == object:
        known = np.array(known.tolist())
    assert_all_finite(known, input_name="y")
    check_classification_targets(known)
    classes, numbers[given] = np.unique(known, return_inverse=True)
    return PartialLabels(classes, numbers)


def _given(y: np.ndarray) -> np.ndarray:
    """Return a mask of the labels that are not missing."""
    if y.dtype.kind == "b":
        return np.ones(len(y), dtype=bool)
    if y.dtype == object:
        missing = [
            v is None or (np.ndim(v) == 0 and str(v) in ("-1", "-1.0")) for v in y
        ]
        return ~np.array(missing, dtype=bool)
    if y.dtype.kind in "US":
        return y != y.dtype.type("-1" if y.dtype.kind == "U" else b"-1")
    return y != UNLABELLED


def name_classes(classes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the classes, followed by new names up to ``n_classes``.

    New names are the smallest unused ints from 0 on; if the classes are strings, they
    are ``"new 1"``, ``"new 2"`` and so on.
    """
    missing = n_classes - len(classes)
    if missing <= 0:
        return classes
    if classes.dtype.kind in "US":
        candidates = (f"new {i}" for i in range(1, 2 * n_classes + 1))
        unused = [name for name in candidates if name not in set(classes.astype(str))]
        return np.concatenate([classes.astype(str), unused[:missing]])
    used = set(classes.tolist())
    new = [i for i in range(2 * n_classes) if i not in used][:missing]
    dtype = classes.dtype if classes.dtype.kind in "iuf" else int
    return np.concatenate([classes.astype(dtype), np.array(new, dtype=dtype)])


def check_pairs(name: str, pairs, n_samples: int) -> np.ndarray:
    """Return pairs of sample numbers as an array of two columns."""
    if pairs is None or len(pairs) == 0:
        return np.empty((0, 2), dtype=np.int64)
    pairs = check_array(pairs, dtype=None, input_name=name)
    if pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must hold pairs of sample numbers, as ints in two columns."
        )
    if pairs.min() < 0 or pairs.max() >= n_samples:
        raise ValueError(
            f"{name} has sample numbers from {pairs.min()} to {pairs.max()}: they must "
            f"be between 0 and {n_samples - 1}."
        )
    return pairs.astype(np.int64)
