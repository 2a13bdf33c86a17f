"""`SemidefiniteMaxMarginClustering`: MMC and GMMC, for few samples."""

import numpy as np

from maxmargin.clustering.base import KernelClusterer, Task, one_cluster
from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import check_positive
from maxmargin.hinge.alternation import targets_of
from maxmargin.hinge.function_solvers import SupportVectorSolver
from maxmargin.hinge.margin_loss import make_loss, search_bias
from maxmargin.hinge.semidefinite import (
    gmmc_cost,
    gmmc_matrix,
    mmc_cost,
    relax_gmmc,
    relax_mmc,
)
from maxmargin.kernels.feature_map import KernelColumns
from maxmargin.search.result import SearchResult

# Beyond so many samples a relaxation takes too long: MMC has n^2 unknowns, GMMC n.
MOST_SAMPLES = {"mmc": 300, "gmmc": 1500}


class SemidefiniteMaxMarginClustering(KernelClusterer):
    r"""Maximum margin clustering by semidefinite relaxation, for few samples.

    Finds a matrix :math:`M` in place of :math:`y y^T` that solves a convex relaxation
    of maximum margin clustering into two clusters, and so a bound that no labels can
    beat. Labels are read from the leading eigenvector of :math:`M`, at the best cut
    within the size limits, and a support vector machine trained on them gives the
    decision function; a sample on the wrong side of it keeps its label.

    Parameters
    ----------
    n_clusters : int, default=2
        Two; for more, put the clusterer into `RecursiveBisection`.

    formulation : {"mmc", "gmmc"}, default="mmc"
        ``"mmc"`` [1]_ relaxes a support vector machine without bias, on the centred
        kernel, subject to the size limits. It has n^2 unknowns and needs the extra
        ``sdp``: 100 samples take seconds, 200 a minute. ``"gmmc"`` [2]_ has a bias,
        squared slacks and a penalty for unbalance, and n unknowns: 100 samples take a
        tenth of a second.

    C : float, default=1.0
        How much errors count against the margin.

    kernel : str or callable, default="rbf"
        A kernel of :func:`sklearn.metrics.pairwise.pairwise_kernels`, a function of two
        samples, or ``"precomputed"``.

    gamma : "median", float or None, default="median"
        Width parameter of the kernels that have one, as in `MaxMarginClustering`.

    degree : float, default=3
        Degree of the polynomial kernel.

    coef0 : float, default=1
        Constant term of the polynomial and sigmoid kernels.

    kernel_params : dict, default=None
        Further arguments of a kernel that is a function.

    balance : float, "free", "equal", array-like or None, default=0.3
        What is known of the sizes, as in `IterativeMaxMarginClustering`. MMC needs a
        limit: without one, all samples in one cluster have the widest margin.

    tol : float, default=1e-5
        The accuracy of the relaxation.

    max_iter : int, default=100000
        Largest number of steps of the solver.

    random_state : int, RandomState instance or None, default=None
        Seed for ``gamma="median"`` beyond 1000 samples; nothing else is random.

    verbose : int, default=0
        1 prints the bound and the value of the labels.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
    bound_ : float
        No labels have a cost below it.
    objective_ : float
        Minus the cost of ``labels_``; ``-objective_ - bound_`` is the gap.
    matrix_ : ndarray of shape (n_distinct, n_distinct)
        The solution of the relaxation, for the samples ``distinct_``.
    distinct_ : ndarray of shape (n_distinct,)
        Positions of the distinct samples.
    n_clusters_ : int
        Two.
    history_ : ndarray of shape (1,)
        The objective.
    n_iter_ : int
        Number of steps of the solver.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

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
    >>> from maxmargin import SemidefiniteMaxMarginClustering
    >>> X, y = make_blobs(30, centers=2, random_state=0)
    >>> clusters = SemidefiniteMaxMarginClustering(formulation="gmmc").fit(X)
    >>> bool(clusters.bound_ <= -clusters.objective_)
    True
    """

    landmarks = None  # the relaxations know none

    def __init__(
        self,
        n_clusters=2,
        *,
        formulation="mmc",
        C=1.0,
        kernel="rbf",
        gamma="median",
        degree=3,
        coef0=1,
        kernel_params=None,
        balance=0.3,
        tol=1e-5,
        max_iter=100_000,
        random_state=None,
        verbose=0,
    ):
        self.n_clusters = n_clusters
        self.formulation = formulation
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.balance = balance
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        if self.n_clusters > 2:
            raise ValueError(
                f"n_clusters={self.n_clusters}, and the relaxations are for 2: use "
                "RecursiveBisection(SemidefiniteMaxMarginClustering(), n_clusters)."
            )
        if self.formulation not in MOST_SAMPLES:
            raise ValueError(
                f"formulation={self.formulation!r} is not known: use 'mmc' or 'gmmc'."
            )
        check_positive("C", self.C)
        check_positive("tol", self.tol)

    def _solve(self, task: Task):
        most = MOST_SAMPLES[self.formulation]
        indices, weights = task.sample.indices, task.weights
        self.distinct_ = indices
        if self.n_clusters == 1:
            self.bound_, self.matrix_ = 0.0, np.ones((len(indices), len(indices)))
            self._n_steps = 1
            return one_cluster(task)
        if len(indices) > most:
            raise ValueError(
                f"{len(indices)} distinct samples are too many for a relaxation, which "
                f"takes at most {most} here: use IterativeMaxMarginClustering."
            )
        basis = task.kernel.take(task.X, indices)
        K = task.kernel(task.X[indices], basis, task.n_threads)
        limits = np.maximum(task.balance.limits, [[weights.min() / 2], [0.0]])
        relaxed, value = self._relax(K, weights, limits)
        labels = round_matrix(relaxed.matrix, weights, limits)
        columns = KernelColumns(task.kernel, basis)
        machine = SupportVectorSolver(K, weights, make_loss("hinge"), self.C)
        function = machine.fit(targets_of(labels, 2)[0])
        self.bound_, self.matrix_ = relaxed.bound, relaxed.matrix
        objective = -value(np.where(labels == 1, 1.0, -1.0))
        if task.on_iteration is not None:
            print(f"bound {relaxed.bound:.6g}, cost of the labels {-objective:.6g}")
        self._n_steps = relaxed.n_iter
        run = SearchResult(labels, objective, (objective,), 0, relaxed.converged)
        coefficients = np.outer(function.coefficients, [-1.0, 1.0])
        biases = function.bias * np.array([-1.0, 1.0])
        return run, MarginModel(columns, coefficients, biases)

    def _keep(self, run, task):
        super()._keep(run, task)
        self.n_iter_ = self._n_steps

    def _relax(self, K, weights, limits):
        """Return the relaxation, and the function that gives the cost of labels."""
        if self.formulation == "gmmc":
            Q = gmmc_matrix(K, weights, self.C)
            relaxed = relax_gmmc(Q, self.tol, self.max_iter)
            return relaxed, lambda y: gmmc_cost(Q, y)
        shares = weights / weights.sum()
        centred = K - shares @ K
        centred = centred - (centred @ shares)[:, None]
        centred = (centred + centred.T) / 2
        slack = min(max(limits[1] - limits[0, ::-1]), weights.sum())
        relaxed = relax_mmc(centred, weights, self.C, slack, self.tol, self.max_iter)
        return relaxed, lambda y: mmc_cost(centred, weights, self.C, y)


def round_matrix(
    matrix: np.ndarray, weights: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Return the labels in ``M ~ y y'``: its leading eigenvector, cut where it is best.

    With its length, the eigenvector is y itself if the matrix has rank one, so the cut
    is that of `search_bias` for values that should be -1 and 1.
    """
    values, vectors = np.linalg.eigh(matrix)
    leading = vectors[:, -1] * np.sqrt(values[-1])
    return search_bias(leading, weights, limits, make_loss("laplacian")).labels
