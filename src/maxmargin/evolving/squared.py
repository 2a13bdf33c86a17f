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

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maxmargin.clustering.candidates import Candidate, choose
from maxmargin.clustering.fit import Found, Request, fit_samples, train
from maxmargin.clustering.model import (
    MarginModel,
    indicators,
    model_of_labels,
)
from maxmargin.evolving.base import Outcome
from maxmargin.evolving.snapshots import (
    Matches,
    best_renaming,
    prefer,
    share_moved,
    stack_rows,
    tells_time,
)
from maxmargin.evolving.ties import tie_units, unit_labels
from maxmargin.kernels.blocks import ArraySource
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.kernels.sample import Sample, draw_sample
from maxmargin.kernels.smoother import Smoother
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance
from maxmargin.search.passes import decide_by, objective_of, sum_columns
from maxmargin.search.result import SearchResult
from maxmargin.search.run import run_search
from maxmargin.search.start import fill_empty


@dataclass(frozen=True)
class Step:
    """What a step is given: two snapshots, the share of the present, the wishes."""

    X: Any  # the present
    past_X: Any
    past_labels: np.ndarray
    matches: Matches
    weight: float
    request: Request
    random: np.random.RandomState

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.request.wishes.n_clusters)


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


def data_step(step: Step, tied: bool) -> Outcome:
    """Cluster two snapshots together: cohort, or individual with tied rows."""
    n_now, n_past = step.X.shape[0], step.past_X.shape[0]
    rows = stack_rows(step.X, step.past_X)
    weights = np.repeat([step.weight, 1.0 - step.weight], [n_now, n_past])
    units = np.arange(n_now + n_past)
    if tied:
        units[n_now + step.matches.before] = step.matches.now
    request, k, random = step.request, step.n_clusters, step.random
    limit = request.plan(n_now + n_past, step.X.shape[1]).size
    sample = _draw_units(rows, weights, units, limit, random, merge=not tied)
    candidates = request.similarity.candidates(
        rows, sample, k, random, request.n_threads
    )
    start = _carried(step, units)
    runs = [
        _search_units(step, candidate, weights, units, start if k > 1 else None)
        for candidate in candidates
    ]
    chosen = choose(candidates, runs, k) if len(runs) > 1 else 0
    candidate, run = candidates[chosen], runs[chosen]
    power = candidate.power if request.wishes.balance is not None else 0.0
    model, decisions = model_of_labels(candidate.smoother, run.labels, k, power)
    found_labels = run.labels
    if is_free(request) and not tied:
        found_labels = decisions.argmax(axis=1)
    found = Found(sample, k, candidate, run, found_labels, model)
    model, labels, finished = _label_rows(step, rows, weights, units, found, tied)
    names = best_renaming(labels[n_now:], step.past_labels, k)
    back = np.argsort(names)
    targets = indicators(found_labels, k)
    losses = losses_of(candidate.smoother, targets, targets)
    part = candidate.sample.inverse
    return Outcome(
        names[labels[:n_now]],
        MarginModel(
            model.feature_map, model.coefficients[:, back], model.offsets[back]
        ),
        None,
        (_mean_of(losses, part[:n_now]), _mean_of(losses, part[n_now:]), run.objective),
        finished and run.converged,
    )


def _draw_units(
    rows,
    weights: np.ndarray,
    units: np.ndarray,
    limit: int,
    random: np.random.RandomState,
    merge: bool,
) -> Sample:
    """Draw units with all their rows, about ``limit`` rows in all."""
    if len(units) <= limit:
        return draw_sample(rows, weights, merge=merge, limit=None, random=random)
    names = np.unique(units)
    number = max(int(limit * len(names) / len(units)), 1)
    drawn = np.zeros(len(units), dtype=bool)
    drawn[random.choice(names, number, replace=False)] = True
    kept = np.where(drawn[units], weights, 0.0)
    sample = draw_sample(rows, kept, merge=merge, limit=None, random=random)
    return sample._replace(complete=False)


def _carried(step: Step, units: np.ndarray) -> np.ndarray:
    """Return labels of all rows to start from: those of the past; -1 for new ones."""
    n_now = step.X.shape[0]
    start = np.full(len(units), -1)
    start[n_now:] = step.past_labels
    start[step.matches.now] = step.past_labels[step.matches.before]
    return start


def _search_units(
    step: Step,
    candidate: Candidate,
    weights: np.ndarray,
    units: np.ndarray,
    start: np.ndarray | None,
) -> SearchResult:
    """Return the best run on a candidate, in labels of its rows."""
    wishes, k = step.request.wishes, step.n_clusters
    tied, groups = tie_units(candidate, units)
    run = wishes.search_on(tied, weights, step.random)
    if start is not None and len(tied.sample.weights) > k:
        known = start[candidate.sample.indices]
        if (known >= 0).any():
            first = unit_labels(_guess(candidate.smoother, known, k), groups)
            warm = _warm_run(step, tied, weights, first)
            runs, before = (warm, run), unit_labels(known, groups)
            moved = [share_moved(before, one.labels, k) for one in runs]
            costs = [mean_loss(tied.smoother, one.labels, k) for one in runs]
            old = candidate.sample.indices >= step.X.shape[0]
            if tells_time(run.labels[groups], old, known):
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
    balance = balance_of(step, candidate, weights)
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


def balance_of(step: Step, candidate: Candidate, weights: np.ndarray) -> Balance:
    """Return the size limits on the samples of a candidate."""
    wishes, sample = step.request.wishes, candidate.sample
    if sample.complete:
        return wishes.make_balance(sample.weights, candidate.power)
    balance = wishes.make_balance(weights, candidate.power)
    return balance.scaled(sample.weights.sum() / weights.sum())


def _label_rows(
    step: Step, rows, weights: np.ndarray, units: np.ndarray, found: Found, tied: bool
) -> tuple[MarginModel, np.ndarray, bool]:
    """Return the model, the labels of all rows, and whether passes ended."""
    request, model, finished = step.request, found.model, True
    complete = found.candidate.sample.complete
    if complete and not (tied and is_free(request)):
        return model, found.labels[found.candidate.sample.inverse], True
    if not complete:
        source = ArraySource(rows, weights, request.n_threads)
        fit = train([(rows, found)], source, request, step.random)
        model, finished = fit.model, fit.converged
    if not tied:
        labels = request.wishes.label_all(rows, weights, model, request.n_threads)
        return model, labels, finished
    decisions = model.decide(rows, request.n_threads) * weights[:, None]
    names, groups = np.unique(units, return_inverse=True)
    totals = np.zeros((len(names), decisions.shape[1]))
    np.add.at(totals, groups, decisions)
    if is_free(request):
        return model, totals.argmax(axis=1)[groups], finished
    masses = np.bincount(groups, weights)
    limits = request.wishes.make_balance(masses, 1.0).limits
    labels = assign_within_limits(totals / masses[:, None], masses, limits)
    return model, labels[groups], finished


def functions_of(smoother: Smoother, targets: np.ndarray) -> MarginModel:
    """Return the functions fitted to targets."""
    coefficients = smoother.coefficients(targets)
    return MarginModel(smoother.feature_map, coefficients, np.zeros(targets.shape[1]))


def losses_of(
    smoother: Smoother, targets: np.ndarray, fitted_to: np.ndarray
) -> np.ndarray:
    """Return ``sum_h (z_ih - f_h(x_i))^2`` of the functions fitted to some targets."""
    fitted = smoother.dot(fitted_to) / smoother.weights[:, None]
    return ((targets - fitted) ** 2).sum(axis=1)


def mean_loss(smoother: Smoother, labels: np.ndarray, n_clusters: int) -> float:
    """Return the mean of `losses_of` over the samples by weight."""
    targets = indicators(labels, n_clusters)
    losses = losses_of(smoother, targets, targets)
    return float(losses @ smoother.weights / smoother.weights.sum())


def _mean_of(losses: np.ndarray, positions: np.ndarray) -> float:
    """Return the mean loss of rows given by their positions, -1 for none."""
    there = positions[positions >= 0]
    return float(losses[there].mean()) if len(there) else 0.0


def is_free(request: Request) -> bool:
    """Tell whether sizes are free."""
    wish = request.wishes.balance
    return isinstance(wish, str) and wish == "free"
