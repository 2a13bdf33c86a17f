"""`SemiSupervisedMaxMargin`, a classifier for few labels and many samples."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.classification.partial_labels import (
    check_pairs,
    name_classes,
    split_labels,
)
from maxmargin.classification.transduction import Knowledge, Transduction
from maxmargin.clustering.base import print_round
from maxmargin.clustering.candidates import Similarity
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.clustering.model import model_of_labels
from maxmargin.clustering.parameters import (
    check_integer,
    check_landmarks,
    check_ridge,
    check_weights,
)
from maxmargin.kernels.counts import hellinger, looks_like_counts
from maxmargin.kernels.kernel import check_kernel_matrix
from maxmargin.kernels.sample import SEARCH_SAMPLES, draw_sample
from maxmargin.kernels.smoother import Ridge
from maxmargin.kernels.threads import single_threaded_libraries


class SemiSupervisedMaxMargin(ClassifierMixin, BaseEstimator):
    r"""Maximum margin classification of samples of which few have a label.

    Labels that are given stay. The others are found as in maximum margin clustering:
    they are those that a regularised least-squares classifier fits best, the labels
    that maximise

    .. math:: \sum_h z_h^T S z_h / n_h^p

    with a smoother :math:`S`, the indicators :math:`z_h` of the classes, their sizes
    :math:`n_h` and a power :math:`p`. The search starts from the labels that the
    smoother spreads from the :math:`m_h` given ones,
    :math:`\arg\max_h (S y_h)_i / m_h`, and moves single samples, the given ones being
    held, until none gains [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        The number of classes, if there are more than occur in ``y``: the others are
        found like clusters.

    kernel : str or callable, default="auto"
        What makes samples alike. ``"auto"`` is the graph of mutual nearest neighbours;
        counts (whole numbers, nine in ten zero) are compared as proportions.
        ``"neighbors"`` is the graph with the samples as they are. Else a kernel as in
        :class:`maxmargin.MaxMarginClustering`, ``"precomputed"`` being one.

    gamma, degree, coef0, kernel_params
        Parameters of a kernel, as in :class:`maxmargin.MaxMarginClustering`.

    degrees_of_freedom : "auto" or float, default="auto"
        How flexible the classifier is: below 1 a share of the (distinct) samples, from
        1 on the effective number of parameters. ``"auto"`` is three for each label,
        on a graph a twentieth of the samples besides, and at most a fifth of them or
        400. If some class has no label, it is as in
        :class:`maxmargin.MaxMarginClustering`.

    alpha : float, default=None
        The ridge parameter of a kernel, if you want to give that instead.

    balance : "free", "labels", "equal", float, array-like or None, default="free"
        What is known of the sizes of the classes: nothing (``"free"``), that they are
        as among the given labels (``"labels"``), or as in
        :class:`maxmargin.MaxMarginClustering`; proportions are in the order of
        ``classes_``. They hold for ``transduction_``, ``predict`` knows no limits.

    n_init : "auto" or int, default="auto"
        Number of starts if some class has no label, of which the best objective wins.

    landmarks : "auto", None, int or array-like, default="auto"
        Which samples span the functions fitted with a kernel, as in
        :class:`maxmargin.MaxMarginClustering`. Unless it is ``None``, beyond 4000
        samples the search works on a part, in which those with a label or a link come
        first, and the fitted functions label the rest.

    max_iter : int, default=1000
        Largest number of rounds of single moves.

    random_state : int, RandomState instance or None, default=None
        Seed of the order of moves, of starts and of the part that is searched.

    verbose : int, default=0
        1 prints the objective after each round.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes: those of ``y`` in their order, then names for those with no label.
    transduction_ : ndarray of shape (n_samples,)
        The class of each sample; a label that was given stays.
    labels_ : ndarray of shape (n_samples,)
        The same as positions in ``classes_``.
    objective_ : float
        The objective, on the samples that the search worked on.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of the search and after each round.
    n_iter_ : int
        Number of rounds.
    alpha_ : float
        The ridge parameter, or the penalty b of the graph.
    degrees_of_freedom_ : float
        The trace of the smoother.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    A missing label is -1 among numbers, ``"-1"`` among strings; among objects also
    ``None``. Equal samples are searched as one; if their labels differ, the one with
    more weight counts. With no label and no link at all the classes are the clusters
    of :class:`maxmargin.MaxMarginClustering`.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology 29(1), 2014. doi:10.1007/s11390-013-1414-0

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

    def __init__(
        self,
        n_clusters=None,
        *,
        kernel="auto",
        gamma="median",
        degree=3,
        coef0=1,
        kernel_params=None,
        degrees_of_freedom="auto",
        alpha=None,
        balance="free",
        n_init="auto",
        landmarks="auto",
        max_iter=1000,
        random_state=None,
        verbose=0,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.degrees_of_freedom = degrees_of_freedom
        self.alpha = alpha
        self.balance = balance
        self.n_init = n_init
        self.landmarks = landmarks
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X, y, sample_weight=None, must_link=None, cannot_link=None):
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
            Pairs of samples, by their numbers, that belong to the same class.
        cannot_link : array-like of shape (n_pairs, 2), default=None
            Pairs of samples that belong to different classes.

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
        X = self._validate(X, reset=True)
        n_samples = X.shape[0]
        classes, numbers = split_labels(y, n_samples)
        self.classes_ = name_classes(classes, self._count_classes(classes))
        knowledge = Knowledge(
            numbers,
            check_pairs("must_link", must_link, n_samples),
            check_pairs("cannot_link", cannot_link, n_samples),
            len(classes),
            len(self.classes_),
        )
        weights = check_weights(sample_weight, n_samples)
        with single_threaded_libraries() as n_threads:
            if knowledge.nothing:
                self._cluster(X, weights)
            else:
                self._fit(X, weights, knowledge, n_threads)
        self.transduction_ = self.classes_[self.labels_]
        return self

    def _fit(self, X, weights, knowledge, n_threads):
        random = check_random_state(self.random_state)
        landmarks = check_landmarks(self.landmarks, X)
        sample = draw_sample(
            X,
            weights,
            merge=self.kernel != "precomputed",
            limit=None if landmarks is None else SEARCH_SAMPLES,
            random=random,
            first=knowledge.concerned,
        )
        similarity = Similarity(
            "neighbors" if self.kernel == "auto" else self.kernel,
            self.gamma,
            self.degree,
            self.coef0,
            self.kernel_params,
            Ridge(self.alpha, self.degrees_of_freedom),
            landmarks,
        )
        task = Transduction(X, weights, sample, knowledge, self.balance)
        candidate = task.candidate(similarity, random, n_threads)
        run = task.search(
            candidate,
            random,
            n_init=None if isinstance(self.n_init, str) else self.n_init,
            max_iter=self.max_iter,
            on_iteration=print_round if self.verbose else None,
        )
        self._keep(candidate, run)
        self.labels_ = task.label_all(run.labels, self._model, n_threads)

    def _keep(self, candidate, run):
        """Set the attributes from the search."""
        if not run.converged:
            warnings.warn(
                f"The search did not converge within max_iter={self.max_iter} rounds: "
                "raise max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )
        power = candidate.power if self.balance is not None else 0.0
        self._model, _ = model_of_labels(
            candidate.smoother, run.labels, len(self.classes_), power
        )
        self.objective_ = run.objective
        self.history_ = np.array(run.history)
        self.n_iter_ = max(run.n_iter, 1)
        self.alpha_ = candidate.smoother.alpha
        self.degrees_of_freedom_ = candidate.smoother.degrees_of_freedom

    def _cluster(self, X, weights):
        """Cluster: there is neither label nor link."""
        clusters = MaxMarginClustering(
            len(self.classes_),
            **{
                name: value
                for name, value in self.get_params(deep=False).items()
                if name != "n_clusters"
            },
        )
        clusters.fit(X, sample_weight=weights)
        self._model = clusters._model
        self.labels_ = np.asarray(clusters.labels_)
        for name in (
            "objective_",
            "history_",
            "n_iter_",
            "alpha_",
            "degrees_of_freedom_",
        ):
            setattr(self, name, getattr(clusters, name))

    def predict(self, X):
        """Return the class of each sample, the one with the largest decision value.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        decisions = self._decide(X)  # which checks that there was a fit
        return self.classes_[decisions.argmax(axis=1)]

    def decision_function(self, X):
        """Return how strongly each sample belongs to each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_classes), or (n_samples,)
            With two classes, by how much the second one is ahead of the first.
        """
        decisions = self._decide(X)
        if decisions.shape[1] == 2:
            return decisions[:, 1] - decisions[:, 0]
        return decisions

    def _decide(self, X):
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        with single_threaded_libraries() as n_threads:
            return self._model.decide(X, n_threads)

    def _validate(self, X, reset):
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=False if self.kernel == "precomputed" else "csr",
            ensure_min_samples=2 if reset else 1,
            dtype=[np.float64, np.float32],
            order="C",
        )
        if reset:
            if self.kernel == "precomputed":
                check_kernel_matrix(X)
            self._counts = self.kernel == "auto" and looks_like_counts(X)
        return hellinger(X) if self._counts else X

    def _check_parameters(self):
        if self.n_clusters is not None:
            check_integer("n_clusters", self.n_clusters)
        if self.n_init != "auto":
            check_integer("n_init", self.n_init)
        check_integer("max_iter", self.max_iter)
        check_ridge(self)

    def _count_classes(self, classes):
        if self.n_clusters is None and len(classes) == 0:
            raise ValueError(
                "y holds no label, all are -1: give some labels or n_clusters."
            )
        return max(len(classes), self.n_clusters or 0)
