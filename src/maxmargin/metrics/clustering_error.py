"""The share of samples that a clustering gets wrong."""

from typing import Any

from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils.validation import check_consistent_length, column_or_1d


def clustering_error(labels_true: Any, labels_pred: Any) -> float:
    """Return the share of samples that are wrong under the best matching of labels.

    With ``n_ij`` the number of samples of class i in cluster j, and classes matched
    one to one with clusters by ``p``, it is ``1 - max_p sum_i n_i,p(i) / n``. The
    maximum is that of an assignment problem. Where there are more clusters than
    classes, or fewer, those without a partner count as wrong.

    Parameters
    ----------
    labels_true : array-like of shape (n_samples,)
        Classes, by any names.
    labels_pred : array-like of shape (n_samples,)
        Clusters, by any names.

    Returns
    -------
    error : float
        Between 0 and 1; 0 if the two labellings are the same up to names.

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
    counts = contingency_matrix(labels_true, labels_pred)
    matched = counts[linear_sum_assignment(counts, maximize=True)].sum()
    return float(1.0 - matched / len(labels_true))
