"""One step with the hinge loss: from the parameters to the strategy."""

import numpy as np

from maxmargin.clustering.base import check_n_samples
from maxmargin.engine.options import Options
from maxmargin.evolving.hinge_step import HingeStep, hinge_step, margins
from maxmargin.evolving.snapshots import Snapshot, match_objects
from maxmargin.evolving.step import Outcome, balance_in_weights
from maxmargin.published.cutting_plane import CuttingPlaneMaxMarginClustering


def advance_hinge(
    estimator,
    n_clusters: int,
    X,
    ids: np.ndarray,
    past: Snapshot | None,
    previous: Outcome | None,
    random: np.random.RandomState,
) -> Outcome:
    """Cluster the next snapshot with the hinge loss."""
    if past is None or previous is None:
        return _cluster_alone(estimator, n_clusters, X, random)
    changed = n_clusters != previous.n_clusters
    if (
        estimator.weight == 1
        or n_clusters == 1
        or (changed and estimator.strategy == "model")
    ):
        return _cluster_alone(estimator, n_clusters, X, random)
    total = X.shape[0]
    if estimator.strategy != "model":
        total = estimator.weight * total + (1 - estimator.weight) * past.X.shape[0]
    balance = balance_in_weights(_balance(estimator), n_clusters, total / X.shape[0])
    options = Options.of(
        estimator,
        X,
        n_clusters=n_clusters,
        kernel=_kernel(estimator),
        balance=balance,
    )
    step = HingeStep(
        X,
        past,
        match_objects(ids, past.ids),
        previous,
        n_clusters,
        estimator.strategy,
        float(estimator.weight),
        balance,
        options.make_kernel(X, random),
        options.landmarks,
        None if isinstance(estimator.C, str) else float(estimator.C),
        _n_init(estimator),
        estimator.max_iter,
        random,
        estimator.formulation == "published",
    )
    return hinge_step(step)


def _kernel(estimator):
    return "linear" if estimator.kernel in (None, "auto") else estimator.kernel


def _balance(estimator):
    automatic = isinstance(estimator.balance, str) and estimator.balance == "auto"
    return 0.3 if automatic else estimator.balance


def _n_init(estimator) -> int:
    return 4 if estimator.n_init == "auto" else estimator.n_init


def _cluster_alone(
    estimator, n_clusters: int, X, random: np.random.RandomState
) -> Outcome:
    """Cluster a snapshot without the past by `CuttingPlaneMaxMarginClustering`."""
    check_n_samples(X.shape[0], n_clusters)
    alone = CuttingPlaneMaxMarginClustering(
        n_clusters,
        kernel=_kernel(estimator),
        gamma=estimator.gamma,
        degree=estimator.degree,
        coef0=estimator.coef0,
        kernel_params=estimator.kernel_params,
        C=estimator.C,
        balance=_balance(estimator),
        n_init=_n_init(estimator),
        landmarks=estimator.landmarks,
        landmark_selection=estimator.landmark_selection,
        max_iter=estimator.max_iter,
        random_state=random,
        verbose=estimator.verbose,
    ).fit(X)
    values = alone._model.decide(X)
    f = values[:, 1] if n_clusters == 2 else values
    cost = float(np.maximum(0.0, 1.0 - margins(f)).mean())
    costs = (cost, 0.0, alone.objective_)
    return Outcome(alone.labels_, alone._model, alone._model, costs)
