"""How well clusters fit data that change, and how much they jump."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from maxmargin.metrics.matching import clustering_error


class KMCost(NamedTuple):
    """The cost of k-means over two snapshots, and its parts; see `km_cost`."""

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
    """Return the squared distances to cluster means, now and before.

    It is ``weight CS + (1 - weight) CT``, equation (20) of Fan et al. (2012), CS being
    the sum over the present samples of the squared distance to the mean of their
    cluster, and CT the same for the past samples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    labels : array-like of shape (n_samples,)
    previous_X : array-like of shape (n_previous, n_features), default=None
        Without it, CT is 0 and the total is CS.
    previous_labels : array-like of shape (n_previous,), default=None
    weight : float, default=0.7
        The share of the present.

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
    X = check_array(X, accept_sparse="csr", dtype=np.float64)
    labels = np.unique(column_or_1d(labels), return_inverse=True)[1]
    check_consistent_length(X, labels)
    sizes = np.bincount(labels)
    targets = np.zeros((len(labels), len(sizes)))
    targets[np.arange(len(labels)), labels] = 1.0
    means = np.asarray(X.T @ targets) / sizes
    squares = X.multiply(X).sum() if hasattr(X, "multiply") else np.sum(X * X)
    return float(max(squares - np.sum(sizes * means**2), 0.0))


def churn(labels: Any, previous_labels: Any, *, rename: bool = False) -> float:
    """Return the share of objects that changed their cluster.

    Parameters
    ----------
    labels : array-like of shape (n_objects,)
        Clusters of the objects that were there both times.
    previous_labels : array-like of shape (n_objects,)
        Their clusters before, in the same order.
    rename : bool, default=False
        Whether names of clusters mean nothing: then they are matched one to one so
        that fewest objects change.

    Returns
    -------
    share : float
        0 without any object.

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
