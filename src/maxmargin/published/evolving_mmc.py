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
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.preparation import Preparation
from maxmargin.rows.scaling import check_scale, is_automatic

LOSSES = ("hinge", "squared")
FORMULATIONS = ("published", "adapted")


class EvolvingMMC(EvolvingMaxMarginClustering):
    r"""Maximum margin clustering on evolutionary data (e-MMC), as printed [1]_.

    The clusters of a snapshot are found together with the previous one, by cutting
    planes with the hinge loss: CDE with ``strategy="cohort"``, IDE with
    ``"individual"``, MI with ``"model"``.

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
        Published: with ``"individual"`` and the square loss the two rows of an object
        share a slack and may have different labels (equation 8); with ``"model"`` the
        factor of the squared shift is ``weight`` itself (equation 11), so that a larger
        weight holds the functions nearer to the previous ones, and with the square loss
        objects that left count with the mean of the present values (section 5.2).
        Adapted: the terms of `EvolvingMaxMarginClustering`.

    kernel : str or callable, default=None
        The kernel; by default linear with the hinge loss and radial with the square
        loss.

    gamma, kernel_params
        Parameters of the kernel, as in `MaxMarginClustering`.

    degrees_of_freedom : "auto" or float, default="auto"
        Flexibility of the classifier, with the square loss.

    C : "auto" or float, default="auto"
        Weight of the mean loss, with the hinge loss.

    balance : "auto", "free", "equal", float or array-like, default="auto"
        Constraint on the cluster sizes, as in `MaxMarginClustering`; ``"auto"`` is 0.3
        with the hinge loss and ``"free"`` with the square loss.

    landmarks, landmark_selection
        The samples that span the functions, with the hinge loss and a kernel that is
        not linear.

    n_init : "auto" or int, default="auto"
        Number of fresh starts, besides the one from the previous labels; ``"auto"`` is
        4 with the hinge loss.

    scale : "auto", bool or array-like of shape (n_features,), default="auto"
        Whether to divide the columns; with the hinge loss ``"auto"`` does not.

    max_iter : int, default=1000
        Maximum number of rounds in a run, with the hinge loss.

    n_jobs : int, default=None
        Number of threads for the starts.

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
        kernel: Any = None,
        gamma: Any = "median",
        kernel_params: dict[str, Any] | None = None,
        degrees_of_freedom: Any = "auto",
        C: Any = "auto",
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
        self.C = C
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
        if self.C != "auto":
            check_positive("C", self.C)

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
        return CuttingPlaneMaxMarginClustering(
            n_clusters,
            kernel="linear" if self.kernel in (None, "auto") else self.kernel,
            gamma=self.gamma,
            kernel_params=self.kernel_params,
            C=self.C,
            balance=0.3 if automatic else self.balance,
            n_init=4 if self.n_init == "auto" else self.n_init,
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
            self._published,
        )
        return hinge_step(step)


def _cluster_alone(clusterer: CuttingPlaneMaxMarginClustering, X) -> Outcome:
    """Cluster a snapshot without the past."""
    check_n_samples(X.shape[0], clusterer.n_clusters)
    model = clusterer.fit(X)._model
    values = model.decide(X)
    f = values[:, 1] if clusterer.n_clusters == 2 else values
    costs = (float(hinge_losses(f).mean()), 0.0, clusterer.objective_)
    return Outcome(clusterer.labels_, model, model, costs)
