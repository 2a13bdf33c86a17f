"""What the strategies share: the input of a step, its search, and the past.

Fresh starts with a kernel need the smoother of all pairs of samples, whose cost is
quadratic in their number. If only a part of the rows is searched, half of it is
searched afresh. The functions fitted to these labels label the other half, and passes
over the features of all continue from there, whose cost is linear.

If the number of clusters has changed, the past labels are no start for the clusters of
the present, and one more fresh start takes their place: centres in the features of the
samples, each of which is moved where it is needed most (`search.relocation`).
"""

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics import homogeneity_score

from maxmargin.engine.candidates import Candidate, search_candidate
from maxmargin.engine.model import MarginModel
from maxmargin.engine.options import SEARCH_SAMPLES, Options
from maxmargin.evolving.names import name_clusters, next_name, present_names
from maxmargin.evolving.snapshots import Matches, Snapshot, match_objects
from maxmargin.rows.sample import draw_positions, draw_sample
from maxmargin.search.features import Problem, make_passes
from maxmargin.search.relocation import relocate_centers
from maxmargin.search.runs import fill_empty, run_search
from maxmargin.search.state import SearchResult
from maxmargin.selection.cluster_count import MAX_SAMPLES, estimate_n_clusters
from maxmargin.smoothers.smoother import LowRankSmoother, Smoother, features_of


@dataclass(frozen=True)
class Outcome:
    """The clusters of one snapshot."""

    labels: np.ndarray
    model: MarginModel | None  # for any sample
    functions: MarginModel | None  # the functions fitted to the indicators
    costs: tuple[float, float, float]  # snapshot, temporal, objective
    converged: bool = True
    memory: Any = None  # further data that the next step needs
    names: np.ndarray | None = None  # of the functions, in order; None for 0, 1, ...
    settings: str = ""  # the parameters of the estimator that decide about clusters

    def rename(self, names: np.ndarray) -> "Outcome":
        """Return the outcome with names for the clusters, which are numbered from 0."""
        order = np.argsort(names)
        return replace(
            self,
            labels=names[self.labels],
            model=None if self.model is None else self.model.reorder(order),
            functions=None if self.functions is None else self.functions.reorder(order),
            names=names[order],
        )

    def keep(self, labels: np.ndarray, temporal_cost: float) -> "Outcome":
        """Return the outcome for the next snapshot, in which nothing has changed.

        ``labels`` has the names of the clusters of its objects.
        """
        numbers = np.searchsorted(self.function_names, labels)
        snapshot_cost, _, objective = self.costs
        costs = (snapshot_cost, temporal_cost, objective)
        return replace(self, labels=numbers, costs=costs, names=None)

    def relabel(self, new_names: dict[int, int]) -> "Outcome":
        """Return the outcome with other names for some clusters."""
        if not new_names:
            return self
        old = self.function_names
        names = np.array([new_names.get(one, one) for one in old.tolist()])
        return replace(self, labels=np.searchsorted(old, self.labels)).rename(names)

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        if self.model is not None:
            return len(self.model.offsets)
        return 1 + int(self.labels.max()) if self.names is None else len(self.names)

    @property
    def function_names(self) -> np.ndarray:
        """Return the names of the functions, in order."""
        return np.arange(self.n_clusters) if self.names is None else self.names

    def label(self, X) -> np.ndarray:
        """Return the names of the clusters of rows under the model."""
        assert self.model is not None
        return self.function_names[self.model.label(X)]


@dataclass(frozen=True)
class SnapshotStep:
    """The input of a step with the square loss: two snapshots and the options."""

    X: Any  # the present rows
    past_X: Any
    past_labels: np.ndarray  # numbered from 0, -1 for none
    matches: Matches
    weight: float  # of the present
    options: Options
    max_samples: int  # to search
    random: np.random.RandomState
    same_number: bool = True  # of clusters as in the past
    published: bool = False  # the terms as printed

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.options.n_clusters)


def name_after_past(
    outcome: Outcome, X, ids: np.ndarray, past: Snapshot, previous: Outcome
) -> Outcome:
    """Name clusters so that most objects keep their label.

    Objects of both snapshots have their previous label, others the label that the
    previous model predicts, if there is one.
    """
    seen = np.full(len(ids), -1)
    now, before = match_objects(ids, past.ids)
    seen[now] = past.labels[before]
    predicted = seen
    new = np.flatnonzero(seen < 0)
    if previous.model is not None and len(new):
        predicted = seen.copy()
        predicted[new] = previous.label(X[new])
    placed = None
    more = outcome.n_clusters > len(present_names(past.labels))
    if previous.model is not None and more:
        placed = previous.label(X)
    names = name_clusters(
        outcome.labels,
        seen,
        predicted,
        outcome.n_clusters,
        past.labels,
        next_name(past.known),
        placed,
    )
    return outcome.rename(names)


def number_of_clusters(n_clusters: Any, X) -> int:
    """Return the number of clusters of a snapshot, estimated if it is "auto"."""
    if not isinstance(n_clusters, str):
        return int(n_clusters)
    by_content = np.random.RandomState(0)  # the number does not depend on a seed
    sample = draw_sample(
        X, np.ones(X.shape[0]), merge=True, limit=MAX_SAMPLES, random=by_content
    )
    return estimate_n_clusters(X, sample)


def past_positions(past: Snapshot, n_clusters: int) -> np.ndarray:
    """Return the past labels as numbers from 0, -1 in all but the largest clusters."""
    names = present_names(past.labels)
    sizes = np.bincount(past.labels)[names]
    kept = np.sort(np.argsort(-sizes, kind="stable")[:n_clusters])
    positions = np.full(names[-1] + 1, -1)
    positions[names[kept]] = np.arange(len(kept))
    return positions[past.labels]


def balance_in_weights(
    balance: Any, n_clusters: int, factor: float
) -> str | float | list:
    """Return the option ``balance`` with numbers of objects multiplied by a factor."""
    if isinstance(balance, (str, numbers.Real)) or balance is None or factor == 1.0:
        return balance
    values = list(balance)
    proportions = len(values) == n_clusters and None not in values
    if proportions and np.isclose(sum(values), 1.0):
        return values
    return [None if value is None else value * factor for value in values]


def search_afresh(
    step: SnapshotStep, candidate: Candidate, weights: np.ndarray
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


def _search_part(
    step: SnapshotStep, candidate: Candidate, weights: np.ndarray
) -> SearchResult:
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
            smoother, weights=smoother.weights[drawn], features=smoother.features[drawn]
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
    step: SnapshotStep, candidate: Candidate, weights: np.ndarray, labels: np.ndarray
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


def prefer(costs: Sequence[float], moved: Sequence[float], weight: float) -> int:
    """Return the position of the labelling to keep, the first one among equals.

    Two optima may be nearly equal and far apart, and the better one may change with
    time. So besides the cost, in units of the smallest one, the share of objects that
    change their cluster counts, equation (17) of Fan et al.; the former with the weight
    of the present, the latter with that of the past. Costs may be negative, as some are
    given up to a constant.
    """
    smallest = min(costs)
    unit = max(abs(smallest), np.finfo(float).tiny)
    values = [
        weight * (cost - smallest) / unit + (1.0 - weight) * change
        for cost, change in zip(costs, moved, strict=True)
    ]
    return int(np.argmin(values))


def separates_snapshots(labels: np.ndarray, old: np.ndarray, known: np.ndarray) -> bool:
    """Return True if labels predict the snapshot of a row better than its old cluster.

    That is, if they contain a larger share of the information about the snapshot
    (``old`` or not) than of that about the labels known from before (-1 for none). When
    all objects shift, two snapshots may be further apart than two clusters.
    """
    if old.all() or not old.any():
        return False
    there = known >= 0
    of_cluster = homogeneity_score(known[there], labels[there])
    return bool(homogeneity_score(old, labels) > of_cluster)
