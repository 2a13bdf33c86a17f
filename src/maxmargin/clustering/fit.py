"""One fit as plain functions: find clusters on some samples, label all."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from maxmargin.clustering.candidates import Candidate, Similarity, choose
from maxmargin.clustering.cluster_count import (
    COUNT_SAMPLES,
    best_count,
    default_counts,
    score_counts,
)
from maxmargin.clustering.extension import train_on_part
from maxmargin.clustering.model import MarginModel, model_of_labels
from maxmargin.clustering.wishes import Wishes
from maxmargin.kernels.blocks import ArraySource
from maxmargin.kernels.exact_smoother import check_memory
from maxmargin.kernels.sample import Sample, draw_part, draw_sample, search_limit
from maxmargin.search.result import SearchResult


@dataclass(frozen=True)
class Request:
    """What is asked of a fit, checked: parameters, the memory allowed, the threads."""

    similarity: Similarity
    wishes: Wishes
    memory: float
    n_threads: int

    def search_limit(self, n_samples: int, n_features: int) -> int | None:
        """Return how many samples a search may take; ``None`` if it is to be exact."""
        sparse = self.similarity.sparse and self.wishes.silent()
        if self.similarity.landmarks is not None:
            return search_limit(n_samples, n_features, sparse, self.memory)
        if not self.similarity.sparse:
            check_memory(n_samples, self.memory)
        return None


@dataclass(frozen=True)
class Found:
    """The clusters of the samples that were searched."""

    sample: Sample  # the distinct samples of the fit
    n_clusters: int
    candidate: Candidate  # the chosen one; its samples are those or a part of them
    run: SearchResult
    labels: np.ndarray  # of the candidate's samples
    model: MarginModel


def find_clusters(
    X,
    weights: np.ndarray,
    request: Request,
    random: np.random.RandomState,
    n_seen: int | None = None,
) -> Found:
    """Draw the samples to search, try the candidates, and choose among them.

    ``n_seen`` tells of how many samples X is a part itself.
    """
    similarity, n_threads = request.similarity, request.n_threads
    sample = draw_sample(
        X,
        weights,
        merge=similarity.kernel != "precomputed",
        limit=request.search_limit(n_seen or X.shape[0], X.shape[1]),
        random=random,
    )
    if n_seen is not None and n_seen > X.shape[0]:
        sample = sample._replace(complete=False)
    n_clusters = request.wishes.n_clusters
    if isinstance(n_clusters, str):
        n_clusters = _count_clusters(X, sample, random, n_threads)
    wishes = replace(request.wishes, n_clusters=n_clusters)
    if len(sample.indices) < n_clusters:
        warnings.warn(
            f"Only {len(sample.indices)} distinct samples for {n_clusters} clusters: "
            "each gets its own, others stay empty.",
            ConvergenceWarning,
            stacklevel=4,
        )
    candidates = similarity.candidates(X, sample, n_clusters, random, n_threads)
    runs = [wishes.search_on(one, weights, random) for one in candidates]
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


def label_samples(
    X,
    weights: np.ndarray,
    request: Request,
    found: Found,
    random: np.random.RandomState,
) -> tuple[MarginModel, np.ndarray, bool]:
    """Return the model for new samples, the labels of all, and whether passes ended."""
    sample = found.sample
    if found.candidate.sample.complete:
        labels = found.labels[sample.inverse]
        left_out = np.flatnonzero(sample.inverse < 0)  # samples without weight
        if len(left_out):
            labels[left_out] = found.model.label(X[left_out], request.n_threads)
        return found.model, labels, True
    wishes = replace(request.wishes, n_clusters=found.n_clusters)
    trained = train_on_part(
        X,
        ArraySource(X, weights, request.n_threads),
        request.similarity,
        wishes,
        found.candidate,
        found.labels,
        random,
        request.memory,
    )
    labels = wishes.label_all(X, weights, trained.model, request.n_threads)
    return trained.model, labels, trained.converged
