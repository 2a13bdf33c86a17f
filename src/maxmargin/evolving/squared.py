"""One step with the square loss: the engine on the present and the past.

With the smoother ``S`` of some rows with weights w, the engine maximises
``sum_h z_h' S z_h / n_h^p`` over labels (`search.state`). The strategies differ in the
rows and in what moves:

- **cohort**: the rows are those of both snapshots, those of the present with weight a,
  those of the past with 1 - a, as in equation (15) of Fan et al. Labels of both are
  free. An object that came counts a, one that left 1 - a.
- **individual**: the same rows, but an object of both snapshots is one unit: its two
  rows move together. A unit is a sample with the weighted mean of the two rows'
  features, so it goes where ``a d(x_now) + (1 - a) d(x_before)`` of the decision values
  d is largest.
- **model**: the rows are those of the present (`evolving.near`).
"""

from dataclasses import replace

import numpy as np

from maxmargin.clustering.candidates import Candidate, choose
from maxmargin.clustering.fit import Found, Request, fit_samples
from maxmargin.clustering.model import MarginModel, indicators, model_of_labels
from maxmargin.evolving.base import Outcome
from maxmargin.evolving.fitted import functions_of, losses_of, mean_loss, mean_of
from maxmargin.evolving.joint import Joint, join, label_rows
from maxmargin.evolving.snapshots import (
    best_renaming,
    prefer,
    share_moved,
    tells_time,
)
from maxmargin.evolving.step import Step
from maxmargin.evolving.ties import tie_units, unit_labels
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.kernels.smoother import Smoother
from maxmargin.search.passes import decide_by, objective_of, sum_columns
from maxmargin.search.result import SearchResult
from maxmargin.search.run import run_search
from maxmargin.search.start import fill_empty


def static_step(
    X, request: Request, random: np.random.RandomState, keep_functions: bool
) -> Outcome:
    """Cluster a snapshot by itself, as `MaxMarginClustering` does."""
    weights = np.ones(X.shape[0])
    fit = fit_samples(X, weights, request, random, X.shape[0])
    found = fit.found
    smoother = found.candidate.smoother
    targets = indicators(found.labels, found.n_clusters)
    cost = mean_loss(smoother, found.labels, found.n_clusters)
    return Outcome(
        np.asarray(fit.labels),
        fit.model,
        functions_of(smoother, targets) if keep_functions else None,
        (cost, 0.0, found.run.objective),
        fit.converged,
    )


def data_step(step: Step, tied: bool) -> Outcome | None:
    """Cluster two snapshots together: cohort, or individual with tied rows.

    Returns ``None`` if they have nothing to do with each other: no object is in both,
    and clusters of both together would tell the time. Then no function holds for both.
    """
    joint = join(step, tied)
    request, k, random = step.request, step.n_clusters, step.random
    limit = request.plan(len(joint.units), step.X.shape[1]).size
    sample = joint.draw(limit, random, merge=not tied)
    candidates = request.similarity.candidates(
        joint.rows, sample, k, random, request.n_threads
    )
    start = _carried(step) if k > 1 else None
    runs = []
    for candidate in candidates:
        found_run = _search_units(step, candidate, joint, start)
        if found_run is None:
            return None
        runs.append(found_run)
    chosen = choose(candidates, runs, k) if len(runs) > 1 else 0
    candidate, run = candidates[chosen], runs[chosen]
    power = candidate.power if request.wishes.balance is not None else 0.0
    model, decisions = model_of_labels(candidate.smoother, run.labels, k, power)
    labels = decisions.argmax(axis=1) if step.free and not tied else run.labels
    found = Found(sample, k, candidate, run, labels, model)
    labelled = label_rows(step, joint, found, tied)
    names = best_renaming(labelled.past, step.past_labels[labelled.shown], k)
    back, model = np.argsort(names), labelled.model
    targets = indicators(labels, k)
    losses = losses_of(candidate.smoother, targets, targets)
    now, past = np.split(candidate.sample.inverse, [joint.n_now])
    return Outcome(
        names[labelled.now],
        MarginModel(
            model.feature_map, model.coefficients[:, back], model.offsets[back]
        ),
        None,
        (mean_of(losses, now), mean_of(losses, past), run.objective),
        labelled.converged and run.converged,
    )


def _carried(step: Step) -> np.ndarray:
    """Return labels of all rows to start from: those of the past; -1 for new ones."""
    now = np.full(step.X.shape[0], -1)
    now[step.matches.now] = step.past_labels[step.matches.before]
    return np.concatenate([now, step.past_labels])


def _search_units(
    step: Step, candidate: Candidate, joint: Joint, start: np.ndarray | None
) -> SearchResult | None:
    """Return the best run on a candidate, in labels of its rows.

    There is none if the labels found tell the time and no object carries those of the
    past over.
    """
    wishes, k, weights = step.request.wishes, step.n_clusters, joint.weights
    tied, groups = tie_units(candidate, joint.units)
    run = wishes.search_on(tied, weights, step.random)
    if start is not None and len(tied.sample.weights) > k:
        known = start[candidate.sample.indices]
        if (known >= 0).any():
            first = unit_labels(_guess(candidate.smoother, known, k), groups)
            warm = _warm_run(step, tied, weights, first)
            runs, before = (warm, run), unit_labels(known, groups)
            moved = [share_moved(before, one.labels, k) for one in runs]
            costs = [mean_loss(tied.smoother, one.labels, k) for one in runs]
            old = candidate.sample.indices >= joint.n_now
            if tells_time(run.labels[groups], old, known):
                if not len(step.matches.now):
                    return None
                run = warm
            else:
                run = runs[prefer(costs, moved, step.weight)]
    return replace(run, labels=run.labels[groups])


def _guess(smoother: Smoother, known: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return labels for all rows: those known, and what these make of the others."""
    targets = np.zeros((len(known), n_clusters))
    rows = np.flatnonzero(known >= 0)
    targets[rows, known[rows]] = 1.0
    fitted = smoother.dot(targets) / np.maximum(smoother.weights @ targets, 1e-300)
    return np.where(known >= 0, known, fitted.argmax(axis=1))


def _warm_run(
    step: Step, candidate: Candidate, weights: np.ndarray, labels: np.ndarray
) -> SearchResult:
    """Search from given labels: by passes over features, or by single moves."""
    wishes, k = step.request.wishes, step.n_clusters
    balance = step.balance_of(candidate, weights)
    smoother, sizes = candidate.smoother, candidate.sample.weights
    labels = fill_empty(labels, k, step.random)
    if balance.bounded or not isinstance(smoother, LowRankSmoother):
        return run_search(
            smoother.matrix(),
            sizes,
            labels,
            balance,
            step.random,
            search="stochastic",
            max_iter=wishes.max_iter,
        )
    return _by_passes(smoother.features, sizes, labels, k, balance.power)


def _by_passes(
    features: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
    power: float,
) -> SearchResult:
    """Send all samples to their best cluster at once, until nothing is gained."""
    whole = np.eye(features.shape[1])
    sums = sum_columns(features, weights, labels, n_clusters)
    history = [objective_of(sums, whole, power)]
    while True:
        decisions = decide_by(sums, whole, power)
        values = features @ decisions.coefficients + decisions.offsets
        moved = values.argmax(axis=1)
        sums = sum_columns(features, weights, moved, n_clusters)
        value = objective_of(sums, whole, power)
        if value <= history[-1] * (1 + 1e-9):
            return SearchResult(labels, history[-1], tuple(history), 0, True)
        history.append(value)
        labels = moved
