"""The choice among candidates, and the clusters of the chosen one.

Labels on the graph are compared by the edges that they cut. Those of graph and kernel
are compared by the leave-one-out error of least squares with a radial kernel: if a
label is predicted well for samples left out, there is a margin around it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from maxmargin import progress
from maxmargin.engine.candidates import JUDGE_SAMPLES, Candidate, radial_candidate
from maxmargin.engine.model import MarginModel, model_of_targets
from maxmargin.engine.options import Options
from maxmargin.rows.sample import Sample, indicators
from maxmargin.search.state import SearchResult
from maxmargin.smoothers.distances import paired_distances
from maxmargin.smoothers.neighbor_index import N_NEIGHBORS
from maxmargin.smoothers.smoother import leave_one_out_error
from maxmargin.smoothers.spectral_smoother import NeighborGraph

# On 59 data sets, every second one by name, strengths with this slope are closest to
# the shares of refits on halves that keep a label; on the 58 others they differ by 0.03
# in the mean over all rows. Within a data set it is 0.10, since margins do not tell how
# stable the clusters are as a whole.
SLOPE = 2.5
# Labels of a finer scale of the graph replace those of the first candidate if they cut
# clearly fewer edges. The labels of the radial kernel replace those of the graph if
# their leave-one-out error is below a share of theirs, unless the latter cut at most
# one edge in fifty: then there is a gap that a kernel of median width may not see.
CLEARLY_FEWER = 0.2
CLEARLY_SMALLER = 0.7
NO_CUT = 0.02
JUDGED_SAMPLES = 10  # of a cluster, in the mean, that the radial kernel needs
Search = Callable[[Candidate], SearchResult]


def membership_strengths(decisions: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return a number between 0 and 1 for the label of each sample.

    With the gap g between the decision value of the label and the largest other one,
    and the unit u, the median over the samples of the difference between the value of
    the label and the smallest one, it is ``1 / (1 + exp(-2.5 g / u))``: near 1 inside a
    cluster, and 1/2 at the border of two. The unit makes it independent of a constant
    that is added to all values, and of their scale.
    """
    rows = np.arange(len(labels))
    own, others = decisions[rows, labels], decisions.copy()
    others[rows, labels] = -np.inf
    second = others.max(axis=1)
    smallest = np.where(np.isfinite(decisions), decisions, np.inf).min(axis=1)
    unit = float(np.median(own - smallest)) or float((own - smallest).max()) or 1.0
    strengths: np.ndarray = expit(SLOPE * (own - second) / unit)
    return strengths


def outlier_scores(graph: NeighborGraph) -> np.ndarray:
    """Return the mean distance of each sample to its nearest ones, over the median.

    In the neighbour graph these are known. Distances in units of those around the
    neighbours, as in a local outlier factor, found known outliers less often.
    """
    neighbors = graph.neighbors[:, :N_NEIGHBORS]
    n_samples, size = neighbors.shape
    rows = np.repeat(np.arange(n_samples), size)
    found = neighbors.ravel() >= 0
    X = graph.index.X
    lengths = np.zeros(n_samples * size)
    lengths[found] = np.sqrt(
        paired_distances(X, rows[found], X, neighbors.ravel()[found])
    )
    counts = np.maximum(np.bincount(rows[found], minlength=n_samples), 1)
    means = np.bincount(rows, lengths, n_samples) / counts
    scores: np.ndarray = means / (float(np.median(means)) or 1.0)
    return scores


@dataclass(frozen=True)
class Clusters:
    """The clusters of the samples that were searched."""

    X: Any  # the rows that the samples are part of
    sample: Sample  # the distinct samples of the fit
    candidate: Candidate  # the chosen one, on these samples or a part of them
    run: SearchResult
    labels: np.ndarray  # of the samples of the candidate
    strengths: np.ndarray  # of their membership
    model: MarginModel
    n_clusters: int


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
        A kernel is tried as well if the similarity names one beside the graph, and the
        labels on the graph cut edges.
    search : callable
        Returns the best run on a candidate.
    relabel : bool
        Whether each sample gets the cluster with its largest decision value, as
        ``predict`` does; else the labels of the run are kept.
    """
    candidate, run = choose(X, sample, options, candidates, search)
    n_clusters = options.n_clusters
    targets = indicators(run.labels, n_clusters)
    if run.prior is not None:
        targets += run.prior
    model, decisions = model_of_targets(
        candidate.smoother, targets, candidate.objective
    )
    labels = decisions.argmax(axis=1) if relabel else run.labels
    strengths = membership_strengths(decisions, labels)
    return Clusters(X, sample, candidate, run, labels, strengths, model, n_clusters)


def choose(
    X, sample: Sample, options: Options, candidates: list[Candidate], search: Search
) -> tuple[Candidate, SearchResult]:
    """Return the candidate to keep, and its best run."""
    runs: list[SearchResult] = []
    with progress.stage(0.6, 1.0, "search"):
        for number, candidate in enumerate(candidates):
            if runs and not can_cut_fewer(candidate, runs[0], options.n_clusters):
                break
            with progress.step(number, len(candidates) + 1):
                runs.append(search(candidate))
    candidate, run = candidates[0], runs[0]
    if candidate.graph is None:
        return candidate, run
    chosen, cut = fewest_cuts(candidates, runs, options.n_clusters)
    candidate, run = candidates[chosen], runs[chosen]
    if options.n_clusters == 1:
        return candidate, run
    few = JUDGE_SAMPLES < JUDGED_SAMPLES * options.n_clusters
    if options.similarity.kernel is not None and cut > NO_CUT and not few:
        judge = radial_candidate(X, sample, options)
        other = search(judge)
        if is_better(judge, other, run, options.n_clusters):
            return judge, other
    return candidate, run


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
