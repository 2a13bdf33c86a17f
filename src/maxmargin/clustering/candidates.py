"""Candidate smoothers to cluster with, the search on them, and the choice among them.

Labels on the graph are compared by the edges that they cut. Those of graph and kernel
are compared by the leave-one-out error of least squares with a radial kernel: if a
label is predicted well for samples left out, there is a margin around it.

No candidate depends on a seed: the samples of the radial kernel are drawn by the
content of the rows, in whose order they are.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maxmargin import progress
from maxmargin.clustering.model import MarginModel, indicators, model_of_targets
from maxmargin.clustering.parameters import Options, check_init
from maxmargin.graph.spanning_tree import cluster_by_gaps
from maxmargin.graph.spectral_smoother import (
    DEGREES_PER_CLUSTER,
    VECTORS_PER_CLUSTER,
    NeighborGraph,
)
from maxmargin.kernels.degrees_of_freedom import Ridge, count_degrees
from maxmargin.kernels.kernel import make_kernel
from maxmargin.kernels.landmarks import ALL_SAMPLES, make_smoother
from maxmargin.kernels.low_rank_smoother import LowRankSmoother, features_of
from maxmargin.kernels.smoother import Smoother, leave_one_out_error
from maxmargin.rows.sample import (
    Sample,
    draw_distinct,
    draw_part,
    draw_sample,
    take_part,
)
from maxmargin.search.balance import Balance
from maxmargin.search.local import local_search, seed_by_features
from maxmargin.search.relocation import N_RANDOM, relocate_centers
from maxmargin.search.runs import (
    best_of,
    best_of_restarts,
    default_starts,
    fill_empty,
    one_sample_each,
    random_labels,
)
from maxmargin.search.state import OnIteration, SearchResult

# The power of the sizes in the objective. With a kernel, an outlier determines its own
# fit and would make a good cluster alone: a power below 1 prefers larger clusters. In
# the features of the graph all samples have the same norm.
KERNEL_POWER = 0.7
GRAPH_POWER = 1.0
# The radial kernel needs few samples to cluster and to judge.
JUDGE_SAMPLES = 1000
# Labels of a finer scale of the graph replace those of the first candidate if they cut
# clearly fewer edges. The labels of the radial kernel replace those of the graph if
# their leave-one-out error is below a share of theirs, unless the latter cut at most
# one edge in fifty: then there is a gap that a kernel of median width may not see.
CLEARLY_FEWER = 0.2
CLEARLY_SMALLER = 0.7
NO_CUT = 0.02


@dataclass(frozen=True)
class Candidate:
    """A smoother on some samples, and the power of the sizes in the objective."""

    sample: Sample
    smoother: Smoother
    power: float
    positions: np.ndarray | None = None  # among the samples of the fit; None for all
    graph: NeighborGraph | None = None  # None for a kernel
    labels: np.ndarray | None = None  # found without a search


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
    candidates: list[Candidate],
    search: Search,
    *,
    relabel: bool,
) -> Clusters:
    """Search every candidate, choose one, and return its clusters and their model.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_rows, n_features)
    sample : Sample
    options : Options
    candidates : list of Candidate
        A radial kernel is tried as well if the option ``kernel`` is ``"auto"`` and the
        labels on the graph cut edges.
    search : callable
        Returns the best run on a candidate.
    relabel : bool
        Whether each sample gets the cluster with its largest decision value, as
        ``predict`` does; else the labels of the run are kept.
    """
    n_clusters = options.n_clusters
    runs: list[SearchResult] = []
    with progress.stage(0.6, 1.0, "search"):
        for number, candidate in enumerate(candidates):
            if runs and not can_cut_fewer(candidate, runs[0], n_clusters):
                break
            with progress.step(number, len(candidates) + 1):
                runs.append(search(candidate))
    candidate, run = candidates[0], runs[0]
    if candidate.graph is not None:
        chosen, cut = fewest_cuts(candidates, runs, n_clusters)
        candidate, run = candidates[chosen], runs[chosen]
        if options.kernel == "auto" and cut > NO_CUT:
            judge = radial_candidate(X, sample, options)
            other = search(judge)
            if is_better(judge, other, run, n_clusters):
                candidate, run = judge, other
    targets = indicators(run.labels, n_clusters)
    if run.prior is not None:
        targets += run.prior
    model, decisions = model_of_targets(candidate.smoother, targets, candidate.power)
    labels = decisions.argmax(axis=1) if relabel else run.labels
    return Clusters(X, sample, candidate, run, labels, model, n_clusters)


def make_candidates(
    X, sample: Sample, options: Options, random: np.random.RandomState
) -> list[Candidate]:
    """Return the candidates of the option ``kernel``, the preferred one first."""
    with progress.stage(0.0, 0.6):
        if options.uses_graph:
            return graph_candidates(X, sample, options)
        return [kernel_candidate(X, sample, options, random)]


def radial_candidate(X, sample: Sample, options: Options) -> Candidate:
    """Return the radial kernel on some of the samples, also the judge of labels."""
    by_content = np.random.RandomState(0)
    positions = draw_distinct(sample, JUDGE_SAMPLES, by_content)
    part = take_part(sample, positions)
    judge = kernel_candidate(X, part, options, by_content)
    return replace(judge, positions=positions)


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
    """Return the candidates on the neighbour graph.

    The first is a smoother of 15 to 25 neighbours with a given number of degrees of
    freedom. If that number is automatic, there is one for finer shapes, the projection
    on the k smoothest vectors of the graph of log2 n neighbours, about as many as keep
    a cluster connected.
    """
    n_samples, n_clusters = len(sample.indices), options.n_clusters
    given = options.ridge.degrees_of_freedom
    degrees = (
        min(DEGREES_PER_CLUSTER * n_clusters, 0.9 * n_samples)
        if isinstance(given, str)
        else count_degrees(given, n_samples)
    )
    n_vectors = max(VECTORS_PER_CLUSTER * n_clusters, int(np.ceil(2 * degrees)))
    power = options.resolve_power(GRAPH_POWER)
    rows, weights = X[sample.indices], sample.weights
    graph = NeighborGraph(rows, weights, n_vectors, n_clusters)
    soft = Candidate(sample, graph.soft_smoother(degrees), power, graph=graph)
    if not isinstance(given, str) or n_samples <= n_clusters:
        return [soft]
    n_neighbors = int(np.ceil(np.log2(n_samples)))
    fine = graph.with_neighbors(n_neighbors, n_clusters)
    hard = Candidate(sample, fine.hard_smoother(n_clusters), power, graph=fine)
    return [soft, hard]


def gap_candidates(X, candidates: list[Candidate], n_clusters: int) -> list[Candidate]:
    """Return the clusters by the widest gaps, which need no search.

    There are none if the candidates have no graph or only one.
    """
    if len(candidates) < 2:
        return []
    soft, hard = candidates
    assert soft.graph is not None and hard.graph is not None
    rows = X[hard.sample.indices]
    labels = cluster_by_gaps(rows, soft.graph.graph, n_clusters)
    smoother = hard.graph.label_smoother(labels, n_clusters)
    return [replace(hard, smoother=smoother, labels=labels)]


def search_candidate(
    candidate: Candidate,
    options: Options,
    weights: np.ndarray,
    random: np.random.RandomState,
) -> SearchResult:
    """Return the best run on a candidate; ``weights`` are those of all rows."""
    sample, smoother = candidate.sample, candidate.smoother
    if candidate.labels is not None:
        objective = float(sample.weights.sum())
        return SearchResult(candidate.labels, objective, (objective,), 0, True)
    by_means = options.default_search and candidate.power == 1.0
    if by_means and isinstance(smoother, LowRankSmoother):
        is_projection = np.isinf(smoother.alpha)  # only taken if much better
        return relocate_centers(
            smoother.features,
            sample.weights,
            options.n_clusters,
            random,
            n_random=0 if is_projection else N_RANDOM,
            max_iter=options.max_iter,
            on_iteration=options.on_iteration,
        )
    if candidate.positions is not None:
        random = np.random.RandomState(0)  # as the samples of this candidate
    init = check_init(options.init, options.n_clusters, sample)
    balance = options.balance_of(sample, weights, candidate.power)
    if options.search == "local":
        return search_locally(smoother, balance, init, options, random)
    matrix = smoother.matrix()
    return best_of_restarts(
        matrix,
        sample.weights,
        balance,
        init=init,
        n_init=None if isinstance(options.n_init, str) else options.n_init,
        search=options.search,
        decay=options.shaking_decay,
        max_iter=options.max_iter,
        n_jobs=options.n_jobs,
        random_state=random,
        on_iteration=options.on_iteration,
    )


def search_locally(
    smoother: Smoother,
    balance: Balance,
    init: str | np.ndarray,
    options: Options,
    random: np.random.RandomState,
) -> SearchResult:
    """Return the best run of a search on local subsets, from different starts."""
    weights, n_clusters = smoother.weights, options.n_clusters
    n_init = options.n_init
    if isinstance(n_init, str):
        n_init = default_starts(len(weights))
    if len(weights) <= n_clusters:
        init = one_sample_each(weights, balance)
    features = features_of(smoother)

    def one(_: int, seed: int, report: OnIteration | None) -> SearchResult:
        own = np.random.RandomState(seed)
        if isinstance(init, np.ndarray):
            labels = init
        elif init == "random":
            labels = random_labels(len(weights), n_clusters, own)
        else:
            labels = seed_by_features(features, weights, n_clusters, own)
        return local_search(
            features,
            weights,
            fill_empty(labels, min(n_clusters, len(weights)), own),
            balance,
            own,
            max_iter=options.max_iter,
            on_iteration=report,
        )

    if isinstance(init, np.ndarray):
        n_init = 1
    return best_of(one, n_init, options.n_jobs, random, options.on_iteration)


def can_cut_fewer(candidate: Candidate, first: SearchResult, n_clusters: int) -> bool:
    """Return True if labels that cut clearly fewer edges than the first are possible.

    If not, there is no need to search for them.
    """
    assert candidate.graph is not None
    cut, _ = _cuts(candidate, first, n_clusters)
    return candidate.graph.least_share(n_clusters) < CLEARLY_FEWER * cut


def fewest_cuts(
    candidates: list[Candidate], runs: list[SearchResult], n_clusters: int
) -> tuple[int, float]:
    """Return the position of the labels on the graph to keep, and their cut.

    The first ones are kept unless finer ones cut clearly fewer edges. All are counted
    on the graph of the last candidate.
    """
    cuts = [_cuts(candidates[-1], run, n_clusters) for run in runs]
    best = 0
    for number, (cut, estimate) in enumerate(cuts):
        if cut < CLEARLY_FEWER * cuts[0][0] and estimate < cuts[best][1]:
            best = number
    return best, cuts[best][1]


def is_better(
    judge: Candidate, run: SearchResult, on_graph: SearchResult, n_clusters: int
) -> bool:
    """Return True if labels with the radial kernel are better than those on the graph.

    Their leave-one-out error with the kernel has to be clearly smaller: labels on the
    graph are right more often than their error suggests, because the judge does not see
    the graph.
    """
    labels = [on_graph.labels[judge.positions], run.labels]
    targets = [indicators(one, n_clusters) for one in labels]
    errors = [leave_one_out_error(judge.smoother, one) for one in targets]
    return bool(errors[1] < CLEARLY_SMALLER * errors[0])


def _cuts(candidate: Candidate, run: SearchResult, n_clusters: int) -> list[float]:
    """Return the mean share of edges that leave a cluster, plain and estimated.

    The latter is the posterior mean with Jeffreys' prior, as if each of the m samples
    of a cluster were one observation: with the share s, ``(m s + 1/2) / (m + 1)``. So a
    few samples apart from all others, which there are in any data, are no proof of a
    cluster.
    """
    assert candidate.graph is not None
    shares = candidate.graph.leaving_shares(run.labels, n_clusters)
    sizes = np.bincount(run.labels, minlength=n_clusters)
    estimates = (sizes * shares + 0.5) / (sizes + 1.0)
    return [float(shares.mean()), float(estimates.mean())]


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
