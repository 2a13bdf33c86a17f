"""How well a segmentation of an image agrees with those that people drew."""

from typing import Any

import numpy as np
from scipy import ndimage
from sklearn.metrics.cluster import contingency_matrix


def probabilistic_rand_index(segmentations: Any, labels: Any) -> float:
    r"""Return the share of pairs of pixels on which a segmentation and people agree.

    With :math:`p_{ij}` the share of the given segmentations that put the pixels i and j
    into one segment, and :math:`c_{ij}` 1 if the labels are equal and else 0, it is the
    mean over all pairs of :math:`c_{ij} p_{ij} + (1 - c_{ij})(1 - p_{ij})`, which is
    the mean of the Rand indices with the segmentations [1]_.

    Parameters
    ----------
    segmentations : array-like of shape (n_segmentations, height, width)
        Segmentations to compare with, or one of shape (height, width).
    labels : array-like of shape (height, width)
        The segmentation to judge.

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
    >>> from maxmargin.metrics import probabilistic_rand_index
    >>> probabilistic_rand_index([[[0, 0, 1, 1]], [[0, 0, 0, 1]]], [[5, 5, 7, 7]])
    0.75
    """
    labels = np.asarray(labels)
    given = np.asarray(segmentations)
    given = given[None] if given.ndim == labels.ndim else given
    if given.shape[1:] != labels.shape or labels.size < 2 or len(given) == 0:
        raise ValueError(
            f"Segmentations of shape {given.shape[1:]} and labels of shape "
            f"{labels.shape} do not go together: give images of the same size."
        )
    pairs = labels.size * (labels.size - 1) / 2
    total = 0.0
    for segmentation in given:
        counts = contingency_matrix(segmentation.ravel(), labels.ravel()).astype(float)
        both = _pairs(counts)
        total += pairs - _pairs(counts.sum(axis=0)) - _pairs(counts.sum(axis=1))
        total += 2 * both
    return float(total / (pairs * len(given)))


def _pairs(counts: np.ndarray) -> float:
    return float((counts * (counts - 1)).sum() / 2)


def jaccard_overlap(mask_true: Any, mask_pred: Any) -> float:
    """Return what two masks have in common, as a share of what either has.

    Parameters
    ----------
    mask_true, mask_pred : array-like of the same shape
        Masks: zero outside.

    Returns
    -------
    overlap : float
        Between 0 and 1; 1 also for two empty masks.

    Examples
    --------
    >>> from maxmargin.metrics import jaccard_overlap
    >>> jaccard_overlap([1, 1, 0, 0], [0, 1, 1, 0])
    0.3333333333333333
    """
    true = np.asarray(mask_true).astype(bool)
    pred = np.asarray(mask_pred).astype(bool)
    if true.shape != pred.shape:
        raise ValueError(
            f"Masks of shapes {true.shape} and {pred.shape} do not go together: give "
            "masks of the same size."
        )
    either = np.count_nonzero(true | pred)
    return 1.0 if either == 0 else float(np.count_nonzero(true & pred) / either)


def boundary_agreement(labels_true: Any, labels_pred: Any, tolerance: int = 2) -> float:
    """Return how well two segmentations agree on where segments end.

    A boundary pixel, one whose right or lower neighbour has another label, is found
    again if the other segmentation has one within ``tolerance`` pixels. The value is
    the harmonic mean of the shares that are found again, each in the other.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (height, width)
    tolerance : int, default=2

    Returns
    -------
    agreement : float
        Between 0 and 1; 1 if neither has a boundary.

    Examples
    --------
    >>> from maxmargin.metrics import boundary_agreement
    >>> boundary_agreement([[0, 0, 1, 1]], [[0, 1, 1, 1]], tolerance=1)
    1.0
    """
    true, pred = _boundary(labels_true), _boundary(labels_pred)
    if true.shape != pred.shape:
        raise ValueError(
            f"Labels of shapes {true.shape} and {pred.shape} do not go together: give "
            "images of the same size."
        )
    if not true.any() or not pred.any():
        return float(true.any() == pred.any())
    precision = (ndimage.distance_transform_edt(~true)[pred] <= tolerance).mean()
    recall = (ndimage.distance_transform_edt(~pred)[true] <= tolerance).mean()
    total = precision + recall
    return float(2 * precision * recall / total) if total > 0 else 0.0


def _boundary(labels: Any) -> np.ndarray:
    labels = np.asarray(labels)
    if labels.ndim != 2:
        raise ValueError(f"Labels have {labels.ndim} dimensions: an image has two.")
    edge = np.zeros(labels.shape, dtype=bool)
    edge[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    edge[:-1] |= labels[:-1] != labels[1:]
    return edge
