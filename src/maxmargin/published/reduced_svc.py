"""`ReducedSVC`: a kernel classifier with few basis vectors."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from maxmargin.clustering.base import MarginEstimator, unchanged_on_failure
from maxmargin.engine.checks import check_choice, check_integer, check_positive
from maxmargin.engine.model import MarginModel
from maxmargin.published.centers import (
    Group,
    check_counts,
    check_points,
    check_radii,
    class_centers,
    make_group,
)
from maxmargin.published.squared_hinge import separate
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.rows.validation import (
    accepted_types,
    check_magnitude,
    check_weights,
    with_short_indices,
)
from maxmargin.smoothers.feature_map import KernelColumns
from maxmargin.smoothers.kernel import check_kernel_matrix
from maxmargin.smoothers.landmarks import CENTERS, find_centers, span_basis

ANY_ORDER = "leader-any-order"  # leader clustering in an order by the values


class ReducedSVC(ClassifierMixin, MarginEstimator):
    r"""Reduced support vector classifier, whose vectors are a few centres.

    The decision function is a combination of kernel functions at the centres, which are
    found first; all samples take part in the loss. With the kernel matrices
    :math:`K_{RR}` of the centres and :math:`K_{:R}` of samples and centres, it solves

    .. math::

        \min_{u, b} \tfrac12 (u^T K_{RR} u + b^2)
            + C \sum_i \max(0, 1 - y_i (K_{iR} u + b))^2,

    which is problem (8) of [1]_ with :math:`u_j = y_j \alpha_j`. With the Cholesky
    factor :math:`K_{RR} = L L^T` and :math:`w = L^T u` it becomes a linear problem with
    features :math:`K_{:R} L^{-T}`, the regulariser :math:`(w^T w + b^2) / 2` and the
    squared hinge loss. liblinear finds an approximate solution and Newton's method the
    exact one. There is one problem for each class against the rest, or one for two
    classes.

    Parameters
    ----------
    centers : str or array-like of shape (n_centers, n_features), default="leader"
        The centres of each class by ``"leader"`` clustering, which meets the samples in
        their order [1]_, see `LeaderClustering`. ``"random"``: samples drawn uniformly,
        the original reduced support vector machine [2]_. An array: these points.
        Options of this library, whose centres do not depend on the order of the
        samples: ``"leader-any-order"``, ``"k-means"``, or samples drawn as
        ``"k-means++"`` seeds. At most 4000 samples of a class are used, unless
        ``radius`` is given.

    n_centers : "auto", int or array-like of shape (n_classes,), default="auto"
        The largest number of centres. An int is split among the classes in proportion
        to their total weight; random centres are drawn from all classes together. An
        array has a number for each class, in sorted order. ``"auto"`` is a tenth of the
        number of distinct samples, at most 300. Not used with an array of centres.

    radius : "auto", float or array-like of shape (n_classes,), default="auto"
        The radius of leader clustering, one for all classes or one for each.
        ``"auto"`` searches a radius for each class that yields its number of centres;
        otherwise ``n_centers`` is not used.

    C : float, default=100.0
        Inverse regularisation strength, the weight of the loss. The default is that of
        [1]_: a combination of few centres needs little regularisation.

    kernel : str or callable, default="rbf"
        A kernel of scikit-learn, a function of two samples, or ``"precomputed"``, as in
        `MaxMarginClustering`; the last needs ``centers="random"``.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`. By default, ``gamma`` is
        ``"scale"``: ``1 / (n_features * X.var())`` of the distinct samples, as in
        :class:`sklearn.svm.SVC`.

    class_weight : dict, "balanced" or None, default=None
        Factors of C for each class; with ``"balanced"`` all classes have the same total
        weight.

    tol : float, default=1e-10
        Newton's method stops when the predicted decrease of a step, relative to the
        objective, is below it.

    max_iter : int, default=1000
        Maximum number of Newton steps for each problem.

    random_state : int, RandomState instance or None, default=None
        Seed of the centres, and of the samples from which a median distance is taken.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    centers_ : {ndarray, sparse matrix} of shape (n_centers_, n_features)
        The centres, without those that are linearly dependent on others in the feature
        space of the kernel. Sample numbers if the kernel is precomputed.
    radius_ : ndarray of shape (n_classes,) or None
        The radii of leader clustering, None with other centres.
    dual_coef_ : ndarray of shape (n_centers_, n_problems)
        The coefficients of the centres. There is one problem for two classes, otherwise
        one for each class.
    intercept_, objective_ : ndarray of shape (n_problems,)
        The intercept and the minimum of each problem.
    n_iter_ : int
        The largest number of Newton steps of a problem.
    n_centers_, n_features_in_ : int
        The numbers of centres and features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they all have string names.

    Notes
    -----
    The sum is over all rows. Weights multiply C, as in scikit-learn, and a sample of
    weight 3 is the same as three equal samples. Except with ``centers="leader"`` and
    ``kernel="precomputed"``, the result does not depend on the order of the rows, up to
    rounding: ``"leader-any-order"`` takes the samples in a pseudo-random order that
    depends on their values alone.

    References
    ----------
    .. [1] S. Zheng, X. Lu, N. Zheng, W. Xu. Unsupervised clustering based reduced
       support vector machines. IEEE International Conference on Acoustics, Speech and
       Signal Processing, 2003.
    .. [2] Y.-J. Lee, O. L. Mangasarian. RSVM: reduced support vector machines. SIAM
       International Conference on Data Mining, 2001. doi:10.1137/1.9781611972719.13

    Examples
    --------
    >>> from maxmargin.published import ReducedSVC
    >>> from maxmargin.datasets import make_checkerboard
    >>> X, y = make_checkerboard(1000, random_state=0)
    >>> model = ReducedSVC(n_centers=18, C=100, gamma=1 / 400).fit(X, y)
    >>> model.n_centers_
    18
    >>> model.score(*make_checkerboard(1000, random_state=1)) > 0.9
    True
    """

    def __init__(
        self,
        centers: Any = "leader",
        *,
        n_centers: Any = "auto",
        radius: Any = "auto",
        C: Any = 100.0,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        kernel_params: dict[str, Any] | None = None,
        class_weight: Any = None,
        tol: float = 1e-10,
        max_iter: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.centers = centers
        self.n_centers = n_centers
        self.radius = radius
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.kernel_params = kernel_params
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @unchanged_on_failure
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the centres and their coefficients.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, or their kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Their classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the loss and in the centres, 1 by default.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        sparse = False if self.kernel == "precomputed" else "csr"
        dtype = accepted_types(X)
        X, y = validate_data(self, X, y, accept_sparse=sparse, dtype=dtype, order="C")
        X = with_short_indices(X)
        check_magnitude(X)
        check_classification_targets(y)
        if self.kernel == "precomputed":
            check_kernel_matrix(X)
        weights = check_weights(sample_weight, X.shape[0])
        rows = np.flatnonzero(weights > 0)
        self.classes_, codes = np.unique(y[rows], return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"All samples with positive weight are of one class, "
                f"{self.classes_[0]}: give samples of two classes at least."
            )
        with single_threaded_libraries():
            weights = weights[rows]
            distinct = self._group(X, rows, weights)
            basis = self._basis(X, rows, codes, weights, distinct)
            weights = loss_weights(self.class_weight, self.classes_, codes, weights)
            planes = separate(
                basis(X[rows]), codes, weights, self.C, self.tol, self.max_iter
            )
            self._set_attributes(basis, planes)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each sample.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        decisions = self.decision_function(X)
        if decisions.ndim == 1:
            return self.classes_[(decisions > 0).astype(int)]
        return self.classes_[decisions.argmax(axis=1)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the values of the decision functions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for the second of two classes; with more classes, one value for
            each, of which the largest is that of the predicted class.
        """
        decisions = self._decide(X)
        return decisions[:, 0] if decisions.shape[1] == 1 else decisions

    def _check_parameters(self):
        given = not isinstance(self.centers, str)
        if not given:
            known = (*CENTERS, ANY_ORDER)
            check_choice("centers", self.centers, known, "or an array of points")
        if self.kernel == "precomputed" and (given or self.centers != "random"):
            raise ValueError(
                "A precomputed kernel has no features to find centres with: use "
                "centers='random'."
            )
        check_positive("C", self.C)
        check_positive("tol", self.tol)
        check_integer("max_iter", self.max_iter)

    def _group(self, X, rows, weights) -> Group:
        """Return the distinct samples among the given rows."""
        if self.kernel == "precomputed":
            return Group(rows, weights)
        return make_group(X[rows], weights)

    def _basis(self, X, rows, codes, weights, distinct):
        """Return the feature map of the kernel functions at the centres."""
        random = check_random_state(self.random_state)
        kernel = self._make_kernel(distinct.X, random)
        self.radius_ = None
        if not isinstance(self.centers, str):
            return span_basis(kernel, X, check_points(self.centers, X.shape[1]))
        sizes = np.bincount(codes, weights)
        counts = check_counts(self.n_centers, distinct.X.shape[0], sizes)
        radii = check_radii(self.radius, len(sizes))
        if self.centers == "random" and np.ndim(self.n_centers) == 0:
            total = int(counts.sum())
            points = find_centers("random", distinct.X, distinct.weights, total, random)
        else:
            members = [codes == h for h in range(len(sizes))]
            kind, group = self.centers, self._group
            if kind == ANY_ORDER:
                kind = "leader"
            elif kind == "leader":
                group = lambda X, rows, weights: Group(X[rows], weights)  # noqa: E731
            groups = [group(X, rows[own], weights[own]) for own in members]
            points, self.radius_ = class_centers(kind, groups, counts, radii, random)
        return span_basis(kernel, X, points)

    def _set_attributes(self, basis, planes):
        """Set the attributes; ``dual_coef_`` includes the projection of the basis."""
        self.centers_ = basis.samples
        self.n_centers_ = basis.samples.shape[0]
        self.dual_coef_ = basis.projection @ planes.coefficients
        self.intercept_ = planes.intercepts
        self.objective_ = planes.objectives
        self.n_iter_ = planes.n_iter
        if not planes.converged:
            warnings.warn(
                f"Newton's method did not converge within max_iter={self.max_iter} "
                "steps: increase max_iter.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self._model = MarginModel(
            KernelColumns(basis.kernel, self.centers_), self.dual_coef_, self.intercept_
        )


def loss_weights(
    class_weight, classes: np.ndarray, codes: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the weights of the samples times those of their classes.

    ``"balanced"`` gives all classes the same total weight.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weights)
        factors = totals.sum() / (len(totals) * totals)
    else:
        factors = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    return weights * factors[codes]
