"""One step with the square loss: from the parameters to the strategy."""

from dataclasses import replace
from functools import partial

import numpy as np

from maxmargin.engine.fit import fit_samples, row_length, search_size
from maxmargin.engine.model import fitted_functions, indicators
from maxmargin.engine.options import Options
from maxmargin.engine.preparation import Preparation
from maxmargin.evolving.model_strategy import (
    cluster_near_previous,
    previous_values,
    values_of_the_left,
)
from maxmargin.evolving.snapshots import Snapshot, match_objects
from maxmargin.evolving.step import (
    Outcome,
    Step,
    balance_in_weights,
    past_positions,
)
from maxmargin.evolving.two_snapshots import (
    UnrelatedSnapshotsError,
    cluster_two_snapshots,
)
from maxmargin.rows.counts import hellinger, is_count_data


def advance_squared(
    estimator,
    n_clusters: int,
    X,
    ids: np.ndarray,
    past: Snapshot | None,
    previous: Outcome | None,
    random: np.random.RandomState,
) -> Outcome:
    """Cluster the next snapshot with the square loss."""
    if past is not None and previous is not None and estimator.weight < 1:
        try:
            return cluster_with_past(
                estimator, n_clusters, X, ids, past, previous, random
            )
        except UnrelatedSnapshotsError:
            pass
    return cluster_alone(estimator, n_clusters, X, random)


def cluster_with_past(
    estimator,
    n_clusters: int,
    X,
    ids: np.ndarray,
    past: Snapshot,
    previous: Outcome,
    random: np.random.RandomState,
) -> Outcome:
    """Cluster a snapshot together with the previous one."""
    near = estimator.strategy == "model"
    if near and X.shape[0] <= n_clusters:
        return _label_few(X, previous)
    counts = _has_counts(estimator, X)
    matches = match_objects(ids, past.ids)
    options = _options(estimator, n_clusters, X, past)
    n_rows = X.shape[0] if near else len(ids) + len(past.ids)
    step = Step(
        hellinger(X) if counts else X,
        hellinger(past.X) if counts else past.X,
        past_positions(past, n_clusters),
        matches,
        float(estimator.weight),
        options,
        search_size(n_rows, row_length(X), options),
        random,
        n_clusters == previous.n_clusters,
        estimator.formulation == "published",
    )
    if near:
        assert previous.functions is not None
        values = partial(
            previous_values, previous.functions, X, past.X, matches, n_clusters
        )
        left = None
        if step.published and step.same_number:
            left = values_of_the_left(previous.functions, past.X, matches)
        outcome = cluster_near_previous(step, values, left)
    else:
        outcome = cluster_two_snapshots(step, tied=estimator.strategy == "individual")
    return _for_counts(outcome) if counts else outcome


def cluster_alone(
    estimator, n_clusters: int, X, random: np.random.RandomState
) -> Outcome:
    """Cluster a snapshot without the past, as `MaxMarginClustering` does."""
    options = _options(estimator, n_clusters, X)
    result = fit_samples(X, np.ones(X.shape[0]), options, random)
    clusters, labels = result.clusters, np.asarray(result.labels)
    if estimator.kernel == "linear":
        _check_filled(labels, n_clusters, X.shape[1])
    smoother, functions = clusters.candidate.smoother, None
    targets = indicators(clusters.labels, clusters.n_clusters)
    if estimator.strategy == "model":
        functions = fitted_functions(smoother, targets)
        if _has_counts(estimator, X):
            functions = functions.for_counts()
    costs = (smoother.mean_loss(targets), 0.0, clusters.run.objective)
    return Outcome(labels, result.model, functions, costs, result.converged)


def _has_counts(estimator, X) -> bool:
    return estimator.kernel == "auto" and is_count_data(X)


def _for_counts(outcome: Outcome) -> Outcome:
    """Return the outcome with models that take counts."""
    assert outcome.model is not None
    functions = outcome.functions
    return replace(
        outcome,
        model=outcome.model.for_counts(),
        functions=None if functions is None else functions.for_counts(),
    )


def _check_filled(labels: np.ndarray, n_clusters: int, n_features: int) -> None:
    """Raise an error if linear functions, which have no constant, are too few."""
    n_filled = len(np.unique(labels))
    if n_filled < min(n_clusters, len(labels)):
        raise ValueError(
            f"kernel='linear' finds {n_filled} clusters instead of {n_clusters} by "
            f"functions of {n_features} features that are zero at the origin: use "
            "kernel='rbf', or loss='hinge' for two clusters."
        )


def _label_few(X, previous: Outcome) -> Outcome:
    """Label fewer objects than clusters by the previous model."""
    assert previous.model is not None
    labels = previous.model.label(X)
    return replace(previous, labels=labels, costs=(0.0, 0.0, 0.0), names=None)


def _options(estimator, n_clusters: int, X, past: Snapshot | None = None) -> Options:
    """Return the options of a step; sizes are in units of the weights of the rows."""
    factor, weight = 1.0, estimator.weight
    if past is not None and estimator.strategy != "model":
        factor = weight + (1 - weight) * past.X.shape[0] / X.shape[0]
    balance = estimator.balance
    if isinstance(balance, str) and balance == "auto":
        balance = "free"
    options = Options.of(
        estimator,
        X,
        n_clusters=n_clusters,
        kernel="rbf" if estimator.kernel is None else estimator.kernel,
        balance=balance_in_weights(balance, n_clusters, factor),
        scale=False,  # the rows of all snapshots are divided by `scale_` before
    )
    return Preparation(scale=estimator.scale_).options(options)
