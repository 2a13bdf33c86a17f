"""`SemiSupervisedMaxMargin`, a classifier for few labels and many samples."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.clustering.base import validate_samples, warn_if_not_converged
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.engine.checks import (
    check_choice,
    check_integer,
    check_power,
    check_ridge,
    check_weights,
)
from maxmargin.engine.options import (
    GRAPH_PART,
    MAX_GRAPH_SAMPLES,
    SEARCH_SAMPLES,
    Options,
)
from maxmargin.engine.preparation import prepare_rows
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.sample import draw_sample
from maxmargin.rows.scaling import check_scale
from maxmargin.semi_supervised.given_labels import (
    GivenLabels,
    check_pairs,
    count_classes,
    name_classes,
    split_labels,
)
from maxmargin.semi_supervised.kept import Kept, keep
from maxmargin.semi_supervised.pair_model import other_clusterings
from maxmargin.semi_supervised.prediction import ClassPrediction
from maxmargin.semi_supervised.transduction import Transduction, labels_choose
from maxmargin.smoothers.inverse_smoother import graph_inverse


class SemiSupervisedMaxMargin(ClassPrediction):
    r"""Maximum margin classification of samples of which few have a label.

    Given labels and pairs are kept. By default, the labels choose the similarity of
    samples. Walks along the graph of nearest neighbours, and least squares with two
    radial kernels, give scores :math:`E_e` to the classes; the probabilities

    .. math:: p_{ih} \propto \exp\left(\sum_e w_e E_e[i, h]\right)

    have weights for which given labels that are left out are most probable, and with
    few labels mostly those of the graph. They spread along the graph as soft labels in
    a second round. If there are pairs and no label, the clusters of
    `MaxMarginClustering` are changed where pairs contradict them.

    With another kernel, with constraints on the sizes, or if only some classes have a
    label, missing labels are found as in maximum margin clustering: they maximise

    .. math:: \sum_h z_h^T S z_h / n_h^p

    with a smoother :math:`S`, the indicators :math:`z_h` of the classes, their sizes
    :math:`n_h` and a power :math:`p`, from the labels that the smoother spreads [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        The number of classes, if there are more than in ``y``: the others are found
        like clusters.

    kernel : str or callable, default="auto"
        The similarity of samples. ``"auto"`` lets the labels choose, and count data
        (non-negative integers, at least 90 % zero) are compared as proportions.
        ``"neighbors"`` is the graph of mutual nearest neighbours. Other values are
        kernels as in `MaxMarginClustering`, ``"precomputed"`` included.

    gamma, degree, coef0, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier, as in `MaxMarginClustering`. If each class has a
        label, ``"auto"`` is three per label, on a graph plus a twentieth of the
        samples, and at most a fifth of them or 400.

    alpha : float, default=None
        The ridge parameter of a kernel, in place of ``degrees_of_freedom``.

    balance : "free", "labels", "equal", float or array-like, default="free"
        Constraint on the sizes of the classes: the proportions of the given labels
        (``"labels"``), or as in `MaxMarginClustering`, with proportions in the order of
        ``classes_``. The limits hold for ``transduction_``; they are not enforced by
        ``predict``.

    power : "auto" or float, default="auto"
        The power p of the class sizes, between 0 and 1. ``"auto"`` is 0.7 in a search,
        and 1 on a graph if some class has no label, or if labels spread by default.

    search : {"spread", "claim"}, default="spread"
        How the search starts: from the labels that the smoother spreads, or with
        ``"claim"`` from those that result if classes keep claiming, one by one, the
        sample without a label whose addition gains most, until all have one (section 5
        of [1]_). Single moves follow. ``"claim"`` needs a label of each class.

    n_init : "auto" or int, default="auto"
        Number of starts if some class has no label; the run with the best objective is
        kept. If each class has a label there is one start.

    landmarks, landmark_selection
        The samples that span the functions fitted with a kernel, as in
        `MaxMarginClustering`. Unless ``landmarks`` is ``None``, at most 4000 samples
        are searched with a kernel, and by default 40,000 of more than 150,000, those
        with a label or in a pair first; the fitted functions label the others.

    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns by their standard deviations, as in
        `MaxMarginClustering`.

    max_iter : int, default=1000
        Maximum number of rounds of single moves.

    warm_start : bool, default=False
        Whether to keep what does not depend on labels and pairs for the next fit of
        the same samples: what pairs are fitted with, or with ``degrees_of_freedom`` and
        a label of each class the smoother of the graph, for n^2 memory. The result is
        that of a new fit; only time is saved.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of moves, of the starts and of the samples that are searched.

    verbose : int, default=0
        1 prints the objective after each start, and after each round of a single one.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes of ``y``, sorted, followed by names for those without a label.
    transduction_ : ndarray of shape (n_samples,)
        The class of each sample; given labels are kept.
    labels_ : ndarray of shape (n_samples,)
        The positions of ``transduction_`` in ``classes_``.
    objective_ : float
        The objective, on the samples that were searched; by default the mean
        log-probability of given labels that are left out, or that of pairs.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of the search and after each round.
    alpha_, degrees_of_freedom_ : float
        The ridge parameter, or the mean length b of a walk, and the trace of the
        smoother; the number of features if clusters are fitted to pairs.
    scale_ : ndarray of shape (n_features,) or None
        The divisors of the columns; None if the columns are used as they are.
    n_iter_, n_features_in_ : int
        The numbers of rounds and features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all of them are strings.

    Notes
    -----
    A missing label is -1 among numbers, ``"-1"`` among strings; among objects also
    ``None``. Equal samples are merged in the search; if their labels differ, the one
    with more weight counts. Without any label or pair the classes are the clusters of
    `MaxMarginClustering`.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology 29(1), 2014. doi:10.1007/s11390-014-1414-0

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import SemiSupervisedMaxMargin
    >>> X, y = make_moons(500, noise=0.05, random_state=0)
    >>> few = np.full(500, -1)
    >>> few[:10] = y[:10]
    >>> model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    >>> float((model.transduction_ == y).mean())
    1.0
    """

    search_samples = SEARCH_SAMPLES
    _kept: Kept | None = None  # for a warm start; not saved with the model
    max_graph_samples = MAX_GRAPH_SAMPLES
    graph_part = GRAPH_PART

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        kernel: Any = "auto",
        gamma: Any = "median",
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        alpha: Any = None,
        balance: Any = "free",
        power: Any = "auto",
        search: Any = "spread",
        n_init: Any = "auto",
        landmarks: Any = "auto",
        landmark_selection: str = "random",
        scale: Any = "auto",
        max_iter: int = 1000,
        warm_start: bool = False,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.degrees_of_freedom = degrees_of_freedom
        self.alpha = alpha
        self.balance = balance
        self.power = power
        self.search = search
        self.n_init = n_init
        self.landmarks = landmarks
        self.landmark_selection = landmark_selection
        self.scale = scale
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Find the labels that are missing.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels, -1 where a label is missing.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; equal weights by default.
        must_link : array-like of shape (n_pairs, 2), default=None
            Pairs of row numbers of samples that belong to the same class.
        cannot_link : array-like of shape (n_pairs, 2), default=None
            Pairs of row numbers of samples that belong to different classes.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None: give -1 for each missing label."
            )
        X = validate_samples(self, X, reset=True)
        n_samples = X.shape[0]
        classes, numbers = split_labels(y, n_samples)
        self.classes_ = name_classes(classes, count_classes(classes, self.n_clusters))
        given = GivenLabels(
            numbers,
            check_pairs("must_link", must_link, n_samples),
            check_pairs("cannot_link", cannot_link, n_samples),
            len(classes),
            len(self.classes_),
        )
        if self.search == "claim" and given.n_labelled < given.n_classes:
            raise ValueError(
                "search='claim' needs a label of each class: use search='spread'."
            )
        weights = check_weights(sample_weight, n_samples)
        with single_threaded_libraries():
            if given.empty:
                self._cluster(X, weights)
            else:
                self._fit(X, weights, given)
        self.transduction_ = self.classes_[self.labels_]
        return self

    def _fit(self, X, weights, given):
        """Find the labels from given labels and pairs."""
        random = check_random_state(self.random_state)
        options = Options.of(self, X, n_clusters=len(self.classes_))
        preparation = prepare_rows(X, ArraySource(X, weights), options)
        X, options = preparation.rows(X), preparation.options(options)
        if self.kernel == "auto" and not labels_choose(self):
            options = replace(options, kernel="neighbors")
        if isinstance(self.balance, str) and self.balance == "labels":
            options = replace(options, balance=given.proportions(weights))
        spreads = labels_choose(self) and given.complete
        teaches = labels_choose(self) and given.pairs_only
        sample = draw_sample(
            X,
            weights,
            merge=self.kernel != "precomputed",
            limit=(limit := self._limit(options, len(weights), spreads or teaches)),
            random=random,
            first=given.to_search_first(weights, limit, random),
        )
        task = Transduction(X, weights, sample, given, options)
        if spreads:
            found = task.spread()
        elif teaches:
            found = task.teach(self._make_prior(task))
        else:
            found = task.find(random, self._make_smoother)
        self._set_attributes(found)
        self.labels_ = task.label_all(found.run.labels, found.model)
        self._model, self.scale_ = preparation.model(found.model), preparation.scale

    def _keep(self, X, weights, key, make):
        """Return what was made for the last fit if it fits, else make it."""
        if not self.warm_start:
            self._kept = None
            return make()
        self._kept, value = keep(self._kept, X, weights, key, make)
        return value

    def _make_smoother(self, X, weights, degrees):
        """Return the smoother of the graph."""
        return self._keep(
            X, weights, degrees, lambda: graph_inverse(X, weights, degrees)
        )

    def _make_prior(self, task):
        """Return what pairs are fitted with: clusterings by several similarities."""
        X, weights = task.X[task.sample.indices], task.sample.weights
        parameters = self._clustering_parameters() | {"scale": False, "verbose": 0}

        def make():
            first = MaxMarginClustering(**parameters).fit(X, sample_weight=weights)
            others = other_clusterings(X, weights, parameters)
            return task.make_prior([first.labels_, *others])

        return self._keep(X, weights, str(parameters), make)

    def _clustering_parameters(self):
        """Return the parameters of a clustering without labels."""
        parameters = self.get_params(deep=False)
        del parameters["warm_start"]
        return parameters | {"n_clusters": len(self.classes_), "search": "auto"}

    def _limit(self, options, n_samples, spreads):
        """Return the largest number of samples to label before the others."""
        if self.landmarks is None:
            return None
        if not spreads:
            return options.search_samples
        few = n_samples <= options.max_graph_samples
        return n_samples if few else options.graph_part

    def _set_attributes(self, found):
        """Set the attributes, except the labels and the model."""
        run = found.run
        warn_if_not_converged(run.converged, self.max_iter, stacklevel=5)
        self.objective_ = run.objective
        self.history_ = np.array(run.history)
        self.n_iter_ = max(run.n_iter, 1)
        self.alpha_ = found.alpha
        self.degrees_of_freedom_ = found.degrees_of_freedom
        self._sharpness = found.sharpness

    def _cluster(self, X, weights):
        """Find clusters, since there is neither a label nor a pair."""
        clusters = MaxMarginClustering(**self._clustering_parameters())
        clusters.fit(X, sample_weight=weights)
        self._model, self._sharpness = clusters._model, None
        self.labels_ = np.asarray(clusters.labels_)
        names = ("objective_", "history_", "n_iter_", "alpha_", "degrees_of_freedom_")
        for name in (*names, "scale_"):
            setattr(self, name, getattr(clusters, name))

    def _check_parameters(self):
        if self.n_clusters is not None:
            check_integer("n_clusters", self.n_clusters)
        if self.n_init != "auto":
            check_integer("n_init", self.n_init)
        check_integer("max_iter", self.max_iter)
        check_choice("search", self.search, ("spread", "claim"))
        check_power(self.power)
        check_ridge(self)
        check_scale(self.scale)
