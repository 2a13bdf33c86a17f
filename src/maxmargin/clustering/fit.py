"""One fit as plain functions: cluster some samples, label all.

`fit_samples` draws the samples to search, clusters them with
`candidates.find_clusters`, and labels the others: those equal to a searched sample get
its label, the rest the label of a classifier trained on the clusters.
"""

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from maxmargin import progress
from maxmargin.clustering.candidates import (
    KERNEL_POWER,
    Clusters,
    find_clusters,
    search_candidate,
)
from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import Options, is_free
from maxmargin.clustering.part_classifier import train_classifier
from maxmargin.kernels.smoother import check_memory
from maxmargin.resources import format_bytes
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.counts import hellinger, is_count_data
from maxmargin.rows.sample import Sample, draw_sample
from maxmargin.search.balance import assign_within_limits
from maxmargin.selection.cluster_count import estimate_n_clusters

# On a graph, a tenth of all samples is searched, in parts of ``search_samples``, but no
# more than this number.
MAX_GRAPH_SAMPLES = 20_000
MIN_SAMPLES = 500  # the smallest number of samples for a search


class SearchPlan(NamedTuple):
    """The number of searches, each on its own part, and the size of a part."""

    n_parts: int
    size: int


@dataclass(frozen=True)
class FitResult:
    """The result of a fit."""

    clusters: Clusters  # of the best part
    model: MarginModel  # for any sample
    labels: np.ndarray | None  # of all samples
    converged: bool


def fit_samples(
    X,
    weights: np.ndarray,
    options: Options,
    random: np.random.RandomState,
    n_seen: int | None = None,
) -> FitResult:
    """Cluster all samples, or parts of them, and label all.

    Of several parts, the one is kept whose labels have the largest objective after the
    passes of the classifier. ``n_seen`` is the number of samples that X was drawn from.
    """
    n_seen = X.shape[0] if n_seen is None else n_seen
    plan = plan_search(n_seen, X.shape[1], options)
    n_steps = plan.n_parts + 2  # the searches, the training, the labels
    merge = options.kernel != "precomputed"
    counts = options.kernel == "auto" and is_count_data(X)
    X = hellinger(X) if counts else X
    parts = []
    for number in range(plan.n_parts):
        with progress.step(number, n_steps):
            sample = draw_sample(
                X, weights, merge=merge, limit=plan.size, random=random
            )
            if n_seen > X.shape[0]:
                sample = sample._replace(complete=False)
            part = cluster_sample(X, sample, weights, options, random)
        parts.append(part)
        options = options.with_clusters(part.n_clusters)
    if part.candidate.sample.complete:
        labels = label_by_sample(part, X)
        result = FitResult(part, part.model, labels, part.run.converged)
    else:
        with progress.step(n_steps - 2, n_steps):
            result = extend_clusters(parts, ArraySource(X, weights), options, random)
        with progress.step(n_steps - 1, n_steps):
            labels = label_by_model(X, weights, result.model, options)
        result = replace(result, labels=labels)
    return replace(result, model=result.model.for_counts()) if counts else result


def plan_search(n_samples: int, n_features: int, options: Options) -> SearchPlan:
    """Return the number of searches and their size.

    A search on the graph needs the features of its nodes, others a matrix of all pairs,
    stored three times. Without landmarks, all samples are searched.
    """
    memory, size = options.memory, options.search_samples
    if options.landmarks.given is None:
        if not options.uses_graph:
            check_memory(n_samples, memory)
        return SearchPlan(1, n_samples)
    n_parts = 1
    n_fitting = np.sqrt(memory / (3 * 8))
    if options.uses_graph and options.default_search:
        total = min(max(n_samples // 10, size), MAX_GRAPH_SAMPLES)
        n_parts = total // size
        size = total // n_parts
        n_fitting = memory / 4 / (8 * n_features + 2000)
    if n_fitting < min(n_samples, size, MIN_SAMPLES):
        raise ValueError(
            f"memory_limit={format_bytes(memory)} holds {int(n_fitting)} samples for "
            f"the search, which needs {MIN_SAMPLES}: raise memory_limit."
        )
    return SearchPlan(n_parts, min(size, int(n_fitting)))


def cluster_sample(
    X,
    sample: Sample,
    weights: np.ndarray,
    options: Options,
    random: np.random.RandomState,
) -> Clusters:
    """Cluster a sample of rows X with the given weights."""
    if isinstance(options.n_clusters, str):
        options = options.with_clusters(estimate_n_clusters(X, sample, random))
    if len(sample.indices) < options.n_clusters:
        warnings.warn(
            f"Only {len(sample.indices)} distinct samples for {options.n_clusters} "
            "clusters: each sample is a cluster, the other clusters are empty.",
            ConvergenceWarning,
            stacklevel=5,
        )
    search = partial(search_candidate, options=options, weights=weights, random=random)
    relabel = options.labels_by_decision
    return find_clusters(X, sample, options, random, search, relabel=relabel)


def extend_clusters(parts: list[Clusters], source, options: Options, random):
    """Train a classifier on the clusters of parts; the labels are left open."""
    trained = train_classifier(parts, source, options, random)
    part = parts[trained.best]
    converged = trained.converged and part.run.converged
    return FitResult(part, trained.model, None, converged)


def label_by_sample(part: Clusters, X) -> np.ndarray:
    """Return the labels of all rows, given those of a complete sample.

    Rows of weight zero, which were not searched, are labelled by the model.
    """
    inverse = part.sample.inverse
    labels: np.ndarray = part.labels[inverse]
    left_out = np.flatnonzero(inverse < 0)
    if len(left_out):
        labels[left_out] = part.model.label(X[left_out])
    return labels


def label_by_model(
    X, weights: np.ndarray, model: MarginModel, options: Options
) -> np.ndarray:
    """Return the labels of all rows by a model, within the size limits."""
    if options.n_clusters == 1 or is_free(options.balance):
        return model.label(X)
    limits = options.make_balance(weights, options.resolve_power(KERNEL_POWER)).limits
    return assign_within_limits(model.decide(X), weights, limits)
