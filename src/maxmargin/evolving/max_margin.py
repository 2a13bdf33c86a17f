"""`EvolvingMaxMarginClustering`, for data that change from snapshot to snapshot."""

import numbers
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.clustering.base import warn_if_empty, warn_if_not_converged
from maxmargin.engine.checks import (
    check_choice,
    check_integer,
    check_positive,
    check_power,
)
from maxmargin.engine.options import SEARCH_SAMPLES, Options
from maxmargin.engine.preparation import prepare_rows
from maxmargin.evolving.base import EvolvingClusterer
from maxmargin.evolving.hinge import advance_hinge
from maxmargin.evolving.memory import (
    check_half_life,
    levels_before,
    remember,
    start_memory,
)
from maxmargin.evolving.squared import advance_squared
from maxmargin.evolving.step import count_clusters
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.scaling import check_scale, divide_columns, is_automatic

STRATEGIES = ("cohort", "individual", "model")
LOSSES = ("squared", "hinge")
FORMULATIONS = ("adapted", "published")


class EvolvingMaxMarginClustering(EvolvingClusterer):
    r"""Maximum margin clustering of data that change from snapshot to snapshot.

    A snapshot contains the objects of one time; objects may come and go. Clustering
    each snapshot independently would change clusters and their labels at random. Here
    the clusters of a snapshot are found together with the previous one, so that they
    change as little as the data require and keep their labels [1]_.

    Parameters
    ----------
    n_clusters : int or "auto", default=2
        The number of clusters. ``"auto"`` estimates it for each snapshot, as in
        `MaxMarginClustering`. It may be changed between snapshots by ``set_params``.

    strategy : {"cohort", "individual", "model"}, default="cohort"
        What is kept stable. ``"cohort"``: both snapshots are clustered by one set of
        functions. ``"individual"``: the present and the past row of an object have the
        same label. ``"model"``: the functions are near those of the previous snapshot.
        If two snapshots share no object and lie so far apart that clusters would
        separate them by time, the first two strategies cluster the present alone, and
        the past only determines the labels of the clusters.

    weight : float, default=0.7
        The weight of the present, in (0, 1]. With 1 the past only determines the labels
        of the clusters: each snapshot is clustered by `MaxMarginClustering` or
        `CuttingPlaneMaxMarginClustering`. With ``"model"``, the factor of the squared
        shift in the paper is ``(1 - weight) / weight`` times the mean loss of the
        snapshot clustered alone.

    half_life : "auto" or float, default="auto"
        Memory of the objects: a row counts as the mean of the rows of its object so
        far, with weights that fade to a half in this time. The unit is that of ``time``
        if times are numbers, days for dates, else snapshots. With 0 only the present
        row counts. ``"auto"`` chooses among 0, 1, 2, 4 and 8 times the first gap
        between snapshots the one that predicts the rows of the next snapshots best, and
        the memory of an object that jumps, further than by chance, starts anew. It is 0
        for the first two snapshots, and with ``weight=1``.

    loss : {"squared", "hinge"}, default="squared"
        The square loss, for any number of clusters; or the hinge loss by cutting
        planes, as published.

    formulation : {"adapted", "published"}, default="adapted"
        Where the strategies deviate from the paper, whether to follow it. Published:
        with ``"individual"`` and the square loss the two rows of an object share a
        slack and may have different labels (equation 8); with ``"model"`` the factor of
        the squared shift is ``weight`` itself (equation 11), so that a larger weight
        holds the functions nearer to the previous ones, and with the square loss
        objects that left count with the mean of the present values (section 5.2).
        Adapted: the two rows have one label, which follows noisy rows less; the factor
        does not depend on the number of objects and the scale of the loss, and
        ``weight`` has the same meaning for all strategies.

    kernel : str or callable, default=None
        The similarity of samples, as in `MaxMarginClustering`; by default ``"rbf"``,
        and ``"linear"`` with the hinge loss. With ``"auto"`` or ``"neighbors"``,
        ``"cohort"`` may separate two snapshots by time if a shift leaves no neighbours
        between them. Linear functions of the square loss have no constant; an error is
        raised if they leave clusters empty. A precomputed kernel cannot be used, since
        it has no values between snapshots. For networks and similarities, see
        `maxmargin.datasets.network_snapshots` and
        `maxmargin.datasets.adjacency_snapshot`.

    gamma, degree, coef0, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier, with the square loss.

    C : "auto" or float, default="auto"
        Weight of the mean loss, with the hinge loss.

    balance : "auto", "free", "equal", float or array-like, default="auto"
        Constraint on the cluster sizes, as in `MaxMarginClustering`; ``"auto"`` is
        ``"free"`` with the square loss, 0.3 with the hinge loss. With ``"cohort"`` and
        ``"individual"`` it holds for present and past together.

    power : "auto" or float, default="auto"
        The power of the cluster sizes in the objective, with the square loss, as in
        `MaxMarginClustering`.

    landmarks, landmark_selection
        The samples that span the functions fitted with a kernel, as in
        `MaxMarginClustering`. Unless ``landmarks`` is ``None``, a part of a large
        snapshot is searched, and a classifier labels all of it.

    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns by their standard deviations, as in
        `MaxMarginClustering`. It is decided for all rows in ``fit``, for those of the
        first snapshot in ``partial_fit``, and is then the same for all snapshots. With
        the hinge loss, ``"auto"`` does not scale.

    n_init : "auto" or int, default="auto"
        Number of fresh starts, besides the one from the previous labels.

    max_iter : int, default=1000
        Maximum number of rounds in a run.

    n_jobs : int, default=None
        Number of threads for the starts. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of each step.

    verbose : int, default=0
        1 prints the objective after each fresh start, and after each round of a single
        one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Clusters of the last snapshot; after ``fit`` those of all rows.
    history_ : list of SnapshotRecord
        For each snapshot: time, ids, labels, snapshot cost, temporal cost, objective,
        the numbers of objects that stayed, moved, came and left, and the events:
        clusters that were born, returned, died, split, merged, grew, shrank or drifted,
        with the objects concerned. The snapshot cost is the mean loss of the present
        objects. The temporal cost is that of the past ones under the present functions,
        with ``"model"`` the mean squared shift.
    cluster_names_ : ndarray of shape (n_clusters_,)
        The labels of the clusters of the last snapshot, in increasing order. Clusters
        keep their labels so that most objects keep theirs. A new cluster gets a new
        label, one that returns its old one.
    half_life_ : float
        The half-life that was used for the last snapshot.
    scale_ : ndarray of shape (n_features,) or None
        The divisors of the columns; None if the columns are used as they are.
    n_clusters_, n_iter_, n_features_in_ : int
        The numbers of clusters, snapshots and features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all of them are strings.

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

    search_samples = SEARCH_SAMPLES

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        strategy: str = "cohort",
        weight: Any = 0.7,
        half_life: Any = "auto",
        loss: str = "squared",
        formulation: str = "adapted",
        kernel: Any = None,
        gamma: Any = "median",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        C: Any = "auto",
        balance: Any = "auto",
        power: Any = "auto",
        landmarks: Any = "auto",
        landmark_selection: str = "random",
        scale: Any = "auto",
        n_init: Any = "auto",
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.strategy = strategy
        self.weight = weight
        self.half_life = half_life
        self.loss = loss
        self.formulation = formulation
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.degrees_of_freedom = degrees_of_freedom
        self.C = C
        self.balance = balance
        self.power = power
        self.landmarks = landmarks
        self.landmark_selection = landmark_selection
        self.scale = scale
        self.n_init = n_init
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        if not (isinstance(self.n_clusters, str) and self.n_clusters == "auto"):
            super()._check()
        check_choice("strategy", self.strategy, STRATEGIES)
        check_choice("loss", self.loss, LOSSES)
        check_choice("formulation", self.formulation, FORMULATIONS)
        if not isinstance(self.weight, numbers.Real) or not 0 < float(self.weight) <= 1:
            raise ValueError(
                f"weight={self.weight!r} must be in (0, 1]: it is the weight of the "
                "present."
            )
        if self.kernel == "precomputed":
            raise ValueError(
                "A precomputed kernel has no values between snapshots: give features, "
                "for a network or similarity those of adjacency_snapshot."
            )
        check_half_life(self.half_life)
        check_power(self.power)
        check_scale(self.scale)
        check_integer("max_iter", self.max_iter)
        if self.n_init != "auto":
            check_integer("n_init", self.n_init)
        for name in ("C", "degrees_of_freedom"):
            if getattr(self, name) != "auto":
                check_positive(name, getattr(self, name))

    def _validate(self, X, first):
        X = super()._validate(X, first)
        if first:
            self.scale_ = self._choose_scale(X)
        return divide_columns(X, self.scale_)

    def _choose_scale(self, X):
        """Return the divisors of the columns of all snapshots, or None."""
        if self.loss == "hinge" and is_automatic(self.scale):
            return None
        options = Options(
            self.n_clusters,
            kernel="rbf" if self.kernel is None else self.kernel,
            gamma=self.gamma,
            scale=self.scale,
        )
        with single_threaded_libraries():
            source = ArraySource(X, np.ones(X.shape[0]))
            return prepare_rows(X, source, options).scale

    def _remember(self, X, ids, time, past):
        if self.weight == 1 or self.half_life == 0:
            return X, past, None
        if past is None or past.memory is None:
            return X, past, start_memory(X, ids, time, self.half_life)
        memory = remember(past.memory, X, ids, time)
        now = memory.levels(len(ids), memory.best)
        before = levels_before(past.memory, memory, len(past.ids), now)
        return now, past._replace(X=before), memory

    def _set_attributes(self, present, outcome, history):
        super()._set_attributes(present, outcome, history)
        memory = present.memory
        self.half_life_ = 0.0 if memory is None else memory.half_life
        self.cluster_names_ = outcome.function_names

    def _advance(self, X, ids, past, previous):
        with single_threaded_libraries():
            random = check_random_state(self.random_state)
            advance = advance_squared if self.loss == "squared" else advance_hinge
            n_clusters = count_clusters(self.n_clusters, X)
            outcome = advance(self, n_clusters, X, ids, past, previous, random)
        warn_if_not_converged(outcome.converged, self.max_iter, stacklevel=5)
        if outcome.model is not None:
            warn_if_empty(outcome.model, self.power, X.shape[0], stacklevel=5)
        return outcome

    def predict(self, X: Any) -> np.ndarray:
        """Return the cluster of each sample under the model of the last snapshot.

        Samples are taken as they are, without the memory of an object.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        outcome = self._last_outcome()
        with single_threaded_libraries():
            return outcome.label(self._validate(X, first=False))

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision values of each sample under the last model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_clusters_)
            In the order of the labels of the clusters, ``cluster_names_``;
            -inf for a cluster without samples.
        """
        model = self._last_outcome().model
        with single_threaded_libraries():
            return model.decide(self._validate(X, first=False))
