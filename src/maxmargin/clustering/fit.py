"""One fit as plain functions: cluster some samples, label all.

`fit_samples` draws the samples to search, all if their number allows, clusters them
with `candidates.find_clusters`, and labels the others: those equal to a searched sample
get its label, the rest that of their neighbours in the graph or, if a kernel was
chosen, that of a classifier trained on the clusters.
"""

import warnings
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import assert_all_finite

from maxmargin import progress
from maxmargin.clustering.candidates import (
    KERNEL_POWER,
    Clusters,
    find_clusters,
    gap_candidates,
    make_candidates,
    search_candidate,
)
from maxmargin.clustering.model import MarginModel, reduce_neighbors
from maxmargin.clustering.parameters import Options, is_free
from maxmargin.clustering.part_classifier import train_classifier
from maxmargin.clustering.preparation import prepare_rows
from maxmargin.distances import check_magnitude
from maxmargin.kernels.landmarks import LANDMARKS_PER_DEGREE
from maxmargin.kernels.smoother import check_memory
from maxmargin.resources import format_bytes
from maxmargin.rows.blocks import ArraySource, Blocks, RowSource
from maxmargin.rows.sample import Sample, draw_sample
from maxmargin.search.balance import assign_within_limits
from maxmargin.selection.cluster_count import MAX_CLUSTERS, estimate_n_clusters

MIN_SAMPLES = 500  # the smallest number of samples for a search
ROWS_AT_ONCE = 50_000
ENTRY_FEATURES = 4  # dense features with the memory of an entry of a sparse row


@dataclass(frozen=True)
class FitResult:
    """The result of a fit."""

    clusters: Clusters
    model: MarginModel  # for any sample
    labels: np.ndarray | None  # of all samples
    converged: bool
    scale: np.ndarray | None = None  # the divisors of the columns


def fit_samples(
    X,
    weights: np.ndarray,
    options: Options,
    random: np.random.RandomState,
    n_seen: int | None = None,
) -> FitResult:
    """Cluster all samples, or a part of them, and label all.

    ``n_seen`` is the number of samples that X was drawn from.
    """
    n_seen = X.shape[0] if n_seen is None else n_seen
    size = search_size(n_seen, row_length(X), options)
    preparation = prepare_rows(X, ArraySource(X, weights), options)
    X, options = preparation.rows(X), preparation.options(options)
    merge = options.kernel != "precomputed"
    with progress.stage(0.0, 0.9):
        sample = draw_sample(X, weights, merge=merge, limit=size, random=random)
        if n_seen > X.shape[0]:
            sample = sample._replace(complete=False)
        clusters = cluster_sample(X, sample, weights, options, random)
        options = options.with_clusters(clusters.n_clusters)
    with progress.stage(0.9, 1.0, "labels"):
        source = ArraySource(X, weights)
        result = extend_clusters(clusters, source, options, random)
        labels = label_all(X, weights, result, options)
    model, scale = preparation.model(result.model), preparation.scale
    return replace(result, labels=labels, model=model, scale=scale)


def fit_drawn(
    drawn: Blocks, source: RowSource, options: Options, random: np.random.RandomState
) -> FitResult:
    """Cluster rows that were drawn from a source; the labels of all are left open."""
    parts = drawn.map(to_client)
    rows = np.concatenate([part for part, _ in parts])
    weights = np.concatenate([own for _, own in parts])
    assert_all_finite(rows, input_name="X")
    check_magnitude(rows)
    preparation = prepare_rows(rows, source, options)
    rows, options = preparation.block(rows), preparation.options(options)
    with progress.stage(0.0, 0.9):
        sample = draw_sample(rows, weights, merge=True, limit=len(rows), random=random)
        if source.n_samples > len(rows):
            sample = sample._replace(complete=False)
        clusters = cluster_sample(rows, sample, weights, options, random)
        options = options.with_clusters(clusters.n_clusters)
    if not preparation.empty:
        source = source.transform(preparation.block)
    result = extend_clusters(clusters, source, options, random)
    model, scale = preparation.model(result.model), preparation.scale
    return replace(result, model=model, scale=scale)


def to_client(rows, weights):
    """Return drawn rows to the process that clusters them."""
    return rows, weights


def row_length(X) -> int:
    """Return the number of features with which memory grows.

    An entry of a sparse sample is stored with its column, in the lists of
    `SparseNeighbors`, and in its dense columns if the feature is frequent.
    """
    if not sp.issparse(X):
        return int(X.shape[1])
    return int(np.ceil(ENTRY_FEATURES * X.nnz / max(X.shape[0], 1)))


def search_size(n_samples: int, n_features: int, options: Options) -> int:
    """Return the number of samples to search, given their `row_length`.

    With a kernel, or with limits of the cluster sizes, a search needs a matrix of all
    pairs, stored three times, and takes at most ``options.search_samples``. On the
    graph a sample costs about as much as the labels of eight. All are searched, up to
    ``options.max_graph_samples``. Of more, the labels cost most, and
    ``options.graph_part`` are searched: these have the clusters of all. Memory may
    limit both. Without landmarks, and on local subsets, all samples are searched.
    """
    memory = options.memory
    if options.landmarks.given is None:
        if not options.uses_graph:
            check_memory(n_samples, memory)
        return n_samples
    if options.uses_graph and options.default_search:
        given = options.n_clusters
        n_clusters = MAX_CLUSTERS if isinstance(given, str) else given
        few = n_samples <= options.max_graph_samples
        size = n_samples if few else options.graph_part
        # The samples, also in single precision; lists and links; vectors and features.
        n_fitting = memory / (16 * n_features + 100 * n_clusters + 2000)
    elif options.search == "local" and not options.uses_graph:
        size = n_samples
        degrees = options.ridge.expected_degrees(n_samples)
        # Kernel columns, features, and features times weights.
        n_fitting = memory / (3 * 8 * LANDMARKS_PER_DEGREE * degrees)
    else:
        size = options.search_samples
        n_fitting = np.sqrt(memory / (3 * 8))
    if n_fitting < min(n_samples, size, MIN_SAMPLES):
        raise ValueError(
            f"memory_limit={format_bytes(memory)} holds {int(n_fitting)} samples for "
            f"the search, which needs {MIN_SAMPLES}: raise memory_limit."
        )
    return min(size, int(n_fitting))


def cluster_sample(
    X,
    sample: Sample,
    weights: np.ndarray,
    options: Options,
    random: np.random.RandomState,
) -> Clusters:
    """Cluster a sample of rows X with the given weights."""
    if isinstance(options.n_clusters, str):
        options = options.with_clusters(estimate_n_clusters(X, sample))
    if len(sample.indices) < options.n_clusters:
        warnings.warn(
            f"Only {len(sample.indices)} distinct samples for {options.n_clusters} "
            "clusters: each sample is a cluster, the other clusters are empty.",
            ConvergenceWarning,
            stacklevel=5,
        )
    candidates = make_candidates(X, sample, options, random)
    if options.default_search:
        candidates += gap_candidates(X, candidates, options.n_clusters)
    search = partial(search_candidate, options=options, weights=weights, random=random)
    relabel = options.labels_by_decision
    return find_clusters(X, sample, options, candidates, search, relabel=relabel)


def extend_clusters(
    clusters: Clusters,
    source: RowSource,
    options: Options,
    random: np.random.RandomState,
) -> FitResult:
    """Return the model for all samples; the labels are left open.

    On the graph further samples are labelled by their neighbours; of many neighbours,
    those are dropped that the labels do not need. With a kernel on some samples, a
    classifier is trained on their labels, which passes over many more improve.
    """
    candidate, converged = clusters.candidate, clusters.run.converged
    if candidate.graph is not None:
        model = reduce_neighbors(clusters.model, clusters.labels, candidate.graph)
        return FitResult(clusters, model, None, converged)
    if candidate.sample.complete:
        return FitResult(clusters, clusters.model, None, converged)
    trained = train_classifier(clusters, source, options, random)
    return FitResult(clusters, trained.model, None, converged and trained.converged)


def label_all(
    X, weights: np.ndarray, result: FitResult, options: Options
) -> np.ndarray:
    """Return the labels of all rows, within the size limits."""
    clusters = result.clusters
    complete = clusters.candidate.sample.complete
    on_graph = clusters.candidate.graph is not None
    if complete or (on_graph and is_free(options.balance)):
        return label_by_sample(clusters.sample, clusters.labels, result.model, X)
    return label_by_model(X, weights, result.model, options)


def label_by_sample(
    sample: Sample, of_sample: np.ndarray, model: MarginModel, X
) -> np.ndarray:
    """Return the labels of all rows, given those of a sample.

    Rows that were not searched are labelled by the model.
    """
    inverse = sample.inverse
    labels: np.ndarray = of_sample[inverse]
    left_out = np.flatnonzero(inverse < 0)
    for start in range(0, len(left_out), ROWS_AT_ONCE):  # each is a copy
        rows = left_out[start : start + ROWS_AT_ONCE]
        labels[rows] = model.label(X[rows])
        progress.update((start + len(rows)) / len(left_out))
    return labels


def label_by_model(
    X, weights: np.ndarray, model: MarginModel, options: Options
) -> np.ndarray:
    """Return the labels of all rows by a model, within the size limits."""
    if options.n_clusters == 1 or is_free(options.balance):
        return model.label(X)
    limits = options.make_balance(weights, options.resolve_power(KERNEL_POWER)).limits
    return assign_within_limits(model.decide(X), weights, limits)
