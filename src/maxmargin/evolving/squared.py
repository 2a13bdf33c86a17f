"""One step with the square loss: from the parameters to the strategy."""

from dataclasses import replace
from functools import partial

import numpy as np

from maxmargin.engine.fit import fit_source, search_size
from maxmargin.engine.model import fitted_functions, indicators
from maxmargin.engine.options import Options
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
from maxmargin.rows.blocks import ArraySource


def advance_squared(
    estimator,
    n_clusters: int,
    X,
    ids: np.ndarray,
    past: Snapshot | None,
    previous: Outcome | None,
    random: np.random.RandomState,
    *,
    published: bool = False,
) -> Outcome:
    """Cluster the next snapshot; ``published`` uses the equations as printed."""
    if past is not None and previous is not None and estimator.weight < 1:
        options = _options(estimator, n_clusters, X, past)
        step = make_step(estimator, options, X, ids, past, random, published)
        step = replace(step, same_number=n_clusters == previous.n_clusters)
        try:
            return cluster_with_past(estimator.strategy, step, past, previous)
        except UnrelatedSnapshotsError:
            pass
    return cluster_alone(estimator, _options(estimator, n_clusters, X), X, random)


def make_step(
    estimator,
    options: Options,
    X,
    ids: np.ndarray,
    past: Snapshot,
    random: np.random.RandomState,
    published: bool,
) -> Step:
    """Return the input of a step with the past."""
    near = estimator.strategy == "model"
    n_rows = X.shape[0] if near else len(ids) + len(past.ids)
    row_length = ArraySource(X, np.ones(X.shape[0])).row_length
    return Step(
        X,
        past.X,
        past_positions(past, options.n_clusters),
        match_objects(ids, past.ids),
        float(estimator.weight),
        options,
        search_size(n_rows, row_length, options),
        random,
        published=published,
    )


def cluster_with_past(
    strategy: str, step: Step, past: Snapshot, previous: Outcome
) -> Outcome:
    """Cluster a snapshot together with the previous one."""
    if strategy != "model":
        return cluster_two_snapshots(step, tied=strategy == "individual")
    if step.X.shape[0] <= step.n_clusters:
        return _label_few(step.X, previous)
    functions, matches = previous.functions, step.matches
    assert functions is not None
    values = partial(
        previous_values, functions, step.X, past.X, matches, step.n_clusters
    )
    left = None
    if step.published and step.same_number:
        left = values_of_the_left(functions, past.X, matches)
    return cluster_near_previous(step, values, left)


def cluster_alone(
    estimator, options: Options, X, random: np.random.RandomState
) -> Outcome:
    """Cluster a snapshot without the past, as `MaxMarginClustering` does."""
    result = fit_source(ArraySource(X, np.ones(X.shape[0])), options, random)
    clusters, labels = result.clusters, np.asarray(result.labels)
    if options.kernel == "linear":
        _check_filled(labels, options.n_clusters, X.shape[1])
    smoother, functions = clusters.candidate.smoother, None
    targets = indicators(clusters.labels, clusters.n_clusters)
    if estimator.strategy == "model":
        functions = fitted_functions(smoother, targets)
    costs = (smoother.mean_loss(targets), 0.0, clusters.run.objective)
    return Outcome(labels, result.model, functions, costs, result.converged)


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
    return Options.of(
        estimator,
        n_clusters=n_clusters,
        kernel="rbf" if estimator.kernel is None else estimator.kernel,
        balance=balance_in_weights(balance, n_clusters, factor),
        scale=False,  # the rows of all snapshots are prepared alike, before
    )
