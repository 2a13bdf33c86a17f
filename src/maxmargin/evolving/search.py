"""The search for the clusters of a step: afresh, and from given labels.

Fresh starts with a kernel need the smoother of all pairs of samples, whose cost is
quadratic in their number. If only a part of the rows is searched, half of it is
searched afresh. The functions fitted to these labels label the other half, and passes
over the features of all continue from there, whose cost is linear.

If the number of clusters has changed, the past labels are no start for the clusters of
the present, and one more fresh start takes their place: centres in the features of the
samples, each of which is moved where it is needed most (`search.relocation`).
"""

from dataclasses import replace

import numpy as np

from maxmargin.engine.candidates import Candidate, search_candidate
from maxmargin.engine.fit import SEARCH_SAMPLES
from maxmargin.evolving.step import Step
from maxmargin.rows.sample import draw_positions
from maxmargin.search.relocation import Problem, make_passes, relocate_centers
from maxmargin.search.runs import fill_empty, run_search
from maxmargin.search.state import SearchResult
from maxmargin.smoothers.low_rank_smoother import LowRankSmoother, features_of
from maxmargin.smoothers.smoother import Smoother


def search_afresh(
    step: Step, candidate: Candidate, weights: np.ndarray
) -> SearchResult:
    """Return the best run from fresh starts; ``weights`` are those of all rows."""
    run = _search_part(step, candidate, weights)
    sample, k = candidate.sample, step.n_clusters
    given = candidate.labels is not None or len(sample.weights) <= k
    if given or k == 1 or step.same_number:
        return run
    features = features_of(candidate.smoother)
    centers = relocate_centers(features, sample.weights, k, step.random)
    other = search_from(step, candidate, weights, centers.labels)
    return max(run, other, key=lambda one: one.objective)


def _search_part(step: Step, candidate: Candidate, weights: np.ndarray) -> SearchResult:
    """Return the best run of fresh starts, on half of many samples."""
    options, smoother, sample = step.options, candidate.smoother, candidate.sample
    number, limit = len(sample.weights), SEARCH_SAMPLES // 2
    few = sample.complete or number <= limit or not options.free
    if candidate.graph is not None or few or not isinstance(smoother, LowRankSmoother):
        return search_candidate(candidate, options, weights, step.random)
    drawn = draw_positions(number, limit, step.random)
    part = replace(
        candidate,
        sample=sample._replace(
            indices=sample.indices[drawn], weights=sample.weights[drawn]
        ),
        smoother=replace(
            smoother,
            weights=smoother.weights[drawn],
            features=smoother.features[drawn],
        ),
    )
    run = search_candidate(part, options, weights, step.random)
    known = np.full(number, -1)
    known[drawn] = run.labels
    labels = extend_labels(smoother, known, step.n_clusters)
    return search_from(step, candidate, weights, labels)


def extend_labels(smoother: Smoother, known: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return labels of all rows, by functions fitted to the known ones."""
    targets = np.zeros((len(known), n_clusters))
    rows = np.flatnonzero(known >= 0)
    targets[rows, known[rows]] = 1.0
    fitted = smoother.dot(targets) / np.maximum(smoother.weights @ targets, 1e-300)
    return np.where(known >= 0, known, fitted.argmax(axis=1))


def search_from(
    step: Step, candidate: Candidate, weights: np.ndarray, labels: np.ndarray
) -> SearchResult:
    """Search from given labels: by passes over features, or by single moves."""
    sample, smoother, k = candidate.sample, candidate.smoother, step.n_clusters
    objective = candidate.objective
    balance = step.options.balance_of(sample, weights, objective)
    labels = fill_empty(labels, k, step.random)
    if isinstance(smoother, LowRankSmoother):
        limits = balance.limits if balance.bounded else None
        problem = Problem(smoother.features, sample.weights, k, objective, limits)
        found = make_passes(problem, labels)
        return SearchResult(found.labels, found.value, (found.value,), 0, True)
    return run_search(
        smoother.matrix(),
        sample.weights,
        labels,
        balance,
        step.random,
        search="stochastic",
    )
