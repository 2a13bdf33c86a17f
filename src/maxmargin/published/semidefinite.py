"""`SemidefiniteMaxMarginClustering`: MMC and GMMC, for few samples."""

from typing import Any

import numpy as np

from maxmargin.engine.checks import check_choice, check_positive
from maxmargin.engine.model import MarginModel
from maxmargin.published.base import KernelClusterer, SolverTask
from maxmargin.published.hinge.alternation import targets_of
from maxmargin.published.hinge.function_solvers import SupportVectorSolver
from maxmargin.published.hinge.margin_loss import make_loss, search_bias
from maxmargin.published.hinge.semidefinite import (
    check_semidefinite,
    gmmc_cost,
    gmmc_matrix,
    mmc_cost,
    relax_gmmc,
    relax_mmc,
)
from maxmargin.search.state import SearchResult
from maxmargin.smoothers.feature_map import KernelColumns

# With more samples a relaxation takes too long: MMC has n^2 variables, GMMC n.
MAX_SAMPLES = {"mmc": 300, "gmmc": 1500}


class SemidefiniteMaxMarginClustering(KernelClusterer):
    r"""Maximum margin clustering by semidefinite relaxation, for few samples.

    Solves a convex relaxation of maximum margin clustering into two clusters, with a
    matrix :math:`M` in place of :math:`y y^T`. Its minimum is a lower bound of the cost
    of any labels. The labels are taken from the leading eigenvector of :math:`M`, at
    the best threshold within the size limits. The decision function is that of a
    support vector machine trained on these labels. For more than two clusters use
    `RecursiveBisection` with this estimator.

    Parameters
    ----------
    formulation : {"mmc", "gmmc"}, default="mmc"
        ``"mmc"`` [1]_ relaxes a support vector machine without bias, subject to the
        size limits. It has n^2 variables and needs the extra ``sdp``: 100 samples take
        seconds, 150 up to a minute, 200 some; ``verbose`` reports. It takes at most 300
        distinct samples. ``"gmmc"`` [2]_ has a bias, squared slacks and a penalty on
        unbalanced clusters, and n variables: 100 samples take a tenth of a second. It
        takes at most 1500 distinct samples.

    C : float, default=1.0
        Weight of the errors against the margin.

    kernel : str or callable, default="rbf"
        A kernel of scikit-learn, a function of two samples, or ``"precomputed"``, as in
        `MaxMarginClustering`.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`; ``gamma="scale"`` is
        ``1 / (n_features * variance)``.

    balance : float, "free", "equal" or array-like, default=0.3
        Constraint on the cluster sizes, as in `IterativeMaxMarginClustering`. MMC needs
        a limit: without one, all samples in one cluster have the widest margin. The
        relaxation of GMMC does not use it, only the choice of the threshold does.

    center : bool, default=False
        Whether the kernel of ``"mmc"`` is centred first, an option of this library: its
        functions have no bias, and far from the origin of the feature space one side
        has all samples.

    balance_penalty : "auto" or float, default="auto"
        The constant c of GMMC: its cost has the term :math:`c (\sum_i w_i f_i)^2`,
        which keeps the clusters balanced. ``"auto"`` makes the term as large as the
        largest eigenvalue of the rest of the cost. Not used by ``"mmc"``.

    tol : float, default=1e-5
        Tolerance of the relaxation.

    max_iter : int, default=100000
        Maximum number of iterations of the solver.

    random_state : int, RandomState instance or None, default=None
        Seed of ``gamma="median"`` with more than 1000 samples; nothing else is random.

    verbose : int, default=0
        If 1, print minus the objective of the relaxation every 1000 rounds of the
        solver of MMC, and at the end the bound and the cost of the labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, with sizes that satisfy ``balance``. They differ from
        ``predict(X)`` for samples that the support vector machine misclassifies.
    bound_ : float
        A lower bound of the cost of any labels, up to ``tol``.
    objective_ : float
        Minus the cost of ``labels_``; ``-objective_ - bound_`` is the gap.
    matrix_ : ndarray of shape (n_distinct, n_distinct)
        The solution M of the relaxation, for the samples ``distinct_``.
    distinct_ : ndarray of shape (n_distinct,)
        Positions of the distinct samples.
    history_ : ndarray of shape (1,)
        The objective.
    n_clusters_, n_iter_, n_features_in_ : int
        The numbers of clusters, 2, of iterations of the solver, and of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    Unless the kernel is precomputed, equal samples are merged and have the same label,
    a sample of weight 3 is the same as three equal samples, and the labels do not
    depend on the order of the rows.

    References
    ----------
    .. [1] L. Xu, J. Neufeld, B. Larson, D. Schuurmans. Maximum margin clustering.
       Advances in Neural Information Processing Systems 17, 2004.
    .. [2] H. Valizadegan, R. Jin. Generalized maximum margin clustering and
       unsupervised kernel learning. Advances in Neural Information Processing Systems
       19, 2006.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin.published import SemidefiniteMaxMarginClustering
    >>> X, y = make_blobs(30, centers=2, random_state=0)
    >>> clusters = SemidefiniteMaxMarginClustering(formulation="gmmc").fit(X)
    >>> bool(clusters.bound_ <= -clusters.objective_)
    True
    """

    landmarks = None  # the relaxations use all samples
    _has_bias = True
    _n_clusters = 2

    def __init__(
        self,
        *,
        formulation: str = "mmc",
        C: Any = 1.0,
        kernel: Any = "rbf",
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        balance: Any = 0.3,
        center: bool = False,
        balance_penalty: Any = "auto",
        tol: float = 1e-5,
        max_iter: int = 100_000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.formulation = formulation
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.balance = balance
        self.center = center
        self.balance_penalty = balance_penalty
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        check_choice("formulation", self.formulation, tuple(MAX_SAMPLES))
        check_positive("C", self.C)
        check_positive("tol", self.tol)
        if self.balance_penalty != "auto":
            check_positive("balance_penalty", self.balance_penalty)

    def _solve(self, task: SolverTask):
        indices, weights = task.sample.indices, task.weights
        most = MAX_SAMPLES[self.formulation]
        if len(indices) > most:
            raise ValueError(
                f"formulation={self.formulation!r} takes at most {most} distinct "
                f"samples, not {len(indices)}: use IterativeMaxMarginClustering."
            )
        basis = task.kernel.take(task.X, indices)
        K = task.kernel(task.X[indices], basis)
        check_semidefinite(K)
        limits = np.maximum(task.balance.limits, [[weights.min() / 2], [0.0]])
        relaxed, cost = self._relax(K, weights, limits, task.on_iteration)
        labels = round_matrix(relaxed.matrix, weights, limits)
        targets = targets_of(labels, 2)[0]
        svm = SupportVectorSolver(K, weights, make_loss("hinge"), self.C).fit(targets)
        objective = -cost(targets)
        if task.on_iteration is not None:
            print(f"bound {relaxed.bound:.6g}, cost of the labels {-objective:.6g}")
        self.distinct_ = indices
        self.bound_, self.matrix_ = relaxed.bound, relaxed.matrix
        self._n_iter = relaxed.n_iter
        run = SearchResult(labels, objective, (objective,), 0, relaxed.converged)
        columns = KernelColumns(task.kernel, basis)
        coefficients = np.outer(svm.coefficients, [-1.0, 1.0])
        biases = svm.bias * np.array([-1.0, 1.0])
        return run, MarginModel(columns, coefficients, biases)

    def _set_attributes(self, run, task):
        super()._set_attributes(run, task)
        self.n_iter_ = self._n_iter

    def _relax(self, K, weights, limits, on_iteration):
        """Return the solution of the relaxation, and the cost of labels -1 and 1."""
        if self.formulation == "gmmc":
            automatic = self.balance_penalty == "auto"
            penalty = None if automatic else float(self.balance_penalty)
            Q = gmmc_matrix(K, weights, self.C, penalty)
            relaxation = relax_gmmc(Q, self.tol, self.max_iter)
            return relaxation, lambda y: gmmc_cost(Q, y)
        if self.center:
            shares = weights / weights.sum()
            K = K - shares @ K
            K = K - (K @ shares)[:, None]
            K = (K + K.T) / 2
        slack = min(max(limits[1] - limits[0, ::-1]), weights.sum())
        relaxation = relax_mmc(
            K, weights, self.C, slack, self.tol, self.max_iter, on_iteration
        )
        return relaxation, lambda y: mmc_cost(K, weights, self.C, y)


def round_matrix(
    matrix: np.ndarray, weights: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Return labels y with ``M ~ y y'``, from the leading eigenvector of M.

    If M has rank one, its leading eigenvector times the root of its eigenvalue is y. So
    the threshold is that of `search_bias` for values near -1 and 1.
    """
    values, vectors = np.linalg.eigh(matrix)
    leading = vectors[:, -1] * np.sqrt(values[-1])
    return search_bias(leading, weights, limits, make_loss("laplacian")).labels
