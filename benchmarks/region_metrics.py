"""Agreement of a segmentation with reference segmentations drawn by people."""

from typing import Any

import numpy as np
from sklearn.metrics.cluster import contingency_matrix


def probabilistic_rand_index(segmentations: Any, labels: Any) -> float:
    r"""Return the mean Rand index of a segmentation and reference segmentations.

    With :math:`p_{ij}` the share of the reference segmentations in which the pixels i
    and j are in one segment, and :math:`c_{ij}` 1 if their labels are equal and 0
    otherwise, it is the mean of :math:`c_{ij} p_{ij} + (1 - c_{ij})(1 - p_{ij})` over
    all pairs, which is the mean of the Rand indices with the references [1]_.

    Parameters
    ----------
    segmentations : array-like of shape (n_segmentations, height, width)
        Reference segmentations, or one of shape (height, width).
    labels : array-like of shape (height, width)
        The segmentation to evaluate.

    Returns
    -------
    index : float
        Between 0 and 1.

    References
    ----------
    .. [1] R. Unnikrishnan, C. Pantofaru, M. Hebert. Toward objective evaluation of
       image segmentation algorithms. IEEE Transactions on Pattern Analysis and Machine
       Intelligence 29(6), 2007. doi:10.1109/TPAMI.2007.1046

    Examples
    --------
    >>> from benchmarks.region_metrics import probabilistic_rand_index
    >>> probabilistic_rand_index([[[0, 0, 1, 1]], [[0, 0, 0, 1]]], [[5, 5, 7, 7]])
    0.75
    """
    given, labels = _check_references(segmentations, labels)
    if labels.size < 2 or len(given) == 0:
        raise ValueError(
            "There are no pairs to compare: give at least one reference segmentation "
            "and two pixels."
        )
    pairs = labels.size * (labels.size - 1) / 2
    total = 0.0
    for segmentation in given:
        counts = contingency_matrix(segmentation.ravel(), labels.ravel()).astype(float)
        both = _pairs(counts)
        total += pairs - _pairs(counts.sum(axis=0)) - _pairs(counts.sum(axis=1))
        total += 2 * both
    return float(total / (pairs * len(given)))


def segmentation_covering(segmentations: Any, labels: Any) -> float:
    r"""Return how well a segmentation covers reference segmentations.

    Each segment of a reference counts with its best overlap, intersection over union,
    with a segment of the segmentation, weighted by its number of pixels; the value is
    the mean over the references [1]_.

    Parameters
    ----------
    segmentations : array-like of shape (n_segmentations, height, width)
        Reference segmentations, or one of shape (height, width).
    labels : array-like of shape (height, width)
        The segmentation to evaluate.

    Returns
    -------
    covering : float
        Between 0 and 1.

    References
    ----------
    .. [1] P. Arbelaez, M. Maire, C. Fowlkes, J. Malik. Contour detection and
       hierarchical image segmentation. IEEE Transactions on Pattern Analysis and
       Machine Intelligence 33(5), 2011. doi:10.1109/TPAMI.2010.161

    Examples
    --------
    >>> from benchmarks.region_metrics import segmentation_covering
    >>> segmentation_covering([[0, 0, 1, 1]], [[5, 5, 5, 7]])
    0.5833333333333333
    """
    given, labels = _check_references(segmentations, labels)
    if labels.size == 0 or len(given) == 0:
        raise ValueError("There is nothing to cover: give a reference with pixels.")
    values = []
    for segmentation in given:
        both = contingency_matrix(segmentation.ravel(), labels.ravel()).astype(float)
        sizes = both.sum(axis=1)
        either = sizes[:, None] + both.sum(axis=0) - both
        values.append(sizes @ (both / either).max(axis=1) / labels.size)
    return float(np.mean(values))


def _check_references(segmentations: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return reference segmentations, one or several, and labels of the same size."""
    given, labels = np.asarray(segmentations), np.asarray(labels)
    given = given[None] if given.ndim == labels.ndim else given
    _check_shapes(given.shape[1:], labels.shape)
    return given, labels


def _check_shapes(true: tuple[int, ...], pred: tuple[int, ...]) -> None:
    if true != pred:
        raise ValueError(
            f"Shapes {true} and {pred} differ: compare images of the same size."
        )


def _pairs(counts: np.ndarray) -> float:
    """Return the number of pairs within the groups of the given sizes."""
    return float((counts * (counts - 1)).sum() / 2)


def jaccard_overlap(mask_true: Any, mask_pred: Any) -> float:
    """Return the Jaccard index of two masks, intersection over union.

    Parameters
    ----------
    mask_true, mask_pred : array-like of the same shape
        Masks; nonzero values are inside.

    Returns
    -------
    overlap : float
        Between 0 and 1; 1 also for two empty masks.

    Examples
    --------
    >>> from benchmarks.region_metrics import jaccard_overlap
    >>> jaccard_overlap([1, 1, 0, 0], [0, 1, 1, 0])
    0.3333333333333333
    """
    true = np.asarray(mask_true).astype(bool)
    pred = np.asarray(mask_pred).astype(bool)
    _check_shapes(true.shape, pred.shape)
    either = np.count_nonzero(true | pred)
    return 1.0 if either == 0 else float(np.count_nonzero(true & pred) / either)
