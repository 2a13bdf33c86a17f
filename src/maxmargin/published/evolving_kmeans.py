"""`EvolvingKMeans`: k-means on each snapshot, or on all rows so far."""

from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from maxmargin.clustering.base import check_n_samples
from maxmargin.engine.checks import check_choice
from maxmargin.engine.model import MarginModel
from maxmargin.evolving.base import EvolvingClusterer
from maxmargin.evolving.snapshots import stack_rows
from maxmargin.evolving.step import Outcome
from maxmargin.smoothers.distances import central_point, shift, squared_distances
from maxmargin.smoothers.feature_map import LinearBasis, ShiftedFeatures

HISTORIES = ("accumulate", "none")


class EvolvingKMeans(EvolvingClusterer):
    """k-means for data that change, a baseline to compare with.

    Clusters keep the labels of the previous snapshot.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters.
    history : {"accumulate", "none"}, default="accumulate"
        ``"accumulate"`` (ACC) clusters all rows seen so far together, ``"none"`` (IND)
        each snapshot by itself.
    n_init : int, default=10
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of each step.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Clusters of the last snapshot; after ``fit`` those of all rows.
    history_ : list of SnapshotRecord
        For each snapshot: time, ids, labels, costs, and the numbers of objects that
        stayed, moved, came and left.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The last centres.
    n_clusters_, n_iter_, n_features_in_ : int
        The numbers of clusters, snapshots and features.

    References
    ----------
    .. [1] X. Fan, L. Cao, X. Cui, L. Zhu, Y.-S. Ong. Maximum margin clustering on
       evolutionary data. ACM International Conference on Information and Knowledge
       Management, 2012.

    Examples
    --------
    >>> from maxmargin.published import EvolvingKMeans
    >>> X = [[0.0], [0.1], [5.0], [5.2]]
    >>> clusters = EvolvingKMeans(2, random_state=0).partial_fit(X, time=1)
    >>> clusters = clusters.partial_fit([[0.2], [0.3], [5.1], [5.4]], time=2)
    >>> clusters.history_[-1].stayed
    4
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        history: str = "accumulate",
        n_init: Any = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.history = history
        self.n_init = n_init
        self.random_state = random_state

    def _check(self):
        super()._check()
        check_choice("history", self.history, HISTORIES)

    def _advance(self, X, ids, past, previous):
        rows = X
        if past is not None and self.history == "accumulate":
            rows = stack_rows(X, previous.memory)
        check_n_samples(rows.shape[0], self.n_clusters)
        means = KMeans(
            self.n_clusters,
            n_init=self.n_init,
            random_state=check_random_state(self.random_state),
        )
        origin = central_point(rows)
        shifted = shift(rows, origin)
        means.fit(shifted)
        labels = means.labels_[: X.shape[0]].astype(np.int64)
        centers = means.cluster_centers_.astype(np.float64)
        squares = squared_distances(shifted, centers).min(axis=1)
        model = MarginModel(
            ShiftedFeatures(LinearBasis(), origin),
            2.0 * centers.T,
            -(centers**2).sum(axis=1),
        )
        costs = (
            float(squares[: X.shape[0]].mean()),
            float(squares[X.shape[0] :].mean()) if rows.shape[0] > X.shape[0] else 0.0,
            -float(means.inertia_),
        )
        memory = rows if self.history == "accumulate" else None
        return Outcome(labels, model, None, costs, memory=memory)

    @property
    def cluster_centers_(self) -> np.ndarray:
        """Return the last centres."""
        model = self._last_outcome().model
        return model.coefficients.T / 2.0 + model.feature_map.origin

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of each sample, the one with the nearest centre.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self._last_outcome().label(self._validate(X, first=False))
