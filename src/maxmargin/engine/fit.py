"""One fit, for rows of any source: prepare, draw, search, label.

The rows of the source, or as many as there is time and memory for, are searched. The
others get labels: those equal to a searched sample get its label, the rest that of
their neighbours in the graph or, if a kernel was chosen, that of a classifier trained
on the clusters.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array

from maxmargin import progress
from maxmargin.engine.candidates import (
    Candidate,
    make_candidates,
    meets_limits,
    search_candidate,
)
from maxmargin.engine.choice import (
    NO_CUT,
    Clusters,
    find_clusters,
    membership_strengths,
    outlier_scores,
)
from maxmargin.engine.fitted_tree import make_tree
from maxmargin.engine.model import MarginModel, reduce_neighbors
from maxmargin.engine.options import MAX_GRAPH_SAMPLES, Options, part_sizes, search_size
from maxmargin.engine.part_classifier import train_classifier
from maxmargin.rows.blocks import Drawn, RowSource
from maxmargin.rows.preparation import Preparation
from maxmargin.rows.sample import (
    Sample,
    draw_part,
    draw_sample,
    take_square,
)
from maxmargin.search.balance import possible_counts
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.objective import MEANS
from maxmargin.search.state import SearchResult
from maxmargin.selection.cluster_count import PART, ClusterCountTable, score_counts
from maxmargin.selection.cluster_tree import ClusterTree
from maxmargin.selection.graph_count import score_graph
from maxmargin.smoothers.distances import squared_distances
from maxmargin.smoothers.spectral_smoother import NeighborGraph

# To find the number of clusters takes as long as so many rows with a given number, for
# each row that is used for it; measured on 500 to 40,000 rows.
NUMBER_COST = 30.0


@dataclass(frozen=True)
class FitResult:
    """The result of a fit."""

    clusters: Clusters
    model: MarginModel  # for rows as they are given
    labels: np.ndarray | None  # of all rows; None if they stay where the rows are
    converged: bool
    preparation: Preparation
    tree: ClusterTree | None = None
    counts: ClusterCountTable | None = None  # if the number was found
    strengths: np.ndarray | None = None  # of the membership of all rows, if in memory
    outliers: np.ndarray | None = None  # their scores, if all were searched on a graph


@dataclass(frozen=True)
class Task:
    """Rows and the candidates to cluster them with."""

    source: RowSource
    drawn: Drawn
    preparation: Preparation
    X: Any  # the rows that were drawn, prepared
    sample: Sample  # of these
    candidates: list[Candidate]
    seed: int  # of every search, whatever was searched before


def fit_source(
    source: RowSource, options: Options, random: np.random.RandomState
) -> FitResult:
    """Cluster all rows of a source, or a part of them, and label all.

    Size limits that the labels without limits meet do not change these.
    """
    size = search_size(source.n_seen, source.row_length, options)
    parts = part_sizes(source.n_seen, size, options)
    drawn = source.fetch(size, random)
    preparation = options.prepare(drawn.X, drawn.weights, source.column_statistics)
    X = preparation.lazily(drawn.X)
    sample = draw_sample(
        X,
        drawn.weights,
        merge=options.kernel != "precomputed",
        limit=size,
        random=random,
        least=1 if options.n_clusters == 1 else 2,
    )
    if source.n_seen > len(drawn.weights):
        sample = sample._replace(complete=False)
    first = number_share(len(sample.indices), options)
    middle = 0.15 * first + 0.85
    for part in parts:
        # By the content of the rows alone: the same part of any source.
        some = draw_part(sample, part, np.random.RandomState(0))
        own, counts = count_clusters(X, some, options, drawn.weights.sum())
        with progress.stage(first, middle):
            task = make_task(source, drawn, preparation, X, some, own, random)
            free = cluster_freely(task, own)
        if is_separated(free):
            break
    with progress.stage(middle, 1.0):
        result = fit_within(task, own, free)
        tree = make_tree(
            task.candidates[0].graph, task.sample, result.clusters, result.labels
        )
    return replace(
        result,
        tree=tree,
        counts=counts,
        strengths=strengths_of_rows(task, result),
        outliers=outliers_of_rows(task),
    )


def make_task(
    source: RowSource,
    drawn: Drawn,
    preparation: Preparation,
    X: Any,
    sample: Sample,
    options: Options,
    random: np.random.RandomState,
) -> Task:
    """Return the task to search a sample."""
    candidates = make_candidates(X, sample, options, random)
    seed = int(random.randint(np.iinfo(np.int32).max))
    return Task(source, drawn, preparation, X, sample, candidates, seed)


def number_share(n_samples: int, options: Options) -> float:
    """Return the share of the time of a fit after which the number is found."""
    if not isinstance(options.n_clusters, str):
        return 0.0
    cost = NUMBER_COST * min(n_samples, PART)
    return cost / (cost + n_samples)


def cluster_freely(task: Task, options: Options) -> Clusters:
    """Search the candidates of a task without size limits."""
    return cluster_sample(task, replace(options, balance="free"))


def fit_within(task: Task, options: Options, free: Clusters) -> FitResult:
    """Label all rows, by the clusters without size limits if they meet the limits."""
    weights = task.drawn.weights
    limits = size_limits(options, weights)
    if limits is None:
        return label_task(task, options, free)
    result = label_task(task, replace(options, balance="free"), free)
    if result.labels is not None and is_within(result.labels, weights, limits):
        return result
    with progress.stage(0.0, 0.6):
        clusters = cluster_sample(task, options)
    return label_task(task, options, clusters)


def label_task(task: Task, options: Options, clusters: Clusters) -> FitResult:
    """Label all rows by the clusters of those that were searched."""
    with progress.stage(0.6, 1.0, "labels"):
        model, converged = extend_clusters(clusters, task, options)
        model = model.for_given(task.preparation)
        labels = label_rows(task.source, task.drawn, clusters, model, options)
    return FitResult(clusters, model, labels, converged, task.preparation)


def strengths_of_rows(task: Task, result: FitResult) -> np.ndarray | None:
    """Return the strengths of membership of all rows, None if they are not there."""
    clusters, labels = result.clusters, result.labels
    sample = clusters.candidate.sample
    n_drawn = len(task.drawn.weights)
    if labels is None or len(labels) != n_drawn or n_drawn > MAX_GRAPH_SAMPLES:
        return None
    if sample.complete and len(sample.rows) == len(labels):
        return clusters.strengths[sample.groups]
    return membership_strengths(result.model.decide(task.drawn.X), labels)


def outliers_of_rows(task: Task) -> np.ndarray | None:
    """Return the outlier scores of all rows, None if their distances are not known."""
    sample, graph = task.sample, task.candidates[0].graph
    if not isinstance(graph, NeighborGraph):
        return None
    if not sample.complete or len(sample.rows) < sample.n_rows:
        return None
    return outlier_scores(graph)[sample.groups]


def size_limits(options: Options, weights: np.ndarray) -> np.ndarray | None:
    """Return the limits of the cluster sizes among all rows, None if there are none."""
    balance = options.make_balance(weights, MEANS)
    return balance.limits if balance.bounded else None


def is_within(labels: np.ndarray, weights: np.ndarray, limits: np.ndarray) -> bool:
    """Return True if the sizes of clusters are within limits."""
    sizes = np.bincount(labels, weights, minlength=limits.shape[1])
    return bool((sizes >= limits[0]).all() and (sizes <= limits[1]).all())


def is_separated(clusters: Clusters) -> bool:
    """Return True if there are gaps between clusters on the graph."""
    graph = clusters.candidate.graph
    if graph is None:
        return False
    shares = graph.leaving_shares(clusters.labels, clusters.n_clusters)
    return bool(shares.mean() <= NO_CUT)


def count_clusters(
    X, sample: Sample, options: Options, total: float
) -> tuple[Options, ClusterCountTable | None]:
    """Return the options with the number of clusters, and its scores if "auto".

    Limits of the sizes among rows of a total weight limit the number, too.
    """
    counts = None
    if isinstance(options.n_clusters, str):
        share = number_share(len(sample.indices), options)
        with progress.stage(0.0, share, "number of clusters"):
            counts = (
                score_graph(take_square(X, sample.indices), sample.weights)
                if options.affinities
                else score_counts(X, sample)
            )
        number = counts.best_within(*possible_counts(options.balance, total))
        options = options.with_clusters(number)
        progress.tell_number(options.n_clusters)
    if len(sample.indices) < options.n_clusters:
        warnings.warn(
            f"Only {len(sample.indices)} distinct samples for {options.n_clusters} "
            "clusters: each sample is a cluster, the other clusters are empty.",
            ConvergenceWarning,
            stacklevel=6,
        )
    return options, counts


def cluster_sample(task: Task, options: Options) -> Clusters:
    """Cluster the sample of a task with the best of its candidates."""
    weights = task.drawn.weights
    init = starting_labels(options, task)
    candidates = [one for one in task.candidates if meets_limits(one, options, weights)]

    limits = size_limits(options, weights)
    alike = limits is None or bool((limits == limits[:, :1]).all())

    def search(candidate: Candidate) -> SearchResult:
        random = np.random.RandomState(task.seed)
        run = search_candidate(candidate, options, weights, random, init)
        if init is not None or not alike:  # the numbers of the clusters are given
            return run
        return number_by_size(run, candidate.sample.weights, options.n_clusters)

    return find_clusters(
        task.X, task.sample, options, candidates, search, relabel=options.free
    )


def number_by_size(
    run: SearchResult, weights: np.ndarray, n_clusters: int
) -> SearchResult:
    """Return the run with clusters numbered from the largest to the smallest.

    So the numbers do not depend on the start that found them. Clusters of equal size
    are in the order of their first samples.
    """
    sizes = np.bincount(run.labels, weights, n_clusters)
    first = np.full(n_clusters, len(run.labels))
    np.minimum.at(first, run.labels, np.arange(len(run.labels)))
    numbers = np.empty(n_clusters, dtype=np.int64)
    numbers[np.lexsort([first, -sizes])] = np.arange(n_clusters)
    return replace(run, labels=numbers[run.labels])


def starting_labels(options: Options, task: Task) -> np.ndarray | None:
    """Return the labels of the searched samples that the option ``init`` gives.

    It has labels of all rows, or centres, the nearest of which is taken.
    """
    if options.init is None:
        return None
    given, k, sample = np.asarray(options.init), options.n_clusters, task.sample
    if given.ndim == 2 and options.kernel != "precomputed":
        rows = task.X[sample.indices]
        if given.shape != (k, rows.shape[1]):
            raise ValueError(
                f"init has shape {given.shape}: give {k} centres of {rows.shape[1]} "
                "features, or a label for each sample."
            )
        centers = check_array(given, dtype=np.float64, input_name="init")
        distances = squared_distances(rows, task.preparation(centers))
        return np.asarray(distances.argmin(axis=1))
    if given.shape != (sample.n_rows,) or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(
            f"init must have one integer for each of the {sample.n_rows} samples, or "
            f"{k} centres."
        )
    if given.min() < 0 or given.max() >= k:
        raise ValueError(
            f"init has labels from {given.min()} to {given.max()}: they must lie "
            f"between 0 and n_clusters - 1 = {k - 1}."
        )
    return given[sample.indices].astype(np.int64)


def extend_clusters(
    clusters: Clusters, task: Task, options: Options
) -> tuple[MarginModel, bool]:
    """Return the model for all prepared rows, and whether it has converged.

    On the graph further samples are labelled by their neighbours; of many neighbours,
    those are dropped that the labels do not need. With a kernel on some samples, a
    classifier is trained on their labels, which passes over many more improve.
    """
    candidate, converged = clusters.candidate, clusters.run.converged
    if candidate.graph is not None:
        model = reduce_neighbors(clusters.model, clusters.labels, candidate.graph)
        return model, converged
    if candidate.sample.complete:
        return clusters.model, converged
    source = task.source
    if not task.preparation.empty:
        source = source.transform(task.preparation)
    random = np.random.RandomState(task.seed)
    trained = train_classifier(clusters, source, options, random)
    return trained.model, converged and trained.converged


def label_rows(
    source: RowSource,
    drawn: Drawn,
    clusters: Clusters,
    model: MarginModel,
    options: Options,
) -> np.ndarray | None:
    """Return the labels of all rows, within the size limits."""
    candidate = clusters.candidate
    known = np.full(clusters.sample.n_rows, -1, dtype=np.int64)
    if candidate.sample.complete or (candidate.graph is not None and options.free):
        sample = candidate.sample
        known[sample.rows] = clusters.labels[sample.groups]
    elif not options.free:
        return label_within_limits(drawn.X, drawn.weights, model, options)
    return source.label(model, drawn, known)


def label_within_limits(
    X: Any, weights: np.ndarray, model: MarginModel, options: Options
) -> np.ndarray:
    """Return the labels of all rows by a model, within the size limits."""
    limits = size_limits(options, weights)
    if limits is None:  # one cluster
        return model.label(X)
    return assign_within_limits(model.decide(X), weights, limits)
