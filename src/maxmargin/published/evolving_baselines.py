"""The baselines of paper 002: k-means, and normalised cuts that change little."""

from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from maxmargin.clustering.base import check_n_samples
from maxmargin.engine.checks import check_choice
from maxmargin.engine.model import MarginModel
from maxmargin.evolving.base import EvolvingClusterer
from maxmargin.evolving.snapshots import match_objects, stack_rows
from maxmargin.evolving.step import Outcome
from maxmargin.search.eigenpairs import largest_eigenpairs
from maxmargin.smoothers.distances import central_point, shift, squared_distances
from maxmargin.smoothers.feature_map import LinearBasis, ShiftedFeatures
from maxmargin.smoothers.kernel import make_kernel

HISTORIES = ("accumulate", "none")
PRESERVES = ("quality", "membership")
LANCZOS_SIZE = 300


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


class EvolvingSpectralClustering(EvolvingClusterer):
    r"""Evolutionary spectral clustering, a baseline to compare with.

    With the normalised similarity :math:`\tilde W_t = D^{-1/2} W_t D^{-1/2}` of a
    snapshot and its leading eigenvectors :math:`Z_t`, the clusters of the next one are
    those of the leading eigenvectors of
    :math:`a \tilde W_t + (1 - a) \tilde W_{t-1}` (quality, PCQ) or
    :math:`a \tilde W_t + (1 - a) Z_{t-1} Z_{t-1}^T` (membership, PCM) [1]_. Objects
    that left lose their rows and columns; those that came get mean ones. Memory and
    time grow with the square of the number of objects.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters.
    preserve : {"quality", "membership"}, default="quality"
        What is kept stable: the quality of the clusters on the past similarities, or
        the membership of objects.
    weight : float, default=0.7
        The weight a of the present.
    kernel : str or callable, default="rbf"
        The similarity: a kernel of
        :func:`sklearn.metrics.pairwise.pairwise_kernels`. It must not be negative.
    gamma : "median", float or None, default="median"
        Width parameter of the kernels that have one.
    n_init : int, default=10
        Number of starts of k-means on the eigenvectors.
    random_state : int, RandomState instance or None, default=None
        Seed of each step.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Clusters of the last snapshot; after ``fit`` those of all rows.
    history_ : list of SnapshotRecord
        For each snapshot: time, ids, labels, costs, and the numbers of objects that
        stayed, moved, came and left.
    n_clusters_, n_iter_, n_features_in_ : int
        The numbers of clusters, snapshots and features.

    References
    ----------
    .. [1] Y. Chi, X. Song, D. Zhou, K. Hino, B. L. Tseng. Evolutionary spectral
       clustering by incorporating temporal smoothness. ACM SIGKDD International
       Conference on Knowledge Discovery and Data Mining, 2007.

    Examples
    --------
    >>> from maxmargin.published import EvolvingSpectralClustering
    >>> X = [[0.0], [0.1], [5.0], [5.2]]
    >>> clusters = EvolvingSpectralClustering(2, random_state=0)
    >>> clusters = clusters.partial_fit(X, time=1)
    >>> clusters = clusters.partial_fit([[0.2], [0.3], [5.1], [5.4]], time=2)
    >>> clusters.history_[-1].stayed
    4
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        preserve: str = "quality",
        weight: Any = 0.7,
        kernel: Any = "rbf",
        gamma: Any = "median",
        n_init: Any = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.preserve = preserve
        self.weight = weight
        self.kernel = kernel
        self.gamma = gamma
        self.n_init = n_init
        self.random_state = random_state

    def _check(self):
        super()._check()
        check_choice("preserve", self.preserve, PRESERVES)

    def _advance(self, X, ids, past, previous):
        random = check_random_state(self.random_state)
        n_objects, k = X.shape[0], min(self.n_clusters, X.shape[0])
        kernel = make_kernel(self.kernel, X, gamma=self.gamma, random=random)
        present = normalised(kernel(X, X))
        mixed, before = present, None
        if past is not None:
            matches = match_objects(ids, past.ids)
            if len(matches.now):
                before = carried_over(previous.memory, matches, n_objects)
                mixed = self.weight * present + (1.0 - self.weight) * before
        vectors = leading_vectors(mixed, k)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        rows = vectors / np.maximum(lengths, np.finfo(float).tiny)
        means = KMeans(k, n_init=self.n_init, random_state=random).fit(rows)
        labels = means.labels_.astype(np.int64)
        memory = present if self.preserve == "quality" else vectors @ vectors.T
        costs = (
            k - _fit(vectors, present),
            0.0 if before is None else k - _fit(vectors, before),
            _fit(vectors, mixed),
        )
        return Outcome(labels, None, None, costs, memory=memory)


def leading_vectors(matrix: np.ndarray, number: int) -> np.ndarray:
    """Return the eigenvectors of the largest eigenvalues of a symmetric matrix.

    Large matrices use the Lanczos method with a fixed starting vector.
    """
    n = len(matrix)
    if n >= LANCZOS_SIZE and 3 * number < n:
        start = np.random.RandomState(0).rand(n)  # fixed: the result is deterministic
        vectors = eigsh(matrix, number, which="LA", v0=start)[1]
    else:
        vectors = largest_eigenpairs(matrix, number)[1]
    return np.asarray(vectors)


def normalised(similarity: np.ndarray) -> np.ndarray:
    """Return ``D^-1/2 W D^-1/2`` with the row sums D of W."""
    roots = np.sqrt(np.maximum(similarity.sum(axis=1), np.finfo(float).tiny))
    scaled: np.ndarray = similarity / roots / roots[:, None]
    return scaled


def carried_over(matrix: np.ndarray, matches, n_objects: int) -> np.ndarray:
    """Return a matrix between past objects as one between the present ones.

    Objects that came get the mean values of those that stayed.
    """
    kept = matrix[np.ix_(matches.before, matches.before)]
    result = np.full((n_objects, n_objects), kept.mean())
    means = np.full(n_objects, kept.mean())
    means[matches.now] = kept.mean(axis=1)
    result[matches.now, :] = means[matches.now, None]
    result[:, matches.now] = means[matches.now]
    result[np.ix_(matches.now, matches.now)] = kept
    return result


def _fit(vectors: np.ndarray, matrix: np.ndarray) -> float:
    return float(np.einsum("nk,nk->", vectors, matrix @ vectors))
