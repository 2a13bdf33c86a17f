"""`IterativeMaxMarginClustering`: iterSVR, iterSVM and iterLS-SVM."""

from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.cluster import KMeans

from maxmargin.engine.checks import check_choice, check_integer, check_positive
from maxmargin.engine.model import MarginModel
from maxmargin.engine.options import is_free
from maxmargin.published.base import KernelClusterer, SolverTask, one_cluster
from maxmargin.published.hinge.alternation import (
    AlternationProblem,
    alternate,
    targets_of,
)
from maxmargin.published.hinge.function_solvers import (
    FunctionSolver,
    RidgeSolver,
    SupportVectorSolver,
    splitting_solver,
)
from maxmargin.published.hinge.margin_loss import MarginLoss, make_loss
from maxmargin.published.hinge.standard_features import LinearFunctions
from maxmargin.published.normalised_cut import check_node_degrees, normalised_cut
from maxmargin.published.parameters import check_init
from maxmargin.search.runs import best_start, fill_empty, one_sample_each
from maxmargin.smoothers.cholesky import NEGLIGIBLE
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.distances import central_point, shift
from maxmargin.smoothers.feature_map import FeatureMap, KernelColumns
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.landmarks import (
    ALL_SAMPLES,
    EXACT_SAMPLES,
    Landmarks,
    make_basis,
    make_smoother,
)
from maxmargin.smoothers.smoother import check_memory

STARTS = ("k-means", "normalized-cut", "spectral")
BIASES = ("search", "kkt")
KEPT = ("last", "best")
# Runs of k-means for the first start: alternation changes few labels, so that its
# start matters.
FIRST_N_INIT = 10
# With more features than this, the linear kernel uses landmarks like any other kernel.
MANY_FEATURES = 1000


class IterativeMaxMarginClustering(KernelClusterer):
    r"""Maximum margin clustering by alternation between a function and labels.

    Minimises over functions :math:`f = g + b` and labels :math:`y_i = \pm 1`

    .. math:: \|g\|^2 + 2 C \sum_i w_i\, \ell(y_i f(x_i))

    subject to limits on the cluster sizes. A round fits the function to the labels and
    then takes the labels from the function, with the best bias within the limits. With
    the Laplacian loss this is iterSVR of [1]_. It changes labels that iterSVM, with the
    hinge loss, would keep because their margins are large. For more than two clusters,
    an extension of [1]_, each cluster has one function against the rest.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of clusters.

    loss : {"laplacian", "hinge", "squared", "epsilon_insensitive"}, default="laplacian"
        The loss as a function of the margin t = y f: ``|1 - t|``, ``max(0, 1 - t)``,
        ``(1 - t)^2`` or ``max(0, |1 - t| - epsilon)``.

    C : float, default=1.0
        Weight of the loss against the squared norm of the function. [1]_ has 500, with
        a very wide kernel.

    epsilon : float, default=0.1
        The epsilon of the epsilon-insensitive loss, at least 0 and below 1.

    kernel : str or callable, default="rbf"
        A kernel of scikit-learn, a function of two samples, or ``"precomputed"``, as in
        `MaxMarginClustering`.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`; ``gamma="scale"`` is
        ``1 / (n_features * variance)``.

    balance : float, "free", "equal" or array-like, default=0.3
        Constraint on the cluster sizes. A float l between 0 and 1 is the largest
        relative deviation from the mean size, :math:`|\sum_i y_i| \le l n` for two
        clusters; [1]_ has 0.03 for balanced classes and 0.3 otherwise. Other values are
        as in `MaxMarginClustering`. No cluster is empty, unless there are fewer
        distinct samples than clusters.

    bias : {"search", "kkt"}, default="search"
        How the bias of a round is found: ``"search"`` for the best one within
        ``balance``, Algorithm 2 of [1]_, or ``"kkt"`` for the one that the KKT
        conditions of the fitted function give, Algorithm 1 of [1]_. The latter is for
        two clusters, needs ``balance="free"``, and may leave a cluster empty.

    init : str or array-like of shape (n_samples,), default="k-means"
        Labels to start from: those of k-means on the samples (``"k-means"``), those of
        normalised cuts with the kernel as affinity (``"normalized-cut"``, [2]_), those
        of k-means on the spectral embedding of normalised cuts (``"spectral"``), or
        given labels.

    n_init : int, default=1
        Number of starts; the run with the best objective is kept. The first start is
        the best of ten runs of k-means, every other one a single run. Given labels and
        normalised cuts are one start.

    landmarks, landmark_selection
        The samples that span the functions, as in `MaxMarginClustering`.
        ``landmarks="auto"`` is all samples if there are at most 2000, else up to 800 of
        them. Where not all samples are used, the functions of a linear kernel are
        linear in the features, without landmarks, if there are at most 1000 features
        and the loss is not squared.

    keep : {"last", "best"}, default="last"
        The round that a run returns: the last one, which changes no label, as in [1]_,
        or the one with the best objective, an option of this library. They differ where
        the limits on the sizes bind.

    sparse : bool, default=False
        Whether ``predict`` uses a support vector machine that is trained on ``labels_``
        (section 3.2 of [1]_), which keeps its support vectors only. It may classify
        some samples differently from ``labels_``.

    max_iter : int, default=100
        Maximum number of rounds in a run; about ten are usual.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts and the landmarks.

    verbose : int, default=0
        1 prints the objective after each start, and after each round of a single one.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample, with sizes that satisfy ``balance``. It equals
        ``predict(X)`` for two clusters, except for samples with equal decision values,
        and for more clusters if the predicted sizes satisfy ``balance``, which
        ``predict`` does not enforce; ``sparse=True`` changes ``predict`` only.
    n_vectors_ : int
        Number of vectors that ``predict`` compares a sample with.
    objective_ : float
        Minus the objective above, summed over the functions; larger is better. Two
        clusters have one function.
    history_ : ndarray of shape (n_iter_ + 1,)
        The objective of the functions fitted to the first labels, and after each round.
    n_iter_ : int
        Number of rounds of the best run.
    n_clusters_, n_features_in_ : int
        The numbers of clusters and features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    Unless the kernel is precomputed, equal samples are merged and have the same label,
    a sample of weight 3 is the same as three equal samples, and with a fixed
    ``random_state`` the labels do not depend on the order of the rows. The sum is over
    all rows: merging changes nothing in the objective. As in scikit-learn, weights
    multiply C, and their scale matters.

    References
    ----------
    .. [1] K. Zhang, I. W. Tsang, J. T. Kwok. Maximum margin clustering made practical.
       Proceedings of the 24th International Conference on Machine Learning, 2007.
    .. [2] J. Shi, J. Malik. Normalized cuts and image segmentation. IEEE Transactions
       on Pattern Analysis and Machine Intelligence 22(8), 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from maxmargin.published import IterativeMaxMarginClustering
    >>> X, y = load_digits(return_X_y=True)
    >>> X = X[(y == 2) | (y == 7)]
    >>> clusters = IterativeMaxMarginClustering(random_state=0).fit(X)
    >>> clusters.labels_.shape
    (356,)
    """

    _has_bias = True

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        loss: str = "laplacian",
        C: Any = 1.0,
        epsilon: float = 0.1,
        kernel: Any = "rbf",
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        balance: Any = 0.3,
        bias: Any = "search",
        init: Any = "k-means",
        n_init: Any = 1,
        landmarks: Any = "auto",
        landmark_selection: str = "random",
        keep: str = "last",
        sparse: Any = False,
        max_iter: int = 100,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.loss = loss
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.balance = balance
        self.bias = bias
        self.init = init
        self.n_init = n_init
        self.landmarks = landmarks
        self.landmark_selection = landmark_selection
        self.keep = keep
        self.sparse = sparse
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _check(self):
        check_positive("C", self.C)
        check_integer("n_init", self.n_init)
        make_loss(self.loss, self.epsilon)
        if isinstance(self.init, str):
            check_choice("init", self.init, STARTS, "or an array of labels")
        check_choice("bias", self.bias, BIASES)
        check_choice("keep", self.keep, KEPT)
        if self.bias == "kkt" and (self.n_clusters != 2 or not is_free(self.balance)):
            raise ValueError(
                "bias='kkt' is for two clusters of any size: use n_clusters=2 and "
                "balance='free', or bias='search'."
            )

    def _solve(self, task: SolverTask):
        if self.n_clusters == 1:
            return one_cluster(task)
        loss = make_loss(self.loss, self.epsilon)
        solver, feature_map, features = prepare_solver(task, loss, self.C)
        weights = task.weights
        limits = task.balance.limits.copy()
        fewer = len(weights) < self.n_clusters  # then some clusters are empty
        limits[0] = 0.0 if fewer else np.maximum(limits[0], weights.min() / 2)
        best_round = self.keep == "best"
        problem = AlternationProblem(
            solver, weights, limits, loss, self.C, self.bias, best_round
        )
        single = self.n_init == 1 or not isinstance(self.init, str)
        # The input of scikit-learn's estimators was validated by fit.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            best = best_start(
                lambda labels, report: alternate(
                    problem, labels, self.max_iter, report
                ),
                self._starts(task, features),
                single,
                task.on_iteration,
            )
        model = MarginModel(feature_map, best.coefficients, best.biases)
        if self.sparse:
            model = sparse_model(task, best.labels, self.C)
        return best, model

    def _set_attributes(self, run, task):
        super()._set_attributes(run, task)
        self.n_vectors_ = len(self._model.coefficients)

    def _starts(self, task: SolverTask, features):
        """Yield the labels to start from, without empty clusters."""
        init = check_init(self.init, self.n_clusters, task.sample)
        n_samples = len(task.weights)
        if n_samples <= self.n_clusters:
            yield one_sample_each(task.weights, task.balance)
            return
        if not isinstance(init, str):
            yield fill_empty(init, self.n_clusters, task.random)
            return
        if features is None and (init != "k-means" or task.kernel.precomputed):
            _, features = dense_features(task, ALL_SAMPLES)
        if init == "normalized-cut":
            yield normalised_cut(features, task.weights, self.n_clusters)
            return
        if init == "spectral":
            features = spectral_embedding(features, task.weights, self.n_clusters)
        elif not task.kernel.precomputed:
            features = task.X[task.sample.indices]
            features = shift(features, central_point(features))
        for start in range(self.n_init):
            n_init = FIRST_N_INIT if start == 0 else 1
            k_means = KMeans(self.n_clusters, n_init=n_init, random_state=task.random)
            labels = k_means.fit(features, sample_weight=task.weights).labels_
            yield fill_empty(labels.astype(np.int64), self.n_clusters, task.random)


def prepare_solver(
    task: SolverTask, loss: MarginLoss, C: float
) -> tuple[FunctionSolver, FeatureMap, np.ndarray | None]:
    """Return the solver of a task, and the feature map of its functions.

    The third value are the features of the samples, if the solver needs them.
    """
    X, sample, kernel = task.X, task.sample, task.kernel
    few = task.landmarks.automatic and len(sample.indices) <= EXACT_SAMPLES
    exact = task.landmarks.given is None or few
    if loss.name == "squared":
        smoother = make_smoother(
            X, sample, kernel, Ridge(alpha=1 / (2 * C)), task.landmarks, task.random
        )
        feature_map = smoother.feature_map
        ridge = RidgeSolver(smoother, feature_map(X[sample.indices]))
        return ridge, feature_map, None
    if exact:
        check_memory(len(sample.indices))
        basis = kernel.take(X, sample.indices)
        matrix = kernel(X[sample.indices], basis)
        solver = SupportVectorSolver(matrix, sample.weights, loss, C)
        return solver, KernelColumns(kernel, basis), None
    feature_map, features = dense_features(task, task.landmarks)
    splitting = splitting_solver(features, sample.weights, loss, C)
    return splitting, feature_map, features


def sparse_model(task: SolverTask, labels: np.ndarray, C: float) -> MarginModel:
    """Return support vector machines for the labels, with their support vectors only.

    There is one machine for two clusters, else one against the rest for each cluster.
    """
    indices, n_clusters = task.sample.indices, task.n_clusters
    check_memory(len(indices))
    matrix = task.kernel(task.X[indices], task.kernel.take(task.X, indices))
    solver = SupportVectorSolver(matrix, task.weights, make_loss("hinge"), C)
    functions = [solver.fit(one) for one in targets_of(labels, n_clusters)]
    coefficients = np.column_stack([one.coefficients for one in functions])
    biases = np.array([one.bias for one in functions])
    if len(functions) == 1:
        coefficients, biases = LinearFunctions(coefficients, biases).with_negative()
    needed = np.abs(coefficients).max(axis=1) > NEGLIGIBLE * np.abs(coefficients).max()
    needed[0] |= not needed.any()
    basis = task.kernel.take(task.X, indices[needed])
    return MarginModel(KernelColumns(task.kernel, basis), coefficients[needed], biases)


def dense_features(
    task: SolverTask, landmarks: Landmarks
) -> tuple[FeatureMap, np.ndarray]:
    """Return features with the kernel as inner product, and those of the samples."""
    kernel = task.kernel
    if kernel.name == "linear" and task.X.shape[1] > MANY_FEATURES:
        # The linear kernel under another name, which makes it use landmarks.
        kernel = Kernel("poly", {"degree": 1, "gamma": 1.0, "coef0": 0.0})
    feature_map = make_basis(kernel, task.X, task.sample, landmarks, task.random)
    features = feature_map(task.X[task.sample.indices])
    if not isinstance(features, np.ndarray):
        features = features.toarray()
    return feature_map, features


def spectral_embedding(
    features: np.ndarray, weights: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Return the spectral embedding of normalised cuts (n x k).

    With affinities ``K = Z Z'`` and degrees ``d = K w`` it consists of the leading
    eigenvectors of ``D^-1/2 W^1/2 K W^1/2 D^-1/2``, each sample scaled to norm 1 (Shi
    and Malik, 2000; Ng, Jordan and Weiss, 2002). They are computed from the small
    matrix of the features Z.
    """
    degrees = check_node_degrees(features @ (features.T @ weights))
    scaled = features / np.sqrt(degrees)[:, None]
    _, vectors = np.linalg.eigh((scaled * weights[:, None]).T @ scaled)
    embedding = scaled @ vectors[:, ::-1][:, :n_clusters]
    norms = np.linalg.norm(embedding, axis=1, keepdims=True)
    result: np.ndarray = embedding / np.maximum(norms, np.finfo(float).tiny)
    return result
