"""`CuttingPlaneMaxMarginClustering`: the hinge loss by cutting planes."""

from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.clustering.base import warn_if_empty
from maxmargin.engine.checks import check_choice, check_integer, check_positive
from maxmargin.engine.model import MarginModel
from maxmargin.engine.options import is_free
from maxmargin.published.base import KernelClusterer
from maxmargin.published.hinge.cutting_plane_clustering import (
    cluster_functions,
    solve_clusters,
)
from maxmargin.published.hinge.published_planes import (
    clustering_problem,
    published_starts,
    solve_published,
    start_from,
)
from maxmargin.published.hinge.standard_features import standardise
from maxmargin.search.limits import assign_in_order
from maxmargin.search.runs import one_sample_each
from maxmargin.search.state import SearchResult
from maxmargin.smoothers.landmarks import make_basis

FORMULATIONS = ("published", "adapted")


class CuttingPlaneMaxMarginClustering(KernelClusterer):
    r"""Maximum margin clustering with the hinge loss, by cutting planes (CPMMC).

    Finds the clusters with the widest margin between them. For two clusters it
    minimises

    .. math:: \tfrac12 |w|^2 + C\, \tfrac1n \sum_i \max(0, 1 - |f(x_i)|),
        \quad f(x) = w^T \varphi(x) + b,

    subject to :math:`-l \le \sum_i f(x_i) \le l`, which excludes the solution with
    all samples in one cluster [1]_ [2]_. For more clusters the loss is
    :math:`\max(0, 1 - f_{first} + f_{second})` of the two largest of k decision values,
    and the constraint holds for the difference of any two of them [3]_. Cutting planes
    are added one by one, and after each the concave-convex procedure solves the problem
    with those so far (Algorithm 2 in appendix A of [2]_).

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
        variance along the first principal direction in the feature space of the kernel.
        At ``C = 1 / s`` the margin is as wide as the samples spread. ``"auto"`` is
        ten times that, with the variance along direction k - 1 for k clusters.

    sum_limit : "auto" or float, default="auto"
        The l of the constraint above; [2]_ does not name its value. ``"auto"`` is 0.3
        times the number of samples.

    init : "auto" or pair of arrays, default="auto"
        The w0 and b0 from which Algorithm 2 starts: an array of shape (n_features,) and
        a number, for more clusters (n_features, n_clusters) and (n_clusters,). With
        another kernel than ``"linear"``, w0 has the coefficients of the samples,
        :math:`w_0 = \sum_i a_i \varphi(x_i)`. With ``"auto"``, for which the papers
        have no rule, w0 is the first principal direction, and b0 = 0 at the mean; for
        more clusters, they separate the clusters of k-means.

    formulation : {"published", "adapted"}, default="published"
        Adapted, an option of this library: the loops are nested the other way round,
        each convex problem being solved by cutting planes; C grows to its value, in
        units of samples that are scaled to a mean squared norm of one; runs from
        ``n_init`` starts on at most 4000 samples, the best of which is continued on all
        of them; and the sizes of the clusters are limited by ``balance``. With the
        linear kernel the labels do not change if the data are shifted, rotated or
        scaled.

    balance : "free", "equal", float or array-like, default="free"
        Constraint on the cluster sizes, as in `MaxMarginClustering`, for
        ``formulation="adapted"``, which needs one, such as 0.3. During the optimisation
        it bounds the mean decision values. At the end ``labels_`` are assigned so that
        the sizes hold.

    tol : float, default=0.01
        The tolerance epsilon of the constraints in [1]_ and [2]_. Adapted: the
        objective of a convex problem is within ``C * tol`` of the optimum.

    cccp_tol : float, default=0.01
        The relative decrease of the objective at which the concave-convex procedure
        ends, the alpha of [1]_. Not used if adapted.

    n_init : int, default=1
        Number of runs, of which the one with the best objective is kept. The second run
        starts from the second principal direction, and so on, then from random
        combinations of them; for more clusters, from another run of k-means.

    landmarks, landmark_selection
        The samples that span the decision functions, as in `MaxMarginClustering`; not
        used with ``kernel="linear"``. ``landmarks="auto"`` is all samples if there are
        at most 2000, else up to 800 of them.

    max_iter : int, default=200
        Maximum number of cutting planes in a run; adapted, of convex problems.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts, of the samples that they use, and of the landmarks.

    verbose : int, default=0
        1 prints the objective after each start, and after each round of a single one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample. It equals ``predict(X)`` unless ``balance`` limits the
        sizes, and the predicted ones do not satisfy it. Then samples are moved to other
        clusters, those with the smallest difference of decision values first.
    C_ : float
        The value of C. It is NaN where nothing is optimised: for one cluster, or at
        most as many distinct samples as clusters.
    objective_ : float
        Minus the objective above; larger is better.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start of the best run and after each round: after each
        cutting plane; adapted, on all samples, at the best solution of the runs and
        after each convex problem.
    n_iter_ : int
        Number of these rounds.
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
        sum_limit: Any = "auto",
        init: Any = "auto",
        formulation: str = "published",
        balance: Any = "free",
        tol: float = 0.01,
        cccp_tol: float = 0.01,
        n_init: Any = 1,
        landmarks: Any = "auto",
        landmark_selection: str = "random",
        max_iter: int = 200,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.C = C
        self.sum_limit = sum_limit
        self.init = init
        self.formulation = formulation
        self.balance = balance
        self.tol = tol
        self.cccp_tol = cccp_tol
        self.n_init = n_init
        self.landmarks = landmarks
        self.landmark_selection = landmark_selection
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        check_integer("n_init", self.n_init)
        check_positive("tol", self.tol)
        check_positive("cccp_tol", self.cccp_tol)
        check_choice("formulation", self.formulation, FORMULATIONS)
        for name in ("C", "sum_limit"):
            value = getattr(self, name)
            if not (isinstance(value, str) and value == "auto"):
                check_positive(name, value)
        if self._published and not is_free(self.balance):
            raise ValueError(
                "The published constraint is on the decision values: use sum_limit, "
                "or formulation='adapted' to limit the sizes by balance."
            )
        if not self._published and is_free(self.balance):
            raise ValueError(
                "balance='free' does not limit the sizes, and then the widest margin "
                "has all samples in one cluster: give a float such as 0.3."
            )

    @property
    def _published(self) -> bool:
        return self.formulation == "published"

    def _solve(self, task):
        basis = make_basis(
            task.kernel, task.X, task.sample, task.landmarks, task.random
        )
        samples = basis(task.X[task.sample.indices])
        if len(task.weights) <= task.n_clusters or task.n_clusters == 1:
            return self._one_sample_each(task, basis, samples)
        features = standardise(samples, task.weights)
        if self._published:
            features = replace(features, scale=1.0)
            solution = self._solve_published(task, features)
        else:
            solution = self._optimise(
                features, task.balance, task.random, task.on_iteration
            )
        self.C_ = solution.C
        functions, decisions = cluster_functions(features, solution, task.n_clusters)
        if self._published:
            labels = decisions.argmax(axis=1)
            sizes = np.bincount(labels, minlength=task.n_clusters)
            warn_if_empty(
                int((sizes == 0).sum()),
                task.n_clusters,
                "which the constraint on the sum of decision values allows: lower "
                "sum_limit, or raise C",
                stacklevel=5,
            )
        else:
            labels = assign_in_order(decisions, task.weights, task.balance.limits)
        run = SearchResult(
            labels,
            -solution.objective,
            tuple(-value for value in solution.history),
            int((labels != decisions.argmax(axis=1)).sum()),
            solution.converged,
        )
        return run, MarginModel(basis, functions.coefficients, functions.offsets)

    def _solve_published(self, task, features):
        """Return the coefficients that Algorithm 2 finds."""
        weights, k = task.weights, task.n_clusters
        limit = 0.3 * weights.sum() if self.sum_limit == "auto" else self.sum_limit
        problem = clustering_problem(
            features.with_functions(1 if k == 2 else k),
            float(limit) / weights.sum(),
            None if isinstance(self.C, str) else float(self.C),
            (self.tol, self.cccp_tol),
            task.random,
        )
        if isinstance(self.init, str):
            starts = list(published_starts(problem, self.n_init, task.random))
        else:
            starts = [start_from(problem, self._given(task, features))]
        single = self.n_init == 1 or not isinstance(self.init, str)
        report, runs = task.on_iteration, []
        for number, v in enumerate(starts, 1):
            run = solve_published(
                problem,
                v,
                max_iter=self.max_iter,
                on_iteration=report if single else None,
            )
            if report is not None and not single:
                report(number, -run.objective, "start")
            runs.append(run)
        return min(runs, key=lambda run: run.objective)

    def _given(self, task, features):
        """Return w0 and b0, in the feature space of the kernel."""
        w, b = (np.asarray(part, dtype=np.float64) for part in self.init)
        k = 1 if task.n_clusters == 2 else task.n_clusters
        n_rows = task.X.shape[1] if task.kernel.name == "linear" else task.sample.n_rows
        if w.size != n_rows * k or b.size != k:
            raise ValueError(
                f"init has {w.size} and {b.size} numbers: give w0 with {n_rows * k} "
                f"and b0 with {k}."
            )
        w = w.reshape(n_rows, k)
        if task.kernel.name != "linear":
            total = np.zeros((len(task.weights), k))  # equal samples are one
            np.add.at(total, task.sample.groups, w[task.sample.rows])
            w = features.samples.T @ total
        return w, b.reshape(k)

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
