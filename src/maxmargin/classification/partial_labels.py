"""Labels of which some are missing, and pairs of samples, as a user gives them."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, column_or_1d

UNLABELLED = -1


def split_labels(y, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes, sorted, and the class number of each sample, -1 for none.

    Of numbers, -1 means that the label is missing; of strings, ``"-1"``; among
    objects also ``None``.
    """
    y = column_or_1d(y, warn=True)
    if len(y) != n_samples:
        raise ValueError(
            f"y has {len(y)} labels and X {n_samples} samples: give one label for "
            "each, -1 where it is not known."
        )
    given = _given(y)
    numbers = np.full(n_samples, UNLABELLED)
    if not given.any():
        return np.empty(0, dtype=int), numbers
    known = y[given]
    if known.dtype == object:
        known = np.array(known.tolist())
    assert_all_finite(known, input_name="y")
    check_classification_targets(known)
    classes, numbers[given] = np.unique(known, return_inverse=True)
    return classes, numbers


def _given(y: np.ndarray) -> np.ndarray:
    """Tell which labels are given."""
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
    """Return the classes, followed by names for those that no sample was given.

    The names are the smallest numbers from 0 on that are not in use, and with strings
    ``"new 1"``, ``"new 2"`` and so on.
    """
    missing = n_classes - len(classes)
    if missing <= 0:
        return classes
    if classes.dtype.kind in "US":
        candidates = (f"new {i}" for i in range(1, 2 * n_classes + 1))
        fresh = [name for name in candidates if name not in set(classes.astype(str))]
        return np.concatenate([classes.astype(str), fresh[:missing]])
    taken = set(classes.tolist())
    free = [i for i in range(2 * n_classes) if i not in taken][:missing]
    dtype = classes.dtype if classes.dtype.kind in "iuf" else int
    return np.concatenate([classes.astype(dtype), np.array(free, dtype=dtype)])


def check_pairs(name: str, pairs, n_samples: int) -> np.ndarray:
    """Return pairs of sample numbers as an array of two columns."""
    if pairs is None:
        return np.empty((0, 2), dtype=np.int64)
    if len(pairs) == 0:
        return np.empty((0, 2), dtype=np.int64)
    pairs = check_array(pairs, dtype=None, input_name=name)
    if pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold pairs of sample numbers, as two columns.")
    if pairs.min() < 0 or pairs.max() >= n_samples:
        raise ValueError(
            f"{name} has sample numbers from {pairs.min()} to {pairs.max()}: they must "
            f"lie between 0 and {n_samples - 1}."
        )
    return pairs.astype(np.int64)
