"""From the parameters of the estimator to one step with either loss."""

import numbers
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.clustering.base import print_round
from maxmargin.clustering.candidates import Similarity
from maxmargin.clustering.cutting_plane import CuttingPlaneMaxMarginClustering
from maxmargin.clustering.fit import Request
from maxmargin.clustering.parameters import check_landmarks
from maxmargin.clustering.wishes import Wishes
from maxmargin.evolving.base import Outcome
from maxmargin.evolving.hinge import HingeStep, hinge_step
from maxmargin.evolving.names import named_after
from maxmargin.evolving.near import model_step
from maxmargin.evolving.snapshots import Snapshot, match_objects
from maxmargin.evolving.squared import data_step, static_step
from maxmargin.evolving.step import Step
from maxmargin.kernels.counts import hellinger, looks_like_counts
from maxmargin.kernels.memory import allowed_memory
from maxmargin.kernels.smoother import Ridge
from maxmargin.search.balance import make_balance


def advance_squared(
    wanted: Any,
    X,
    ids: np.ndarray,
    past: Snapshot | None,
    previous: Outcome | None,
    random: np.random.RandomState,
    n_threads: int,
) -> Outcome:
    """Cluster the next snapshot with the square loss; ``wanted`` has the parameters."""
    counts = wanted.kernel == "auto" and looks_like_counts(X)
    present = hellinger(X) if counts else X
    model = wanted.strategy == "model"
    outcome = None
    if past is not None and previous is not None and wanted.weight < 1:
        factor = 1.0
        if not model:
            factor = wanted.weight + (1 - wanted.weight) * past.X.shape[0] / X.shape[0]
        step = Step(
            present,
            hellinger(past.X) if counts else past.X,
            past.labels,
            match_objects(ids, past.ids),
            float(wanted.weight),
            _request(wanted, X, factor, n_threads),
            random,
        )
        if not model:
            outcome = data_step(step, tied=wanted.strategy == "individual")
        elif X.shape[0] <= wanted.n_clusters:
            outcome = _too_few(X, previous)
        else:
            assert previous.functions is not None
            outcome = model_step(step, previous.functions)
    if outcome is None:
        request = _request(wanted, X, 1.0, n_threads)
        outcome = static_step(present, request, random, keep_functions=model)
        if wanted.kernel == "linear":
            _check_filled(outcome.labels, wanted.n_clusters, X.shape[1])
        if past is not None and previous is not None:
            outcome = named_after(outcome, X, ids, past, previous)
    return replace(outcome, counts=counts)


def _check_filled(labels: np.ndarray, n_clusters: int, n_features: int) -> None:
    """Refuse linear functions, which have no constant, where they are too few."""
    n_filled = len(np.unique(labels))
    if n_filled < min(n_clusters, len(labels)):
        raise ValueError(
            f"kernel='linear' tells {n_filled} clusters of {n_clusters} apart by "
            f"functions of {n_features} features that are zero at the origin: use "
            "kernel='rbf', or loss='hinge' for two clusters."
        )


def _too_few(X, previous: Outcome) -> Outcome:
    """Return what the model before makes of fewer objects than clusters."""
    assert previous.model is not None
    rows = hellinger(X) if previous.counts else X
    labels = previous.model.label(rows)
    return Outcome(labels, previous.model, previous.functions, (0.0, 0.0, 0.0))


def _request(wanted: Any, X, factor: float, n_threads: int) -> Request:
    """Return what is asked of the engine; sizes are in units of the weights."""
    kernel = "rbf" if wanted.kernel is None else wanted.kernel
    similarity = _similarity(wanted, kernel, X)
    wishes = Wishes(
        wanted.n_clusters,
        _sizes(wanted, factor),
        "auto",
        "auto",
        wanted.n_init,
        wanted.max_iter,
        wanted.n_jobs,
        print_round if wanted.verbose else None,
    )
    return Request(similarity, wishes, allowed_memory(None), n_threads)


def _similarity(wanted: Any, kernel: Any, X) -> Similarity:
    return Similarity(
        kernel,
        wanted.gamma,
        wanted.degree,
        wanted.coef0,
        wanted.kernel_params,
        Ridge(None, wanted.degrees_of_freedom),
        check_landmarks(wanted.landmarks, X),
    )


def _sizes(wanted: Any, factor: float) -> Any:
    """Return the wish about sizes, numbers of objects turned into weights."""
    wish = wanted.balance
    if isinstance(wish, str) and wish == "auto":
        return "free" if wanted.loss == "squared" else 0.3
    if isinstance(wish, (str, numbers.Real)) or wish is None or factor == 1.0:
        return wish
    values = list(wish)
    proportions = len(values) == wanted.n_clusters and None not in values
    if proportions and np.isclose(sum(values), 1.0):
        return values
    return [None if value is None else value * factor for value in values]


def advance_hinge(
    wanted: Any,
    X,
    ids: np.ndarray,
    past: Snapshot | None,
    previous: Outcome | None,
    random: np.random.RandomState,
    n_threads: int,
) -> Outcome:
    """Cluster the next snapshot with the hinge loss; ``wanted`` has the parameters."""
    kernel = "linear" if wanted.kernel in (None, "auto") else wanted.kernel
    n_init = 4 if wanted.n_init == "auto" else wanted.n_init
    if past is None or previous is None or wanted.weight == 1:
        outcome = _hinge_alone(wanted, X, kernel, n_init, random, n_threads)
        if past is None or previous is None:
            return outcome
        return named_after(outcome, X, ids, past, previous)
    assert previous.model is not None
    total = X.shape[0]
    if wanted.strategy != "model":
        total = wanted.weight * total + (1 - wanted.weight) * past.X.shape[0]
    wish = _sizes(wanted, total / X.shape[0])
    similarity = _similarity(wanted, kernel, X)
    step = HingeStep(
        X,
        past.X,
        match_objects(ids, past.ids),
        previous.model,
        float(wanted.weight),
        similarity.make_kernel(X, random),
        similarity.landmarks,
        None if isinstance(wanted.C, str) else float(wanted.C),
        1e-3,
        n_init,
        wanted.max_iter,
        random,
        n_threads,
    )
    return hinge_step(
        step, wanted.strategy, lambda weights: make_balance(wish, 2, weights)
    )


def _hinge_alone(
    wanted: Any,
    X,
    kernel: Any,
    n_init: int,
    random: np.random.RandomState,
    n_threads: int,
) -> Outcome:
    """Cluster a snapshot by itself, as `CuttingPlaneMaxMarginClustering` does."""
    alone = CuttingPlaneMaxMarginClustering(
        2,
        kernel=kernel,
        gamma=wanted.gamma,
        degree=wanted.degree,
        coef0=wanted.coef0,
        kernel_params=wanted.kernel_params,
        C=wanted.C,
        balance=_sizes(wanted, 1.0),
        n_init=n_init,
        landmarks=wanted.landmarks,
        max_iter=wanted.max_iter,
        random_state=random,
        verbose=wanted.verbose,
    ).fit(X)
    f = np.abs(alone._model.decide(X, n_threads)[:, 1])
    cost = float(np.maximum(0.0, 1.0 - f).mean())
    costs = (cost, 0.0, alone.objective_)
    return Outcome(alone.labels_, alone._model, alone._model, costs)
