"""`EvolvingMaxMarginClustering`: clusters that follow the data without jumping."""

import numbers
import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.clustering.parameters import check_integer, check_positive
from maxmargin.evolving.advance import advance_hinge, advance_squared
from maxmargin.evolving.base import EvolvingClusterer
from maxmargin.evolving.persistence import load_state, save_state
from maxmargin.kernels.counts import hellinger
from maxmargin.kernels.threads import single_threaded_libraries

STRATEGIES = ("cohort", "individual", "model")
LOSSES = ("squared", "hinge")


class EvolvingMaxMarginClustering(EvolvingClusterer):
    r"""Maximum margin clustering of data that change from snapshot to snapshot.

    Each snapshot has some objects, of which others may have come and gone. Clustering
    it afresh would rename and reshuffle everything; here the clusters of a snapshot
    are found together with the one before, so that they follow the data without
    jumping, and keep their names [1]_.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters; two with ``loss="hinge"``.

    strategy : {"cohort", "individual", "model"}, default="cohort"
        What is to last. ``"cohort"``: the data as a whole, both snapshots are
        clustered by one set of functions. ``"individual"``: each object, its present
        and past self count as one. ``"model"``: the functions, which are to be near
        those of the snapshot before. Where two snapshots share no object and lie so
        far apart that their clusters would tell the time, the first two strategies
        cluster the present by itself and take only the names from the past.

    weight : float, default=0.7
        The share of the present, above 0 and at most 1. With 1 the past has no say but
        for the names of the clusters: each snapshot is clustered by
        `MaxMarginClustering` or `CuttingPlaneMaxMarginClustering`. With ``"model"``,
        where the paper multiplies the squared shift by a number of its own, that number
        is ``(1 - weight) / weight`` times the mean loss of the snapshot by itself.

    loss : {"squared", "hinge"}, default="squared"
        The square loss on the engine, for any number of clusters; or the hinge loss by
        cutting planes, as published.

    kernel : str or callable, default=None
        What makes samples alike, as in `MaxMarginClustering`; by default ``"rbf"``, and
        ``"linear"`` with the hinge loss. With ``"auto"`` and ``"neighbors"`` a shift
        that leaves no neighbours between two snapshots may part them by time, with
        ``"cohort"``. Linear functions of the square loss have no constant, and are
        refused where they leave clusters empty. A precomputed kernel cannot be used:
        snapshots must be comparable. Networks come as rows of
        `maxmargin.datasets.network_snapshots`.

    gamma : "median", float or None, default="median"
        Width parameter of the kernels that have one.

    degree : float, default=3
        Degree of the polynomial kernel.

    coef0 : float, default=1
        Constant term of the polynomial and sigmoid kernels.

    kernel_params : dict, default=None
        Further arguments of a kernel that is a function.

    degrees_of_freedom : "auto" or float, default="auto"
        How flexible the classifier is, with the square loss.

    C : "auto" or float, default="auto"
        Weight of the mean loss, with the hinge loss.

    balance : "auto", "free", "equal", float or array-like, default="auto"
        What is known of the sizes, as in `MaxMarginClustering`; ``"auto"`` is
        ``"free"`` with the square loss, 0.3 with the hinge loss. With ``"cohort"`` and
        ``"individual"`` it holds for present and past together.

    landmarks : "auto", None, int, str, tuple or array-like, default="auto"
        Which samples span the functions fitted with a kernel. Unless it is ``None``,
        large snapshots are searched on a part, from which all are labelled.

    n_init : "auto" or int, default="auto"
        Number of fresh starts, beside the one from the labels before.

    max_iter : int, default=1000
        Largest number of rounds in a run.

    n_jobs : int, default=None
        Number of threads for the starts. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of each step.

    verbose : int, default=0
        1 prints the objective after each round of the fresh starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Clusters of the last snapshot; after ``fit`` those of all rows.
    history_ : list of SnapshotRecord
        For each snapshot: time, ids, labels, snapshot cost, temporal cost, objective,
        and how many objects stayed, moved, came and left. The snapshot cost is the mean
        loss of the present objects. The temporal cost is that of the past ones under
        the present functions, with ``"model"`` the mean squared shift.
    n_clusters_ : int
        The number of clusters.
    n_iter_ : int
        Number of snapshots.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    References
    ----------
    .. [1] X. Fan, L. Cao, X. Cui, L. Zhu, Y.-S. Ong. Maximum margin clustering on
       evolutionary data. ACM International Conference on Information and Knowledge
       Management, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import EvolvingMaxMarginClustering
    >>> X = np.random.RandomState(0).randn(60, 2) + np.repeat([[0], [6]], 30, axis=0)
    >>> clusters = EvolvingMaxMarginClustering(2, random_state=0)
    >>> clusters = clusters.partial_fit(X, time=1).partial_fit(X + 0.5, time=2)
    >>> clusters.history_[-1].stayed, clusters.history_[-1].moved
    (60, 0)
    """

    def __init__(
        self,
        n_clusters=2,
        *,
        strategy="cohort",
        weight=0.7,
        loss="squared",
        kernel=None,
        gamma="median",
        degree=3,
        coef0=1,
        kernel_params=None,
        degrees_of_freedom="auto",
        C="auto",
        balance="auto",
        landmarks="auto",
        n_init="auto",
        max_iter=1000,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.n_clusters = n_clusters
        self.strategy = strategy
        self.weight = weight
        self.loss = loss
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.degrees_of_freedom = degrees_of_freedom
        self.C = C
        self.balance = balance
        self.landmarks = landmarks
        self.n_init = n_init
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        for name, known in (("strategy", STRATEGIES), ("loss", LOSSES)):
            if getattr(self, name) not in known:
                value = getattr(self, name)
                raise ValueError(f"{name}={value!r} is not known: use one of {known}.")
        if not isinstance(self.weight, numbers.Real) or not 0 < float(self.weight) <= 1:
            raise ValueError(
                f"weight={self.weight!r} must lie above 0 and be at most 1: it is the "
                "share of the present."
            )
        if self.loss == "hinge" and self.n_clusters != 2:
            raise ValueError(
                f"loss='hinge' makes two clusters, not {self.n_clusters}: use "
                "loss='squared' for more."
            )
        if self.kernel == "precomputed":
            raise ValueError(
                "A precomputed kernel knows nothing between snapshots: give features, "
                "for a network the rows of its adjacency."
            )
        check_integer("max_iter", self.max_iter)
        if self.n_init != "auto":
            check_integer("n_init", self.n_init)
        for name in ("C", "degrees_of_freedom"):
            if getattr(self, name) != "auto":
                check_positive(name, getattr(self, name))

    def _advance(self, X, ids, past, previous):
        with single_threaded_libraries() as n_threads:
            random = check_random_state(self.random_state)
            advance = advance_squared if self.loss == "squared" else advance_hinge
            outcome = advance(self, X, ids, past, previous, random, n_threads)
        if not outcome.converged:
            warnings.warn(
                f"The search did not converge within max_iter={self.max_iter} rounds: "
                "raise max_iter.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return outcome

    def predict(self, X):
        """Return the cluster of each sample as the last snapshot has them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        return self.decision_function(X).argmax(axis=1)

    def decision_function(self, X):
        """Return how strongly each sample belongs to each cluster at the last time.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_clusters)
        """
        check_is_fitted(self, "history_")
        X = self._validate(X, first=False)
        outcome: Any = self._outcome
        X = hellinger(X) if outcome.counts else X
        with single_threaded_libraries() as n_threads:
            return outcome.model.decide(X, n_threads)

    def save(self, path):
        """Write parameters, record and model to a file, all or nothing.

        The file has arrays and text, nothing that runs; a crash while writing leaves
        the old file whole.

        Parameters
        ----------
        path : str or path-like
        """
        check_is_fitted(self, "history_")
        save_state(self, path)

    @classmethod
    def load(cls, path):
        """Return the estimator of a file of ``save``, to go on from there.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        estimator : EvolvingMaxMarginClustering
        """
        return load_state(cls, path)
