"""Quality of clusters over two snapshots, and changes between them."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from maxmargin.metrics.matching import clustering_error
from maxmargin.rows.sample import squared_norms
from maxmargin.smoothers.distances import central_point, shift


class KMCost(NamedTuple):
    """The k-means cost of two snapshots and its parts; see `km_cost`."""

    total: float
    snapshot: float
    temporal: float


def km_cost(
    X: Any,
    labels: Any,
    previous_X: Any = None,
    previous_labels: Any = None,
    *,
    weight: float = 0.7,
) -> KMCost:
    """Return the k-means cost of the current and the previous snapshot.

    It is ``weight CS + (1 - weight) CT``, equation (20) of Fan et al. (2012). CS is the
    sum over the current samples of the squared distance to the mean of their cluster,
    CT the same for the previous samples.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples of the current snapshot.
    labels : array-like of shape (n_samples,)
        Their clusters.
    previous_X : array-like of shape (n_previous, n_features), default=None
        Samples of the previous snapshot, dense or sparse. If None, CT is 0 and the
        total is CS.
    previous_labels : array-like of shape (n_previous,), default=None
        Their clusters.
    weight : float, default=0.7
        Weight of the current snapshot, between 0 and 1.

    Returns
    -------
    cost : KMCost
        With ``total``, ``snapshot`` (CS) and ``temporal`` (CT).

    Examples
    --------
    >>> from maxmargin.metrics import km_cost
    >>> km_cost([[0.0], [2.0]], [0, 0], [[0.0], [4.0]], [0, 0], weight=0.5).total
    5.0
    """
    snapshot = _within(X, labels)
    if previous_X is None:
        return KMCost(snapshot, snapshot, 0.0)
    temporal = _within(previous_X, previous_labels)
    total = weight * snapshot + (1.0 - weight) * temporal
    return KMCost(total, snapshot, temporal)


def _within(X: Any, labels: Any) -> float:
    """Return the sum of the squared distances to the cluster means."""
    X = check_array(X, accept_sparse="csr", dtype=np.float64)
    labels = np.unique(column_or_1d(labels), return_inverse=True)[1]
    check_consistent_length(X, labels)
    total = 0.0
    for label in range(labels.max() + 1):
        rows = X[labels == label]
        rows = shift(rows, central_point(rows))
        mean = np.asarray(rows.mean(axis=0)).reshape(-1)
        squares = squared_norms(rows).sum()
        total += max(float(squares - rows.shape[0] * mean @ mean), 0.0)
    return total


def churn(labels: Any, previous_labels: Any, *, rename: bool = False) -> float:
    """Return the share of objects that changed their cluster.

    Parameters
    ----------
    labels : array-like of shape (n_objects,)
        Current clusters of the objects that are in both snapshots.
    previous_labels : array-like of shape (n_objects,)
        Their previous clusters, in the same order.
    rename : bool, default=False
        Whether to match the labels of the two snapshots first, one to one and so that
        the fewest objects change; see `clustering_error`.

    Returns
    -------
    share : float
        Between 0 and 1; 0 if there are no objects.

    Examples
    --------
    >>> from maxmargin.metrics import churn
    >>> churn([0, 0, 1, 1], [0, 0, 0, 1])
    0.25
    >>> churn([1, 1, 0, 0], [0, 0, 1, 1], rename=True)
    0.0
    """
    labels, previous_labels = column_or_1d(labels), column_or_1d(previous_labels)
    check_consistent_length(labels, previous_labels)
    if len(labels) == 0:
        return 0.0
    if not rename:
        return float(np.mean(labels != previous_labels))
    return clustering_error(previous_labels, labels)
