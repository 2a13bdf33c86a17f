"""Candidate smoothers to cluster with, the search on them, and the choice among them.

Labels on the graph are compared by the edges that they cut. Those of graph and kernel
are compared by the leave-one-out error of least squares with a radial kernel: if a
label is predicted well for samples left out, there is a margin around it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maxmargin import progress
from maxmargin.clustering.model import MarginModel, indicators, model_of_targets
from maxmargin.clustering.parameters import Options, check_init
from maxmargin.graph.spectral_smoother import (
    DEGREES_PER_CLUSTER,
    VECTORS_PER_CLUSTER,
    NeighborGraph,
)
from maxmargin.kernels.degrees_of_freedom import Ridge, count_degrees
from maxmargin.kernels.kernel import make_kernel
from maxmargin.kernels.landmarks import ALL_SAMPLES, make_smoother
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.kernels.smoother import Smoother, leave_one_out_error
from maxmargin.rows.sample import (
    Sample,
    draw_distinct,
    draw_part,
    draw_sample,
    take_part,
)
from maxmargin.search.relocation import relocate_centers
from maxmargin.search.runs import best_of_restarts
from maxmargin.search.state import SearchResult

# The power of the sizes in the objective. With a kernel, an outlier determines its own
# fit and would make a good cluster alone: a power below 1 prefers larger clusters. In
# the features of the graph all samples have the same norm.
KERNEL_POWER = 0.7
GRAPH_POWER = 1.0
# The radial kernel needs few samples to cluster and to judge.
JUDGE_SAMPLES = 1000
# The labels of the radial kernel replace those of the graph if their leave-one-out
# error is below this share of theirs; those of the second smoother of the graph replace
# those of the first if their normalised cut is below this share.
CLEARLY_SMALLER = 0.7
CLEARLY_FEWER = 0.1


@dataclass(frozen=True)
class Candidate:
    """A smoother on some samples, and the power of the sizes in the objective."""

    sample: Sample
    smoother: Smoother
    power: float
    thorough: bool = True  # whether to search beyond the first local optima
    positions: np.ndarray | None = None  # among the samples of the fit; None for all
    graph: NeighborGraph | None = None  # None for a kernel


@dataclass(frozen=True)
class Clusters:
    """The clusters of the samples that were searched."""

    X: Any  # the rows that the samples are part of
    sample: Sample  # the distinct samples of the fit
    candidate: Candidate  # the chosen one, on these samples or a part of them
    run: SearchResult
    labels: np.ndarray  # of the samples of the candidate
    model: MarginModel
    n_clusters: int


Search = Callable[[Candidate], SearchResult]


def find_clusters(
    X,
    sample: Sample,
    options: Options,
    random: np.random.RandomState,
    search: Search,
    *,
    relabel: bool,
    candidates: list[Candidate] | None = None,
) -> Clusters:
    """Search every candidate, choose one, and return its clusters and their model.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_rows, n_features)
    sample : Sample
    options : Options
    random : RandomState
    search : callable
        Returns the best run on a candidate.
    relabel : bool
        Whether each sample gets the cluster with its largest decision value, as
        ``predict`` does; else the labels of the run are kept.
    candidates : list of Candidate, default=None
        By default those of `make_candidates`.
    """
    n_clusters = options.n_clusters
    if candidates is None:
        with progress.stage(0.0, 0.6):
            candidates = make_candidates(X, sample, options, random)
    runs = []
    with progress.stage(0.6, 1.0, "search"):
        for number, candidate in enumerate(candidates):
            with progress.step(number, len(candidates)):
                runs.append(search(candidate))
    chosen = choose(candidates, runs, n_clusters) if len(runs) > 1 else 0
    candidate, run = candidates[chosen], runs[chosen]
    targets = indicators(run.labels, n_clusters)
    if run.prior is not None:
        targets += run.prior
    model, decisions = model_of_targets(candidate.smoother, targets, candidate.power)
    labels = decisions.argmax(axis=1) if relabel else run.labels
    return Clusters(X, sample, candidate, run, labels, model, n_clusters)


def make_candidates(
    X, sample: Sample, options: Options, random: np.random.RandomState
) -> list[Candidate]:
    """Return the candidates of the option ``kernel``, the preferred one first.

    ``"auto"`` has the neighbour graph, in two smoothers, and the radial kernel on some
    of the samples; the last one is also the judge of all.
    """
    if options.kernel == "neighbors":
        return graph_candidates(X, sample, options)[:1]
    if not options.uses_graph:
        return [kernel_candidate(X, sample, options, random)]
    candidates = graph_candidates(X, sample, options)
    positions = draw_distinct(sample, JUDGE_SAMPLES, random)
    part = take_part(sample, positions)
    judge = kernel_candidate(X, part, options, random)
    return [*candidates, replace(judge, positions=positions)]


def kernel_candidate(
    X, sample: Sample, options: Options, random: np.random.RandomState
) -> Candidate:
    """Return the candidate with the smoother of a kernel."""
    power = options.resolve_power(KERNEL_POWER)
    kernel = options.make_kernel(X[sample.indices], random)
    smoother = make_smoother(
        X, sample, kernel, options.ridge, options.landmarks, random
    )
    return Candidate(sample, smoother, power)


def graph_candidates(X, sample: Sample, options: Options) -> list[Candidate]:
    """Return the candidates with the soft and the hard smoother of the graph."""
    n_samples, n_clusters = len(sample.indices), options.n_clusters
    given = options.ridge.degrees_of_freedom
    degrees = (
        min(DEGREES_PER_CLUSTER * n_clusters, 0.9 * n_samples)
        if isinstance(given, str)
        else count_degrees(given, n_samples)
    )
    n_vectors = max(VECTORS_PER_CLUSTER * n_clusters, int(np.ceil(2 * degrees)))
    power = options.resolve_power(GRAPH_POWER)
    graph = NeighborGraph(X[sample.indices], sample.weights, n_vectors)
    soft, hard = graph.soft_smoother(degrees), graph.hard_smoother(n_clusters)
    return [
        Candidate(sample, soft, power, graph=graph),
        Candidate(sample, hard, power, thorough=False, graph=graph),
    ]


def search_candidate(
    candidate: Candidate,
    options: Options,
    weights: np.ndarray,
    random: np.random.RandomState,
) -> SearchResult:
    """Return the best run on a candidate; ``weights`` are those of all rows."""
    sample, smoother = candidate.sample, candidate.smoother
    by_means = options.default_search and candidate.power == 1.0
    if by_means and isinstance(smoother, LowRankSmoother):
        return relocate_centers(
            smoother.features,
            sample.weights,
            options.n_clusters,
            random,
            relocate=candidate.thorough,
            max_iter=options.max_iter,
            on_iteration=options.on_iteration,
        )
    init = check_init(options.init, options.n_clusters, sample)
    matrix = smoother.matrix()
    return best_of_restarts(
        matrix,
        sample.weights,
        options.balance_of(sample, weights, candidate.power),
        init=init,
        n_init=None if isinstance(options.n_init, str) else options.n_init,
        search=options.search,
        max_iter=options.max_iter,
        n_jobs=options.n_jobs,
        random_state=random,
        on_iteration=options.on_iteration,
    )


def choose(
    candidates: list[Candidate], runs: list[SearchResult], n_clusters: int
) -> int:
    """Return the position of the labelling to keep.

    Of the two on the graph, the second is better if it cuts clearly fewer edges. The
    radial kernel, the last candidate, is better if its labels have a clearly smaller
    leave-one-out error with its own smoother as the judge. Labels on the graph are
    right more often than their error suggests, because the judge does not see the
    graph.
    """
    graph, judge = candidates[0].graph, candidates[-1]
    assert graph is not None
    cuts = [graph.normalized_cut(run.labels) for run in runs[:-1]]
    on_graph = int(len(cuts) > 1 and cuts[-1] < CLEARLY_FEWER * cuts[0])
    labels = [runs[on_graph].labels[judge.positions], runs[-1].labels]
    targets = [indicators(one, n_clusters) for one in labels]
    errors = [leave_one_out_error(judge.smoother, one) for one in targets]
    return len(runs) - 1 if errors[1] < CLEARLY_SMALLER * errors[0] else on_graph


def split_margin(
    X,
    labels: np.ndarray,
    weights: np.ndarray,
    precomputed: bool,
    random: np.random.RandomState,
) -> float:
    """Return 1 minus the leave-one-out error on labels 0 and 1.

    The judge has a radial kernel of median width, or the given kernel matrix, on some
    of the samples. The value has no unit, so that those of different splits can be
    compared.
    """
    sample = draw_sample(X, weights, merge=not precomputed, limit=None, random=random)
    part = draw_part(sample, JUDGE_SAMPLES, random)
    name = "precomputed" if precomputed else "rbf"
    kernel = make_kernel(name, X[part.indices], random=random)
    smoother = make_smoother(X, part, kernel, Ridge(), ALL_SAMPLES, random)
    return 1.0 - leave_one_out_error(smoother, indicators(labels[part.indices], 2))
