"""`CuttingPlaneMaxMarginClustering`: the hinge loss by cutting planes."""

from typing import Any

import numpy as np

from maxmargin.engine.checks import check_integer, check_positive
from maxmargin.engine.model import MarginModel
from maxmargin.engine.options import is_free
from maxmargin.published.base import KernelClusterer
from maxmargin.published.hinge.cutting_plane_clustering import (
    cluster_functions,
    solve_clusters,
)
from maxmargin.published.hinge.standard_features import standardise
from maxmargin.search.limits import assign_in_order
from maxmargin.search.runs import one_sample_each
from maxmargin.search.state import SearchResult
from maxmargin.smoothers.landmarks import make_basis


class CuttingPlaneMaxMarginClustering(KernelClusterer):
    r"""Maximum margin clustering with the hinge loss, by cutting planes (CPMMC).

    Finds the clusters with the widest margin between them. For two clusters it
    minimises

    .. math:: \tfrac12 |w|^2 + C\, \tfrac1n \sum_i \max(0, 1 - |w^T z_i + b|)

    subject to a constraint on the mean decision value, which excludes the solution with
    all samples in one cluster [1]_ [2]_. For more clusters the loss is
    :math:`\max(0, 1 - f_{first} + f_{second})` of the two largest of k decision values
    [3]_. The concave-convex procedure solves a sequence of convex problems, each by
    cutting planes in a few passes over the data.

    The samples :math:`z_i` are centred and scaled to mean squared norm one in the
    feature space of the kernel. With ``kernel="linear"`` the labels are therefore
    invariant to a shift, a rotation and a common scale of the data.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters.

    kernel : str or callable, default="linear"
        A kernel of scikit-learn, a function of two samples, or ``"precomputed"``, as in
        `MaxMarginClustering`. Sparse samples stay sparse with ``"linear"``.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`; ``gamma="scale"`` is
        ``1 / (n_features * variance)``.

    C : "auto" or float, default="auto"
        Weight of the mean loss against half the squared norm of w. Let s be the
        variance along the first principal direction, as a share of the total variance.
        At ``C = 1 / s`` the margin is as wide as the samples spread. ``"auto"`` is
        ten times that, with the variance along direction k - 1 for k clusters.

    balance : "equal", float or array-like, default=0.3
        Constraint on the cluster sizes, as in `MaxMarginClustering`, except ``"free"``.
        During the optimisation it bounds the mean decision values. At the end
        ``labels_`` are assigned so that the sizes hold.

    tol : float, default=1e-3
        Tolerance of the constraints in [1]_: the objective of a convex problem is
        within ``C * tol`` of the optimum.

    n_init : int, default=4
        Number of runs, on at most 4000 distinct samples, of which the one with the best
        objective is continued on all samples. For two clusters they start from the
        first principal directions, then from random combinations of them. For more
        clusters each starts from a run of k-means.

    landmarks, landmark_selection
        The samples that span the decision functions, as in `MaxMarginClustering`; not
        used with ``kernel="linear"``. ``landmarks="auto"`` is all samples if there are
        at most 2000, else up to 800 of them.

    max_iter : int, default=100
        Maximum number of convex problems in a run.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, of the samples that they use, and of the landmarks.

    verbose : int, default=0
        1 prints the objective after each start, and after each convex problem on all
        samples of a single one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. It equals ``predict(X)`` if the predicted sizes satisfy
        ``balance``. Otherwise samples are moved to other clusters, those with the
        smallest difference of decision values first.
    C_ : float
        The value of C. It is NaN where nothing is optimised: for one cluster, or at
        most as many distinct samples as clusters.
    objective_ : float
        Minus the objective above; larger is better.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective on all samples, at the best solution of the runs and after each
        convex problem.
    n_iter_ : int
        Number of convex problems solved on all samples.
    n_clusters_, n_features_in_ : int
        The numbers of clusters and features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    Unless the kernel is precomputed, equal samples are merged and have the same label,
    a sample of weight 3 is the same as three equal samples, and with a fixed
    ``random_state`` the labels do not depend on the order of the rows.

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
    >>> from maxmargin.published import CuttingPlaneMaxMarginClustering
    >>> X, y = load_digits(n_class=2, return_X_y=True)
    >>> clusters = CuttingPlaneMaxMarginClustering(random_state=0).fit(X)
    >>> clusters.decision_function(X).shape
    (360, 2)
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        kernel: Any = "linear",
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        C: Any = "auto",
        balance: Any = 0.3,
        tol: float = 1e-3,
        n_init: Any = 4,
        landmarks: Any = "auto",
        landmark_selection: str = "random",
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.C = C
        self.balance = balance
        self.tol = tol
        self.n_init = n_init
        self.landmarks = landmarks
        self.landmark_selection = landmark_selection
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        check_integer("n_init", self.n_init)
        check_positive("tol", self.tol)
        if not (isinstance(self.C, str) and self.C == "auto"):
            check_positive("C", self.C)
        if is_free(self.balance):
            raise ValueError(
                "balance='free' does not limit the sizes, and then the widest margin "
                "has all samples in one cluster: give a float such as 0.3."
            )

    def _solve(self, task):
        basis = make_basis(
            task.kernel, task.X, task.sample, task.landmarks, task.random
        )
        samples = basis(task.X[task.sample.indices])
        if len(task.weights) <= task.n_clusters or task.n_clusters == 1:
            return self._one_sample_each(task, basis, samples)
        features = standardise(samples, task.weights)
        solution = self._optimise(
            features, task.balance, task.random, task.on_iteration
        )
        self.C_ = solution.C
        functions, decisions = cluster_functions(features, solution, task.n_clusters)
        labels = assign_in_order(decisions, task.weights, task.balance.limits)
        run = SearchResult(
            labels,
            -solution.objective,
            tuple(-value for value in solution.history),
            int((labels != decisions.argmax(axis=1)).sum()),
            solution.converged,
        )
        return run, MarginModel(basis, functions.coefficients, functions.offsets)

    def _optimise(self, features, balance, random, on_iteration=None):
        """Return the coefficients of the functions for samples in standard form."""
        return solve_clusters(
            features,
            balance,
            C=None if isinstance(self.C, str) else float(self.C),
            tol=self.tol,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random=random,
            on_iteration=on_iteration,
        )

    def _one_sample_each(self, task, basis, samples):
        """Return one cluster, or one around each distinct sample."""
        self.C_ = np.nan
        k = task.n_clusters
        centers = samples[:k].toarray() if hasattr(samples, "toarray") else samples[:k]
        labels = np.zeros(len(task.weights), dtype=np.int64)
        if k > 1:
            labels = one_sample_each(task.weights, task.balance)
        coefficients = np.zeros((centers.shape[1], k))
        offsets = np.full(k, -np.inf)
        numbers = labels[: len(centers)]
        differences = centers - centers[0]  # of which no squares cancel each other
        coefficients[:, numbers] = differences.T
        offsets[numbers] = -0.5 * (differences * (centers + centers[0])).sum(axis=1)
        run = SearchResult(labels, 0.0, (0.0,), 0, True)
        return run, MarginModel(basis, coefficients, offsets)
