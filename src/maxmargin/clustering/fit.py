"""One fit as plain functions: find clusters on some samples, label all."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from maxmargin import progress
from maxmargin.clustering.candidates import Candidate, Similarity, choose
from maxmargin.clustering.cluster_count import (
    COUNT_SAMPLES,
    best_count,
    default_counts,
    score_counts,
)
from maxmargin.clustering.extension import Labelled, train_on_parts
from maxmargin.clustering.model import MarginModel, model_of_labels
from maxmargin.clustering.wishes import Wishes
from maxmargin.kernels.blocks import ArraySource, RowSource
from maxmargin.kernels.exact_smoother import check_memory
from maxmargin.kernels.sample import (
    Sample,
    SearchPlan,
    draw_part,
    draw_sample,
    plan_search,
)
from maxmargin.search.result import SearchResult


@dataclass(frozen=True)
class Request:
    """What is asked of a fit, checked: parameters, the memory allowed, the threads."""

    similarity: Similarity
    wishes: Wishes
    memory: float
    n_threads: int

    def with_count(self, n_clusters: int) -> "Request":
        """Return the same with the number of clusters found out."""
        return replace(self, wishes=replace(self.wishes, n_clusters=n_clusters))

    def plan(self, n_samples: int, n_features: int) -> SearchPlan:
        """Return how many searches there are, and on how many samples."""
        sparse = self.similarity.sparse and self.wishes.silent()
        if self.similarity.landmarks is not None:
            return plan_search(n_samples, n_features, sparse, self.memory)
        if not self.similarity.sparse:
            check_memory(n_samples, self.memory)
        return SearchPlan(1, n_samples)


@dataclass(frozen=True)
class Found:
    """The clusters of the samples that were searched."""

    sample: Sample  # the distinct samples of the fit
    n_clusters: int
    candidate: Candidate  # the chosen one; its samples are those or a part of them
    run: SearchResult
    labels: np.ndarray  # of the candidate's samples
    model: MarginModel


@dataclass(frozen=True)
class Fit:
    """What a fit gives."""

    found: Found  # of the part that won
    model: MarginModel  # for any sample
    labels: np.ndarray | None  # of all samples
    converged: bool


def find_clusters(
    X,
    weights: np.ndarray,
    request: Request,
    random: np.random.RandomState,
    limit: int,
    n_seen: int,
) -> Found:
    """Draw samples to search, try the candidates, and choose among them.

    ``n_seen`` tells of how many samples X is a part itself.
    """
    similarity, n_threads = request.similarity, request.n_threads
    sample = draw_sample(
        X,
        weights,
        merge=similarity.kernel != "precomputed",
        limit=limit,
        random=random,
    )
    if n_seen > X.shape[0]:
        sample = sample._replace(complete=False)
    n_clusters = request.wishes.n_clusters
    if isinstance(n_clusters, str):
        n_clusters = _count_clusters(X, sample, random, n_threads)
    wishes = request.with_count(n_clusters).wishes
    if len(sample.indices) < n_clusters:
        warnings.warn(
            f"Only {len(sample.indices)} distinct samples for {n_clusters} clusters: "
            "each gets its own, others stay empty.",
            ConvergenceWarning,
            stacklevel=4,
        )
    candidates = similarity.candidates(X, sample, n_clusters, random, n_threads)
    runs = []
    for number, one in enumerate(candidates):
        with progress.step(number, len(candidates)):
            runs.append(wishes.search_on(one, weights, random))
    chosen = choose(candidates, runs, n_clusters) if len(runs) > 1 else 0
    candidate, run = candidates[chosen], runs[chosen]
    power = candidate.power if wishes.balance is not None else 0.0
    model, decisions = model_of_labels(
        candidate.smoother, run.labels, n_clusters, power
    )
    free = isinstance(wishes.balance, str) and wishes.balance == "free"
    labels = decisions.argmax(axis=1) if free else run.labels
    return Found(sample, n_clusters, candidate, run, labels, model)


def _count_clusters(
    X, sample: Sample, random: np.random.RandomState, n_threads: int
) -> int:
    """Return the number of clusters that the data tell."""
    part = draw_part(sample, COUNT_SAMPLES, random)
    counts = default_counts(len(part.indices))
    scores = score_counts(X[part.indices], part.weights, counts, random, n_threads)
    return best_count(scores)


def fit_samples(
    X,
    weights: np.ndarray,
    request: Request,
    random: np.random.RandomState,
    n_seen: int,
) -> Fit:
    """Search on all samples, or on parts and label the others by a classifier.

    Of several parts, the one wins whose labels have the largest objective once the
    classifier has learned and improved them on the same samples.
    """
    plan = request.plan(n_seen, X.shape[1])
    n_steps = plan.n_parts + 2  # beside searches: to train, and to label
    parts = []
    for number in range(plan.n_parts):
        with progress.step(number, n_steps):
            found = find_clusters(X, weights, request, random, plan.size, n_seen)
        parts.append((X, found))
        request = request.with_count(found.n_clusters)
    if found.candidate.sample.complete:
        labels = found.labels[found.sample.inverse]
        left_out = np.flatnonzero(found.sample.inverse < 0)  # samples without weight
        if len(left_out):
            labels[left_out] = found.model.label(X[left_out], request.n_threads)
        return Fit(found, found.model, labels, found.run.converged)
    source = ArraySource(X, weights, request.n_threads)
    with progress.step(n_steps - 2, n_steps):
        fit = train(parts, source, request, random)
    with progress.step(n_steps - 1, n_steps):
        labels = request.wishes.label_all(X, weights, fit.model, request.n_threads)
    return replace(fit, labels=labels)


def train(
    parts: list[tuple[Any, Found]],
    source: RowSource,
    request: Request,
    random: np.random.RandomState,
) -> Fit:
    """Return the classifier for all samples, their labels left open.

    Each part is an array with the samples of its candidate, and what was found there.
    """
    trained = train_on_parts(
        [Labelled(X, found.candidate, found.labels) for X, found in parts],
        source,
        request.similarity,
        request.wishes,
        random,
        request.memory,
    )
    found = parts[trained.best][1]
    return Fit(found, trained.model, None, trained.converged and found.run.converged)
