"""Candidates to cluster with: smoothers on samples, and the search for labels.

No candidate depends on a seed: the samples of the radial kernel are drawn by the
content of the rows, in whose order they are.
"""

from dataclasses import dataclass, replace

import numpy as np

from maxmargin import progress
from maxmargin.engine.options import Options
from maxmargin.rows.preparation import divide_columns
from maxmargin.rows.sample import Sample, draw_distinct, take_part, take_rows
from maxmargin.rows.sources import Sources
from maxmargin.search.features import Problem, solution_of
from maxmargin.search.near_clusters import MANY_CLUSTERS
from maxmargin.search.objective import DIRECTIONS, Objective
from maxmargin.search.relocation import relocate_centers
from maxmargin.search.runs import best_of_restarts, one_sample_each
from maxmargin.search.state import SearchResult
from maxmargin.smoothers.affinity_graph import AffinityGraph, warn_if_scattered
from maxmargin.smoothers.degrees_of_freedom import Ridge, count_degrees
from maxmargin.smoothers.landmarks import Landmarks, make_smoother
from maxmargin.smoothers.smoother import Smoother, features_of
from maxmargin.smoothers.source_smoother import SourceFeatures, source_smoother
from maxmargin.smoothers.spanning_tree import cluster_by_gaps
from maxmargin.smoothers.spectral_smoother import (
    DEGREES_PER_CLUSTER,
    VECTORS_PER_CLUSTER,
    NeighborGraph,
    SpectralGraph,
)

# With a kernel, an outlier determines its own fit and would make a good cluster alone:
# a power below 1 prefers larger clusters. The features of the graph have equal lengths.
KERNEL_OBJECTIVE = Objective(power=0.7)
GRAPH_OBJECTIVE = DIRECTIONS
# The radial kernel needs few samples to cluster and to judge.
JUDGE_SAMPLES = 1000


@dataclass(frozen=True)
class Candidate:
    """A smoother on some samples, and the objective of its labels."""

    sample: Sample
    smoother: Smoother
    objective: Objective
    positions: np.ndarray | None = None  # among the samples of the fit; None for all
    graph: SpectralGraph | None = None  # None for a kernel
    labels: np.ndarray | None = None  # found without a search


def make_candidates(
    X, sample: Sample, options: Options, random: np.random.RandomState
) -> list[Candidate]:
    """Return the candidates of the option ``kernel``, the preferred one first."""
    with progress.stage(0.0, 0.6):
        if options.similarity.graph:
            return graph_candidates(X, sample, options)
        degrees = options.degrees_of_freedom
        return [kernel_candidate(X, sample, options, degrees, random)]


def radial_candidate(X, sample: Sample, options: Options) -> Candidate:
    """Return the kernel beside the graph on some samples, also the judge of labels.

    Its degrees of freedom are automatic: those that are given are of the graph.
    """
    by_content = np.random.RandomState(0)
    positions = draw_distinct(sample, JUDGE_SAMPLES, by_content)
    part = take_part(sample, positions)
    judge = kernel_candidate(X, part, options, "auto", by_content)
    return replace(judge, positions=positions)


def kernel_candidate(
    X,
    sample: Sample,
    options: Options,
    degrees: float | str,
    random: np.random.RandomState,
) -> Candidate:
    """Return the candidate with the smoother of a kernel."""
    kernel = options.make_kernel(X[sample.indices], random)
    ridge = Ridge(degrees_of_freedom=degrees)
    smoother = make_smoother(X, sample, kernel, ridge, Landmarks(), random)
    return Candidate(sample, smoother, KERNEL_OBJECTIVE)


def graph_degrees(options: Options, n_samples: int) -> float:
    """Return the degrees of freedom of the graph for some samples."""
    given = options.degrees_of_freedom
    if isinstance(given, str):
        return min(DEGREES_PER_CLUSTER * options.n_clusters, 0.9 * n_samples)
    return count_degrees(given, n_samples)


def graph_candidates(X, sample: Sample, options: Options) -> list[Candidate]:
    """Return the candidates on the graph of the samples.

    On the neighbour graph the first is a smoother of 15 to 25 neighbours; of many
    clusters, whose eigenvectors would cost most, it is the projection on as many
    vectors. The second is for finer shapes: the projection on the k smoothest vectors
    of the graph of log2 n neighbours, about as many as keep a cluster connected. The
    third has the clusters by the widest gaps, which need no search. A given graph has
    no distances, and so no gaps and no finer neighbours. Several sources have the sum
    of their smoothers alone.
    """
    n_samples, k = len(sample.indices), options.n_clusters
    degrees = graph_degrees(options, n_samples)
    n_vectors = max(VECTORS_PER_CLUSTER * k, int(np.ceil(2 * degrees)))
    if options.affinities:
        return affinity_candidates(X, sample, degrees, n_vectors, k)
    rows, weights = take_rows(X, sample.indices), sample.weights
    if options.sources is not None:
        return [source_candidate(rows, sample, options.sources, degrees, k)]
    many = k > MANY_CLUSTERS and isinstance(options.degrees_of_freedom, str)
    graph = NeighborGraph(rows, weights, k if many else n_vectors, k)
    smoother = graph.hard_smoother(k) if many else graph.soft_smoother(degrees)
    soft = Candidate(sample, smoother, GRAPH_OBJECTIVE, graph=graph)
    if n_samples <= k:
        return [soft]
    fine = graph.with_neighbors(int(np.ceil(np.log2(n_samples))), k)
    hard = Candidate(sample, fine.hard_smoother(k), GRAPH_OBJECTIVE, graph=fine)
    labels = cluster_by_gaps(rows, graph.graph, k)
    smoother = fine.label_smoother(labels, k)
    return [soft, hard, replace(hard, smoother=smoother, labels=labels)]


def affinity_candidates(
    X, sample: Sample, degrees: float, n_vectors: int, n_clusters: int
) -> list[Candidate]:
    """Return the candidates on a given graph: its smoother, and the projection."""
    graph = AffinityGraph(X, sample.weights, n_vectors, sample.indices)
    warn_if_scattered(graph, n_clusters)
    smoothers = [graph.soft_smoother(degrees)]
    if len(sample.indices) > n_clusters:
        smoothers.append(graph.hard_smoother(n_clusters))
    return [Candidate(sample, one, GRAPH_OBJECTIVE, graph=graph) for one in smoothers]


def source_candidate(
    rows, sample: Sample, sources: Sources, degrees: float, n_clusters: int
) -> Candidate:
    """Return the sum of the smoothers of several sources.

    Its graph, for the tree of clusters, joins neighbours by their distance in all
    sources, each with its weight.
    """
    smoother = source_smoother(
        rows, sample.weights, sources, degrees, n_clusters, GRAPH_OBJECTIVE
    )
    assert isinstance(smoother.feature_map, SourceFeatures)
    shares = sources.expand(np.sqrt(smoother.feature_map.shares))
    weighted = divide_columns(rows, 1.0 / np.maximum(shares, np.finfo(np.float32).tiny))
    graph = NeighborGraph(weighted, sample.weights, n_clusters, n_clusters)
    return Candidate(sample, smoother, GRAPH_OBJECTIVE, graph=graph)


def meets_limits(candidate: Candidate, options: Options, weights: np.ndarray) -> bool:
    """Return False if labels found without a search are outside the size limits."""
    if candidate.labels is None or options.free:
        return True
    sample = candidate.sample
    low, high = options.balance_of(sample, weights, candidate.objective).limits
    sizes = np.bincount(candidate.labels, sample.weights, options.n_clusters)
    return bool((sizes >= low).all() and (sizes <= high).all())


def search_candidate(
    candidate: Candidate,
    options: Options,
    weights: np.ndarray,
    random: np.random.RandomState,
    init: np.ndarray | None = None,
) -> SearchResult:
    """Return the best run on a candidate.

    On the graph, in few features, clusters are relocated. With a kernel samples are
    moved one by one. ``weights`` are those of all rows, ``init`` are labels of the
    samples to start from.
    """
    sample, smoother, k = candidate.sample, candidate.smoother, options.n_clusters
    if candidate.labels is not None:
        problem = Problem(features_of(smoother), sample.weights, k, candidate.objective)
        value = solution_of(problem, candidate.labels).value
        return SearchResult(candidate.labels, value, (value,), 0, True)
    balance = options.balance_of(sample, weights, candidate.objective)
    n_init = None if isinstance(options.n_init, str) else options.n_init
    if candidate.graph is not None:
        if len(sample.weights) <= k:
            init = one_sample_each(sample.weights, balance)
        return relocate_centers(
            features_of(smoother),
            sample.weights,
            k,
            random,
            objective=candidate.objective,
            limits=balance.limits if balance.bounded else None,
            init=init,
            n_random=n_init,
            on_iteration=options.on_iteration,
        )
    if candidate.positions is not None:
        random = np.random.RandomState(0)  # as the samples of this candidate
        n_init = init = None
    return best_of_restarts(
        smoother.matrix(),
        sample.weights,
        balance,
        init=init,
        n_init=n_init,
        random_state=random,
        on_iteration=options.on_iteration,
    )
