"""`CuttingPlaneMaxMarginClustering`: the hinge loss by cutting planes."""

import numpy as np

from maxmargin.clustering.base import KernelClusterer
from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import check_integer, check_positive
from maxmargin.hinge.cutting_plane_clustering import solve_clusters
from maxmargin.hinge.standard_features import standardise
from maxmargin.kernels.basis import make_basis
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.result import SearchResult


class CuttingPlaneMaxMarginClustering(KernelClusterer):
    r"""Maximum margin clustering with the hinge loss, by cutting planes (CPMMC).

    Finds the separation with the widest margin, no label being given. For two clusters
    it minimises

    .. math:: \tfrac12 |w|^2 + C\, \tfrac1n \sum_i \max(0, 1 - |w^T z_i + b|)

    under a limit on the mean of the decision values, which keeps all samples from
    ending on one side [1]_ [2]_; for more, the loss is
    :math:`\max(0, 1 - f_{first} + f_{second})` of the two largest of k decision values
    [3]_. The concave-convex procedure makes it a sequence of convex problems, each of
    which is solved by cutting planes in a few passes over the data.

    Samples are shifted to mean zero and scaled to mean squared norm one within the
    kernel's space, so that with ``kernel="linear"`` the labels do not change when the
    data are shifted, rotated or scaled as a whole.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters.

    kernel : str or callable, default="linear"
        What makes samples alike: a kernel of
        :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function of two samples, or
        ``"precomputed"``: then ``fit`` takes the kernel matrix of the training samples,
        ``predict`` that of new samples with the training samples. Sparse samples stay
        sparse with ``"linear"``.

    gamma : "median", float or None, default="median"
        Width parameter of the kernels that have one. ``"median"`` is
        ``1 / (2 median squared distance)`` for ``"rbf"``, and the default of
        scikit-learn for kernels that are not functions of a distance.

    degree : float, default=3
        Degree of the polynomial kernel.

    coef0 : float, default=1
        Constant term of the polynomial and sigmoid kernels.

    kernel_params : dict, default=None
        Further arguments of a kernel that is a function.

    C : "auto" or float, default="auto"
        Weight of the mean loss against half the squared norm of w, for samples of mean
        squared norm one. With a share s of the variance along the leading direction,
        the margin is as wide as the samples spread at ``C = 1 / s``; ``"auto"`` is ten
        times that, s being that of direction k - 1 for k clusters.

    balance : "equal", float or array-like, default=0.3
        What is known of the sizes: that they are equal up to one; by what share between
        0 and 1 they may differ from their mean; ``n_clusters`` proportions that add up
        to 1; or ``(minimum, maximum)`` sizes, ``None`` for no limit. The difference of
        the shares that two clusters may have bounds the difference of their mean
        decision values. The sizes hold for ``labels_``, ``predict`` knows no limits.

    tol : float, default=1e-3
        Each convex problem is solved until its objective is within ``C * tol`` of
        the optimum; this is the tolerance of the constraints in [1]_.

    n_init : int, default=4
        Number of starts, of which the best objective wins: the leading principal
        directions for two clusters, k-means for more. They work on at most 4000
        samples; the best one goes on with all.

    landmarks : "auto", None, int or array-like, default="auto"
        Which samples span the functions fitted with a kernel that is not linear.
        ``None``: all. A number: so many, drawn at random. An array: these points.
        ``"auto"``: all up to 2000 samples, else up to 800.

    max_iter : int, default=100
        Largest number of convex problems in a run.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, the part of the samples they work on, and the landmarks.

    verbose : int, default=0
        1 prints the objective after each convex problem on all samples.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample; ``predict(X)`` unless the size limits bind.
    n_clusters_ : int
        The number of clusters.
    C_ : float
        The weight of the loss.
    objective_ : float
        Minus the objective above: larger is better.
    history_ : ndarray of shape (n_iter_ + 1,)
        The same at the start of the last run and after each round.
    n_iter_ : int
        Number of convex problems solved on all samples.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    Equal samples are merged and always share a cluster; a sample of weight 3 is the
    same as three equal samples. The order of the rows does not matter.

    References
    ----------
    .. [1] B. Zhao, F. Wang, C. Zhang. Efficient maximum margin clustering via cutting
       plane algorithm. SIAM International Conference on Data Mining, 2008.
    .. [2] X. Fan, L. Cao, X. Cui, L. Zhu, Y.-S. Ong. Maximum margin clustering on
       evolutionary data. ACM International Conference on Information and Knowledge
       Management, 2012.
    .. [3] B. Zhao, F. Wang, C. Zhang. Efficient multiclass maximum margin clustering.
       International Conference on Machine Learning, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from maxmargin import CuttingPlaneMaxMarginClustering
    >>> X, y = load_digits(n_class=2, return_X_y=True)
    >>> clusters = CuttingPlaneMaxMarginClustering(random_state=0).fit(X)
    >>> clusters.decision_function(X).shape
    (360, 2)
    """

    def __init__(
        self,
        n_clusters=2,
        *,
        kernel="linear",
        gamma="median",
        degree=3,
        coef0=1,
        kernel_params=None,
        C="auto",
        balance=0.3,
        tol=1e-3,
        n_init=4,
        landmarks="auto",
        max_iter=100,
        random_state=None,
        verbose=0,
    ):
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.C = C
        self.balance = balance
        self.tol = tol
        self.n_init = n_init
        self.landmarks = landmarks
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        check_integer("n_init", self.n_init)
        check_positive("tol", self.tol)
        if not (isinstance(self.C, str) and self.C == "auto"):
            check_positive("C", self.C)
        if self.balance is None or (
            isinstance(self.balance, str) and self.balance == "free"
        ):
            raise ValueError(
                f"balance={self.balance!r} does not limit the sizes, and then the "
                "widest margin has all samples in one cluster: give a float such as "
                "0.3."
            )

    def _solve(self, task):
        basis = make_basis(
            task.kernel,
            task.X,
            task.sample,
            task.landmarks,
            task.random,
            task.n_threads,
        )
        samples = basis(task.X[task.sample.indices], task.n_threads)
        if len(task.weights) <= task.n_clusters or task.n_clusters == 1:
            return self._one_sample_each(task, basis, samples)
        features = standardise(samples, task.weights)
        solution = solve_clusters(
            features,
            task.balance,
            C=None if isinstance(self.C, str) else float(self.C),
            tol=self.tol,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random=task.random,
            on_iteration=task.on_iteration,
        )
        self.C_ = solution.C
        decisions = solution.decisions
        if task.n_clusters == 2:
            functions = features.original_units(solution.v).with_negative()
            decisions = np.stack([-decisions, decisions], axis=1)
        else:
            features = features.with_functions(task.n_clusters)
            functions = features.original_units(solution.v)
        labels = assign_within_limits(decisions, task.weights, task.balance.limits)
        run = SearchResult(
            labels,
            -solution.objective,
            tuple(-value for value in solution.history),
            int((labels != decisions.argmax(axis=1)).sum()),
            solution.converged,
        )
        return run, MarginModel(basis, functions.coefficients, functions.offsets)

    def _one_sample_each(self, task, basis, samples):
        """Return one cluster for all samples, or one for each distinct sample.

        The decision function of a cluster is largest for the samples nearest to its
        own.
        """
        self.C_ = np.nan
        k = task.n_clusters
        centers = samples[:k].toarray() if hasattr(samples, "toarray") else samples[:k]
        coefficients = np.zeros((centers.shape[1], k))
        offsets = np.full(k, -np.inf)
        coefficients[:, : len(centers)] = centers.T
        offsets[: len(centers)] = -0.5 * (centers**2).sum(axis=1)
        labels = np.arange(len(task.weights)) if k > 1 else np.zeros(len(task.weights))
        run = SearchResult(labels.astype(np.int64), 0.0, (0.0,), 0, True)
        return run, MarginModel(basis, coefficients, offsets)
