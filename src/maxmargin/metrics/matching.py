"""Two clusterings of the same samples: common samples, matched labels, the error.

With ``n_gh`` the number of samples of cluster g in one clustering and of cluster h in
the other, the best matching of labels is the one-to-one map p with the largest
``sum_g n_g,p(g)``, an assignment problem.
"""

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.utils.validation import check_consistent_length, column_or_1d


def contingency_table(
    labels: Any,
    reference: Any,
    n_labels: int | None = None,
    n_reference: int | None = None,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Return the number, or the weight, of the samples of each pair of clusters.

    Unlike :func:`sklearn.metrics.cluster.contingency_matrix` it takes weights and has a
    row and a column for empty clusters, too. Their numbers are by default the largest
    label plus one. Samples with a negative label in either clustering do not count.
    """
    labels, n_labels = _check_labels("labels", labels, n_labels)
    reference, n_reference = _check_labels("reference", reference, n_reference)
    check_consistent_length(labels, reference, sample_weight)
    both = (labels >= 0) & (reference >= 0)
    pairs = labels[both] * n_reference + reference[both]
    weights = None if sample_weight is None else np.asarray(sample_weight)[both]
    counts = np.bincount(pairs, weights, minlength=n_labels * n_reference)
    return counts.reshape(n_labels, n_reference)


def _check_labels(
    name: str, labels: Any, n_clusters: int | None
) -> tuple[np.ndarray, int]:
    """Return labels as 64-bit ints, and the number of clusters."""
    labels = column_or_1d(labels)
    if len(labels) and labels.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must be ints, not {labels.dtype}: encode other labels by "
            "np.unique(labels, return_inverse=True)[1]."
        )
    largest = int(labels.max(initial=-1))
    if n_clusters is not None and largest >= n_clusters:
        raise ValueError(
            f"{name} has the label {largest} and there are {n_clusters} clusters: "
            "labels must be below their number."
        )
    return labels.astype(np.int64), largest + 1 if n_clusters is None else n_clusters


def match_labels(
    labels: Any,
    reference: Any,
    n_clusters: int | None = None,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Return the new label of each cluster so that most samples agree with a reference.

    Among the one-to-one maps p of labels it is the one with the largest number, or
    weight, of samples for which ``p[labels] == reference``.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
        Clusters to rename, ints. Samples with a negative label in either clustering
        have no cluster and do not count.
    reference : array-like of shape (n_samples,)
        Clusters of the same samples whose labels are to be used, ints.
    n_clusters : int, default=None
        Number of clusters of both clusterings; then the result is a permutation. By
        default each clustering has as many as its largest label plus one.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each sample; equal weights by default.

    Returns
    -------
    new_labels : ndarray of shape (n_clusters,)
        ``new_labels[labels]`` are the renamed labels, where none is negative. If there
        are more clusters than in the reference, those without a partner are numbered
        from the number of clusters of the reference on.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.metrics import match_labels
    >>> labels = np.array([2, 2, 0, 0, 1])
    >>> new_labels = match_labels(labels, [0, 0, 1, 1, 1])
    >>> new_labels
    array([1, 2, 0])
    >>> new_labels[labels]
    array([0, 0, 1, 1, 2])
    """
    table = contingency_table(labels, reference, n_clusters, n_clusters, sample_weight)
    new_labels = np.full(len(table), -1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    new_labels[rows] = columns
    unmatched = np.flatnonzero(new_labels < 0)
    new_labels[unmatched] = table.shape[1] + np.arange(len(unmatched))
    return new_labels


def share_moved(labels: np.ndarray, reference: np.ndarray, n_clusters: int) -> float:
    """Return the share of samples whose matched label differs from a reference.

    Samples with a negative reference do not count.
    """
    there = reference >= 0
    if not there.any():
        return 0.0
    labels, reference = labels[there], reference[there]
    new_labels = match_labels(labels, reference, n_clusters)
    return float(np.mean(new_labels[labels] != reference))


def clustering_error(labels_true: Any, labels_pred: Any) -> float:
    """Return the share of samples that are wrong under the best matching of labels.

    With ``n_ij`` the number of samples of class i in cluster j, and classes matched
    one to one with clusters by ``p``, it is ``1 - max_p sum_i n_i,p(i) / n``. If there
    are more clusters than classes, or fewer, the samples of those without a partner
    count as wrong.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        Classes, of any type.
    labels_pred : array-like of shape (n_samples,)
        Clusters, of any type.

    Returns
    -------
    error : float
        Between 0 and 1; 0 if the two labellings are the same up to a permutation of
        the labels.

    Examples
    --------
    >>> from maxmargin.metrics import clustering_error
    >>> clustering_error(["a", "a", "b", "b"], [1, 1, 0, 0])
    0.0
    >>> clustering_error(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.25
    """
    labels_true = column_or_1d(labels_true)
    labels_pred = column_or_1d(labels_pred)
    check_consistent_length(labels_true, labels_pred)
    if len(labels_true) == 0:
        raise ValueError("There are no labels to compare: give at least one sample.")
    true = np.unique(labels_true, return_inverse=True)[1]
    pred = np.unique(labels_pred, return_inverse=True)[1]
    matched = np.count_nonzero(match_labels(pred, true)[pred] == true)
    return float(1.0 - matched / len(true))
