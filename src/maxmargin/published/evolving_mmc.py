"""`EvolvingMMC`, the method of paper 002 as printed."""

from typing import Any

from sklearn.utils import check_random_state

from maxmargin.clustering.base import check_n_samples, warn_if_not_converged
from maxmargin.engine.checks import (
    check_choice,
    check_degrees,
    check_integer,
    check_n_init,
    check_positive,
)
from maxmargin.engine.options import Options
from maxmargin.evolving.max_margin import EvolvingMaxMarginClustering
from maxmargin.evolving.snapshots import match_objects
from maxmargin.evolving.step import Outcome, number_of_clusters
from maxmargin.published.cutting_plane import CuttingPlaneMaxMarginClustering
from maxmargin.published.evolving_hinge import HingeStep, hinge_losses, hinge_step
from maxmargin.published.evolving_planes import SHIFTS, published_step
from maxmargin.rows.preparation import Preparation, check_scale, is_automatic
from maxmargin.rows.threads import single_threaded_libraries

LOSSES = ("hinge", "squared")
FORMULATIONS = ("published", "adapted")
ADAPTED_TOL = 1e-3  # of convex problems


class EvolvingMMC(EvolvingMaxMarginClustering):
    r"""Maximum margin clustering on evolutionary data (e-MMC), as printed [1]_.

    The clusters of a snapshot are found together with the previous one, by Algorithm 1
    of [1]_ with the hinge loss: CDE with ``strategy="cohort"``, IDE with
    ``"individual"``, MI with ``"model"``. With the weight a of the present and
    :math:`h_i = \max(0, 1 - |w^T \varphi(x_i) + b|)` it minimises

    - CDE, equations (6) and (26): :math:`\tfrac12 |w|^2 + C (\tfrac{a}{n_1}
      \sum_{now} h_i + \tfrac{1 - a}{n_2} \sum_{before} h_i)`;
    - IDE, equations (8) and (16): :math:`\tfrac12 |w|^2 + \tfrac{C}{n} \sum_o \max(a
      h_{now}, (1 - a) h_{before})` over the n objects o;
    - MI, equations (29) and (30): :math:`\tfrac12 |w|^2 + \tfrac{C}{n} \sum_i h_i +
      \beta |w - w_{t-1}|^2` with :math:`\beta = a \sum_i |\varphi(x_i)|^2`, or one of
      the forms of ``margin_shift``,

    each subject to :math:`-l \le \sum_i (w^T \varphi(x_i) + b) \le l` over all rows.
    Algorithm 1 starts from the previous w and b, the first snapshot as in
    `CuttingPlaneMaxMarginClustering`; [1]_ does not say from which.

    Parameters
    ----------
    n_clusters : int or "auto", default=2
        The number of clusters; the paper has two.

    strategy : {"cohort", "individual", "model"}, default="cohort"
        What is kept stable, as in `EvolvingMaxMarginClustering`.

    weight : float, default=0.7
        The weight of the present, in (0, 1].

    half_life : "auto" or float, default=0
        Memory of the objects, which the paper has not.

    loss : {"hinge", "squared"}, default="hinge"
        The hinge loss, or the square loss of `EvolvingMaxMarginClustering` with the
        equations of the paper.

    formulation : {"published", "adapted"}, default="published"
        Published: the problems and the algorithm above, for two clusters; with the
        square loss, the two rows of an object share a slack and may have different
        labels (equation 8), the factor of the squared shift is ``weight`` itself
        (equation 11), and objects that left count with the mean of the present values
        (section 5.2). Adapted, an option of this library: the terms of
        `EvolvingMaxMarginClustering`, with the hinge loss solved as by
        ``CuttingPlaneMaxMarginClustering(formulation="adapted")`` from a fresh start
        and from the previous labels. More than two clusters, which [1]_ does not have,
        are always adapted.

    margin_shift : {"bound", "separate", "present", "past"}, default="bound"
        The term of MI with the hinge loss: the bound with :math:`\beta`, equations (29)
        and (30), which [1]_ solves; ``"separate"`` terms of w and b, equation (12);
        :math:`a \sum_i (f_t(x_i) - f_{t-1}(x_i))^2` at the ``"present"`` positions,
        equation (11); or with the values of :math:`f_{t-1}` at the ``"past"``
        positions, the squares of (10), where objects that left count with the mean of
        the present values (section 5.2).

    kernel : str or callable, default=None
        The kernel; by default linear with the hinge loss and radial with the square
        loss.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier, with the square loss.

    C : "auto" or float, default="auto"
        Weight of the mean loss, with the hinge loss.

    sum_limit : "auto" or float, default="auto"
        The l of the constraint on the decision values, published with the hinge loss;
        ``"auto"`` is 0.3 times the number of rows.

    balance : "auto", "free", "equal", float or array-like, default="auto"
        Constraint on the cluster sizes, as in `MaxMarginClustering`, not used where
        ``sum_limit`` is; ``"auto"`` is 0.3 with the hinge loss and ``"free"`` with the
        square loss.

    landmarks, landmark_selection
        The samples that span the functions, with the hinge loss and a kernel that is
        not linear.

    n_init : "auto" or int, default="auto"
        Number of starts of the first snapshot, 1 with the hinge loss by default;
        adapted, of fresh starts in each step, 4 by default.

    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns; with the hinge loss ``"auto"`` does not.

    max_iter : int, default=1000
        Maximum number of rounds in a run, with the hinge loss.

    n_jobs : int, default=None
        Number of threads. ``None`` is the number that BLAS may use, by default that of
        the cores. As in scikit-learn, -1 stands for all cores, -2 for all but one, and
        numbers below minus the cores for one. The result does not depend on it.

    random_state : int, RandomState instance or None, default=None
        Seed of each step.

    verbose : int, default=0
        1 prints the objective after each fresh start.

    Attributes
    ----------
    labels_, history_, cluster_names_, half_life_, scale_, n_clusters_, n_iter_
        As in `EvolvingMaxMarginClustering`.
    n_features_in_ : int
        The number of features.
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
    >>> from maxmargin.published import EvolvingMMC
    >>> X = np.random.RandomState(0).randn(60, 2) + np.repeat([[0], [6]], 30, axis=0)
    >>> clusters = EvolvingMMC(2, random_state=0)
    >>> clusters = clusters.partial_fit(X, time=1).partial_fit(X + 0.5, time=2)
    >>> clusters.history_[-1].stayed, clusters.history_[-1].moved
    (60, 0)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        strategy: str = "cohort",
        weight: Any = 0.7,
        half_life: Any = 0,
        loss: str = "hinge",
        formulation: str = "published",
        margin_shift: str = "bound",
        kernel: Any = None,
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        C: Any = "auto",
        sum_limit: Any = "auto",
        balance: Any = "auto",
        landmarks: Any = "auto",
        landmark_selection: str = "random",
        n_init: Any = "auto",
        scale: Any = "auto",
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters,
            strategy=strategy,
            weight=weight,
            half_life=half_life,
            kernel=kernel,
            gamma=gamma,
            kernel_params=kernel_params,
            degrees_of_freedom=degrees_of_freedom,
            balance=balance,
            n_init=n_init,
            scale=scale,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.loss = loss
        self.formulation = formulation
        self.margin_shift = margin_shift
        self.C = C
        self.sum_limit = sum_limit
        self.landmarks = landmarks
        self.landmark_selection = landmark_selection
        self.max_iter = max_iter

    def _check(self):
        super()._check()
        check_choice("loss", self.loss, LOSSES)
        check_choice("formulation", self.formulation, FORMULATIONS)
        check_scale(self.scale)
        check_integer("max_iter", self.max_iter)
        check_n_init(self.n_init)
        check_degrees(self.degrees_of_freedom)
        check_choice("margin_shift", self.margin_shift, SHIFTS)
        for name in ("C", "sum_limit"):
            if getattr(self, name) != "auto":
                check_positive(name, getattr(self, name))

    def _prepare(self, X):
        if self.loss == "hinge" and is_automatic(self.scale):
            return Preparation()
        return super()._prepare(X)

    def _options(self, **changes):
        kernel = "rbf" if self.kernel is None else self.kernel
        automatic = isinstance(self.balance, str) and self.balance == "auto"
        balance = "free" if automatic else self.balance
        return Options.of(self, **{"kernel": kernel, "balance": balance} | changes)

    def _clusterer(self, n_clusters, random):
        """Return what clusters a snapshot without the past, with the hinge loss."""
        automatic = isinstance(self.balance, str) and self.balance == "auto"
        if self._published and n_clusters == 2:
            own = {"formulation": "published", "sum_limit": self.sum_limit}
            n_init = 1
        else:
            own = {
                "formulation": "adapted",
                "balance": 0.3 if automatic else self.balance,
                "tol": ADAPTED_TOL,
            }
            n_init = 4
        return CuttingPlaneMaxMarginClustering(
            n_clusters,
            **own,
            kernel="linear" if self.kernel in (None, "auto") else self.kernel,
            gamma=self.gamma,
            kernel_params=self.kernel_params,
            C=self.C,
            n_init=n_init if self.n_init == "auto" else self.n_init,
            landmarks=self.landmarks,
            landmark_selection=self.landmark_selection,
            max_iter=self.max_iter,
            random_state=random,
            verbose=self.verbose,
        )

    @property
    def _published(self):
        return self.formulation == "published"

    def _advance(self, X, ids, past, previous):
        if self.loss == "squared":
            return super()._advance(X, ids, past, previous)
        with single_threaded_libraries():
            outcome = self._advance_hinge(X, ids, past, previous)
        warn_if_not_converged(outcome.converged, self.max_iter, stacklevel=5)
        return outcome

    def _advance_hinge(self, X, ids, past, previous):
        """Cluster the next snapshot with the hinge loss."""
        random = check_random_state(self.random_state)
        n_clusters = number_of_clusters(self.n_clusters, X)
        clusterer = self._clusterer(n_clusters, random)
        alone = past is None or self.weight == 1 or n_clusters == 1
        if not alone and self.strategy == "model":
            alone = n_clusters != previous.n_clusters
        if alone:
            return _cluster_alone(clusterer, X)
        step = HingeStep(
            X,
            past,
            match_objects(ids, past.ids),
            previous,
            clusterer,
            self.strategy,
            float(self.weight),
            random,
        )
        if self._published and n_clusters == previous.n_clusters == 2:
            return published_step(step, self.margin_shift)
        return hinge_step(step)


def _cluster_alone(clusterer: CuttingPlaneMaxMarginClustering, X) -> Outcome:
    """Cluster a snapshot without the past."""
    check_n_samples(X.shape[0], clusterer.n_clusters)
    model = clusterer.fit(X)._model
    values = model.decide(X)
    f = values[:, 1] if clusterer.n_clusters == 2 else values
    costs = (float(hinge_losses(f).mean()), 0.0, clusterer.objective_)
    return Outcome(clusterer.labels_, model, model, costs)
