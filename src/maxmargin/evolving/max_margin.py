"""`EvolvingMaxMarginClustering`, for data that change from snapshot to snapshot."""

import numbers
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.clustering.samples import scale_of
from maxmargin.engine.checks import check_choice, check_n_jobs
from maxmargin.engine.fit import fit_source
from maxmargin.engine.model import fitted_functions
from maxmargin.engine.options import Options, search_size
from maxmargin.evolving.base import EvolvingClusterer
from maxmargin.evolving.memory import (
    check_half_life,
    levels_before,
    remember,
    start_memory,
)
from maxmargin.evolving.model_strategy import cluster_near_previous
from maxmargin.evolving.snapshots import is_unchanged, match_objects
from maxmargin.evolving.step import (
    Outcome,
    SnapshotStep,
    balance_in_weights,
    number_of_clusters,
    past_positions,
)
from maxmargin.evolving.two_snapshots import (
    UnrelatedSnapshotsError,
    cluster_two_snapshots,
)
from maxmargin.rows.blocks import ArraySource, row_length
from maxmargin.rows.preparation import Preparation
from maxmargin.rows.sample import indicators
from maxmargin.rows.threads import count_threads, single_threaded_libraries

STRATEGIES = ("cohort", "individual", "model")


class EvolvingMaxMarginClustering(EvolvingClusterer):
    r"""Maximum margin clustering of data that change from snapshot to snapshot.

    A snapshot contains the objects of one time; objects may come and go. Clustering
    each snapshot independently would change clusters and their labels at random. Here
    the clusters of a snapshot are found together with the previous one, so that they
    change as little as the data require and keep their labels [1]_. If no object has
    come, left or changed, the clusters are those of the previous snapshot.

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
        of the clusters: each snapshot is clustered by `MaxMarginClustering`. With
        ``"model"``, the factor of the squared shift in the paper is
        ``(1 - weight) / weight`` times the mean loss of the snapshot clustered alone.

    half_life : "auto" or float, default="auto"
        Memory of the objects: a row counts as the mean of the rows of its object so
        far, with weights that fade to a half in this time. The unit is that of ``time``
        if times are numbers, days for dates, else snapshots. With 0 only the present
        row counts. ``"auto"`` chooses among 0, 1, 2, 4 and 8 times the first gap
        between snapshots the one that predicts the rows of the next snapshots best, and
        the memory of an object that jumps, further than by chance, starts anew. It is 0
        for the first two snapshots, and with ``weight=1``.

    kernel : str or callable, default="rbf"
        The similarity of samples, as in `MaxMarginClustering`. With ``"auto"`` or
        ``"neighbors"``, ``"cohort"`` may separate two snapshots by time if a shift
        leaves no neighbours between them. Linear functions have no constant; an error
        is raised if they leave clusters empty. A precomputed kernel cannot be used,
        since it has no values between snapshots. For networks and similarities, see
        `maxmargin.datasets.network_snapshots` and
        `maxmargin.datasets.adjacency_snapshot`.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier, as in `MaxMarginClustering`.

    balance : "free", "equal", float or array-like, default="free"
        Constraint on the cluster sizes, as in `MaxMarginClustering`. With ``"cohort"``
        and ``"individual"`` it holds for present and past together.

    n_init : "auto" or int, default="auto"
        Number of random starts, as in `MaxMarginClustering`, besides the one from the
        previous labels.

    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns by their standard deviations, as in
        `MaxMarginClustering`. It is decided for all rows in ``fit``, for those of the
        first snapshot in ``partial_fit``, and is then the same for all snapshots.

    n_jobs : int, default=None
        Number of threads. ``None`` is the number that BLAS may use, by default that of
        the cores. As in scikit-learn, -1 stands for all cores, -2 for all but one, and
        numbers below minus the cores for one. The result does not depend on it.

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
    columns_ : dict or None
        What the encoder made of each column of a table with categories or missing
        values, as in :class:`MaxMarginClustering`.
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

    _encodes_tables = True  # columns of a table may be categories
    _preparation = Preparation()  # of the rows of all snapshots

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        strategy: str = "cohort",
        weight: Any = 0.7,
        half_life: Any = "auto",
        kernel: Any = "rbf",
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        balance: Any = "free",
        n_init: Any = "auto",
        scale: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.strategy = strategy
        self.weight = weight
        self.half_life = half_life
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.degrees_of_freedom = degrees_of_freedom
        self.balance = balance
        self.n_init = n_init
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        if not (isinstance(self.n_clusters, str) and self.n_clusters == "auto"):
            super()._check()
        check_choice("strategy", self.strategy, STRATEGIES)
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
        check_half_life(self.half_life)  # the others are checked by `Options`

    def _validate(self, X, first):
        X = super()._validate(X, first)
        if first:
            self._preparation = self._prepare(X)
            self.scale_ = self._preparation.scale
        return self._preparation(X)

    def _prepare(self, X):
        """Choose what is done to the rows of all snapshots."""
        with single_threaded_libraries():
            weights = np.ones(X.shape[0])
            source = ArraySource(X, weights)
            options = self._options(scale=scale_of(self))
            return options.prepare(X, weights, source.column_statistics)

    def _options(self, **changes):
        """Return the options of a fit, checked."""
        return Options.of(self, **changes)

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

    @property
    def _published(self):
        """Return True if the equations of the paper are used as printed."""
        return False

    @property
    def _settings(self):
        """Return the parameters that decide about the clusters, as a text."""
        given = self.get_params(deep=False)
        others = ("random_state", "n_jobs", "verbose")
        return repr({name: given[name] for name in given if name not in others})

    def _advance(self, X, ids, past, previous):
        check_n_jobs(self.n_jobs)
        with single_threaded_libraries(count_threads(self.n_jobs)):
            return self._advance_in_threads(X, ids, past, previous)

    def _advance_in_threads(self, X, ids, past, previous):
        settings = self._settings
        same = past is not None and previous.settings == settings
        if same and self.weight < 1 and not self._published:
            matches = match_objects(ids, past.ids)
            if is_unchanged(X, past.X, matches):
                labels = np.empty(len(ids), dtype=np.int64)
                labels[matches.now] = past.labels[matches.before]
                model = self.strategy == "model"  # whose functions have not shifted
                return previous.keep(labels, 0.0 if model else previous.costs[0])
        return replace(self._cluster(X, ids, past, previous), settings=settings)

    def _cluster(self, X, ids, past, previous):
        """Find the clusters of a snapshot that differs from the past."""
        n_clusters = number_of_clusters(self.n_clusters, X)
        # The rows of all snapshots are prepared alike, before.
        options = self._options(n_clusters=n_clusters, scale=False)
        random = check_random_state(self.random_state)
        if past is not None and self.weight < 1:
            step = self._step(X, ids, past, options, random)
            same = n_clusters == previous.n_clusters
            step = replace(step, same_number=same, published=self._published)
            try:
                if self.strategy == "model":
                    return cluster_near_previous(step, previous)
                return cluster_two_snapshots(step, tied=self.strategy == "individual")
            except UnrelatedSnapshotsError:
                pass
        return cluster_alone(X, options, random, keep=self.strategy == "model")

    def _step(self, X, ids, past, options, random):
        """Return the input of a step; sizes are in units of the weights of the rows."""
        n_now, n_past, weight = X.shape[0], past.X.shape[0], float(self.weight)
        n_rows, factor = n_now, 1.0
        if self.strategy != "model":
            n_rows, factor = n_now + n_past, weight + (1 - weight) * n_past / n_now
        n_clusters = options.n_clusters
        balance = balance_in_weights(options.balance, n_clusters, factor)
        return SnapshotStep(
            X,
            past.X,
            past_positions(past, n_clusters),
            match_objects(ids, past.ids),
            weight,
            replace(options, balance=balance),
            search_size(n_rows, row_length(X), options),
            random,
        )

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


def cluster_alone(
    X, options: Options, random: np.random.RandomState, *, keep: bool
) -> Outcome:
    """Cluster a snapshot without the past, as `MaxMarginClustering` does.

    ``keep`` keeps the functions, which the strategy ``"model"`` needs.
    """
    result = fit_source(ArraySource(X, np.ones(X.shape[0])), options, random)
    clusters, labels = result.clusters, np.asarray(result.labels)
    if options.kernel == "linear":
        check_filled(labels, options.n_clusters, X.shape[1])
    smoother = clusters.candidate.smoother
    targets = indicators(clusters.labels, clusters.n_clusters)
    functions = fitted_functions(smoother, targets) if keep else None
    costs = (smoother.mean_loss(targets), 0.0, clusters.run.objective)
    return Outcome(labels, result.model, functions, costs, result.converged)


def check_filled(labels: np.ndarray, n_clusters: int, n_features: int) -> None:
    """Raise an error if linear functions, which have no constant, are too few."""
    n_filled = len(np.unique(labels))
    if n_filled < min(n_clusters, len(labels)):
        raise ValueError(
            f"kernel='linear' finds {n_filled} clusters instead of {n_clusters} by "
            f"functions of {n_features} features that are zero at the origin: use "
            "kernel='rbf', or maxmargin.published.EvolvingMMC for two clusters."
        )
