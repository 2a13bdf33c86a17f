"""Clusters that are taught by pairs of samples.

Clusterings without pairs are the prior. With the share ``q_eih`` of cluster h among the
samples near i in clustering e, the probabilities of the clusters of a sample are

    p_i = softmax(sum_e w_e log q_ei + x_i W).

Two samples are together with the probability ``s_ij = sum_h p_ih p_jh``. The weights
``w_e >= 0`` and ``W``, for features ``x_i``, maximise

    sum over must-links log s_ij  +  sum over cannot-links log(1 - s_ij)
        +  sum over labels log p_iy  -  ||w - w0||^2 / 2  -  ||W||^2 / 2
        -  (N_DEFAULT + l) sum over other samples v_i KL(q_1i || p_i),

where ``w0`` is 1 for the first clustering, the default one, and 0 for the others, l is
the number of labels, and the weights ``v_i`` add up to one. Without pairs the result is
the first clustering, and pairs that it explains hardly change it. Other pairs change
their samples and those with similar features, and give weight to clusterings that
explain them better.

The last sum is the voice of samples of which nothing was said. Without it, labels of
one cluster alone could be explained by scores of that cluster that are large
everywhere, or by weights ``w`` near zero, and samples far away would change. It grows
with the labels, because samples that are assigned at once are one statement and not
many.

The features are the smoothest vectors of the neighbour graph and those of a radial
kernel. Only samples in pairs and some others enter the sums, so the time of a fit
hardly depends on the number of samples.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult, minimize
from scipy.special import log_softmax

from maxmargin.rows.sample import draw_positions, indicators
from maxmargin.search.constraints import (
    make_constraints,
    satisfy_constraints,
    sums_of_groups,
)
from maxmargin.semi_supervised.random_walk import RandomWalk
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.landmarks import span_basis
from maxmargin.smoothers.neighbor_index import NeighborIndex
from maxmargin.smoothers.scaled_graph import scaled_graph
from maxmargin.smoothers.spectral_smoother import NeighborGraph, scale_rows

# Features: vectors of the graph for each cluster, and landmarks of the radial kernel.
# The mean length of the rows of each kind is the prior standard deviation of what it
# adds to a score. The graph has less, since the default clusters come from it.
VECTORS_PER_CLUSTER = 8
N_LANDMARKS = 100
GRAPH_LENGTH, RADIAL_LENGTH = 1.0, 2.0
WALK_LENGTH = 10.0  # steps within which samples are near
N_SEEN = 10.0  # near samples that a share is an estimate from
N_DEFAULT = 10.0  # labels that the first clustering is worth
MAX_SILENT = 500  # samples without an answer that enter the sums
MAX_ITER, MAX_START_ITER = 200, 30
SMALLEST = 1e-9  # probability that two samples are together, or apart


class Answers(NamedTuple):
    """Pairs and labels, as positions of samples."""

    must_link: np.ndarray  # (pairs, 2)
    cannot_link: np.ndarray  # (pairs, 2)
    rows: np.ndarray = np.empty(0, dtype=np.int64)  # with a label
    classes: np.ndarray = np.empty(0, dtype=np.int64)  # of these rows

    @property
    def empty(self) -> bool:
        """Return True if there is no answer."""
        return not any(map(len, self))


class PairModel(NamedTuple):
    """Probabilities of the clusters of the samples."""

    probabilities: np.ndarray  # (n, k)
    weights: np.ndarray  # (e,), of the clusterings
    objective: float


@dataclass(frozen=True)
class PairSpace:
    """Samples as fits to pairs see them; it does not depend on the pairs."""

    features: np.ndarray  # (n, m)
    index: NeighborIndex

    @cached_property
    def walk(self) -> RandomWalk:
        """Return the walks to near samples."""
        return RandomWalk(scaled_graph(self.index), WALK_LENGTH)

    def memberships(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """Return the shares of the clusters near each sample (n x k).

        They are the mean of a sample's own cluster and of those at the end of a walk
        from it, so that its own one has the largest share, and estimated as posterior
        means with Jeffreys' prior from ``N_SEEN`` samples.
        """
        own = indicators(labels, n_clusters)
        shares = (own + np.maximum(self.walk.spread(own), 0.0)) / 2.0
        return (N_SEEN * shares + 0.5) / (N_SEEN + 0.5 * n_clusters)


def pair_graph(X, weights: np.ndarray, n_clusters: int) -> NeighborGraph:
    """Return the graph of samples with as many vectors as there are features of it."""
    n_vectors = min(VECTORS_PER_CLUSTER * n_clusters, max(X.shape[0] // 2, 1))
    return NeighborGraph(X, weights, n_vectors)


def make_pair_space(X, graph: NeighborGraph, kernel: Kernel) -> PairSpace:
    """Return the features of samples, by their graph and a radial kernel."""
    n_samples, weights = X.shape[0], graph.weights
    by_content = np.random.RandomState(0)
    size = min(N_LANDMARKS, max(n_samples // 2, 1))
    landmarks = np.sort(by_content.choice(n_samples, size, replace=False))
    radial = span_basis(kernel, X, kernel.take(X, landmarks))(X)
    radial -= weights @ radial / weights.sum()
    length = np.sqrt((radial**2).sum(axis=1).mean())
    radial *= RADIAL_LENGTH / max(length, np.finfo(float).tiny)
    on_graph = scale_rows(graph.vectors, GRAPH_LENGTH)
    return PairSpace(np.concatenate([on_graph, radial], axis=1), graph.index)


class _Silent(NamedTuple):
    """Samples without an answer, which hold the first clustering."""

    features: np.ndarray  # (n, m)
    offsets: np.ndarray  # (e, n, k)
    weights: np.ndarray  # (n,)

    def loss(self, totals: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the divergence from the first clustering, and its slopes."""
        default, logs = (log_softmax(one, axis=1) for one in (self.offsets[0], totals))
        shares = np.exp(default)
        value = np.vdot(self.weights[:, None] * shares, default - logs)
        return float(value), self.weights[:, None] * (np.exp(logs) - shares)


def fit_pairs(
    features: np.ndarray,
    scores: np.ndarray,
    answers: Answers,
    weights: np.ndarray | None = None,
) -> PairModel:
    """Fit the probabilities of the clusters to pairs and labels.

    The objective has local optima. The better one of two is returned: that from the
    prior, and that from the fit to clusters of the samples with answers which meet all
    of these. ``scores`` (e x n x k) are the logarithms of the memberships without
    pairs; the first clustering is the prior. ``weights`` are those of the samples.
    """
    rows, known = _only_concerned(answers)
    silent = _silent(features, scores, answers, weights)
    problem = _Problem(features[rows], scores[:, rows], silent)
    best = problem.solve(known, problem.prior)
    labels = _labels_that_meet(known, scores[0, rows])
    if labels is not None:
        none = np.empty((0, 2), dtype=np.int64)
        given = Answers(none, none, np.arange(len(rows)), labels)
        start = problem.solve(given, problem.prior, MAX_START_ITER).x
        best = min(best, problem.solve(known, start), key=lambda found: found.fun)
    of_clusterings, coefficients = problem.split(best.x)
    totals = np.tensordot(of_clusterings, scores, 1) + features @ coefficients
    probabilities = np.exp(log_softmax(totals, axis=1))
    return PairModel(probabilities, of_clusterings, -float(best.fun))


def _silent(
    features: np.ndarray,
    scores: np.ndarray,
    answers: Answers,
    weights: np.ndarray | None = None,
) -> _Silent:
    """Return some of the samples without an answer."""
    weights = np.ones(len(features)) if weights is None else weights
    others = np.setdiff1d(np.arange(len(features)), _only_concerned(answers)[0])
    some = others[draw_positions(len(others), MAX_SILENT, np.random.RandomState(0))]
    total = max(weights[some].sum(), np.finfo(float).tiny)
    shares = weights[some] * (N_DEFAULT + len(answers.rows)) / total
    return _Silent(features[some], scores[:, some], shares)


class _Problem:
    """The objective of the samples with answers, and of those without."""

    def __init__(
        self, features: np.ndarray, offsets: np.ndarray, silent: _Silent
    ) -> None:
        self.n_spoken = len(features)
        self.features = np.concatenate([features, silent.features])  # (n, m)
        self.offsets = np.concatenate([offsets, silent.offsets], axis=1)  # (e, n, k)
        self.silent = silent
        self.prior = np.zeros(len(offsets) + features.shape[1] * offsets.shape[2])
        self.prior[0] = 1.0

    def split(self, flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights of the clusterings and the coefficients of features."""
        e, _, k = self.offsets.shape
        return flat[:e], flat[e:].reshape(-1, k)

    def solve(
        self, answers: Answers, start: np.ndarray, max_iter: int = MAX_ITER
    ) -> OptimizeResult:
        """Return the optimum for some answers.

        Weights that would be negative are held at zero from then on. Bounds of L-BFGS
        would do the same, but with many clusters they take longer than all the rest.
        """
        held = np.zeros(len(self.offsets), dtype=bool)
        while True:
            found = minimize(
                self.loss,
                start,
                args=(answers, held),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": max_iter},
            )
            negative = np.flatnonzero(self.split(found.x)[0] < 0.0)
            if not len(negative):
                return found
            held[negative] = True
            start = found.x.copy()
            start[negative] = 0.0

    def loss(
        self, flat: np.ndarray, answers: Answers, held: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Return minus the objective, and its slopes, none for held weights."""
        weights, coefficients = self.split(flat)
        totals = np.tensordot(weights, self.offsets, 1) + self.features @ coefficients
        spoken = np.exp(log_softmax(totals[: self.n_spoken], axis=1))
        value, slopes = _answer_loss(spoken, answers)
        divergence, of_silent = self.silent.loss(totals[self.n_spoken :])
        slopes = np.concatenate([slopes, of_silent])
        change = flat - self.prior
        by_weights = np.tensordot(self.offsets, slopes, ([1, 2], [0, 1]))
        by_coefficients = (self.features.T @ slopes).ravel()
        gradient = change + np.concatenate([by_weights, by_coefficients])
        gradient[: len(held)][held] = 0.0
        return value + divergence + float(change @ change) / 2, gradient


def _labels_that_meet(answers: Answers, scores: np.ndarray) -> np.ndarray | None:
    """Return clusters with large scores that meet all answers, None if none are found.

    Equal samples that must not be together have none.
    """
    given = np.full(len(scores), -1)
    given[answers.rows] = answers.classes
    try:
        links = make_constraints(given, answers.must_link, answers.cannot_link)
        found = satisfy_constraints(sums_of_groups(scores, links), links)
    except ValueError:
        return None
    return found[links.groups]


def _only_concerned(answers: Answers) -> tuple[np.ndarray, Answers]:
    """Return the samples with an answer, and the answers as positions among them."""
    parts = (answers.must_link.ravel(), answers.cannot_link.ravel(), answers.rows)
    rows = np.unique(np.concatenate(parts)).astype(np.int64)
    must_link, cannot_link, labelled = (
        np.searchsorted(rows, one)
        for one in (answers.must_link, answers.cannot_link, answers.rows)
    )
    return rows, Answers(must_link, cannot_link, labelled, answers.classes)


def _answer_loss(
    probabilities: np.ndarray, answers: Answers
) -> tuple[float, np.ndarray]:
    """Return minus the log-probability of answers, and its slopes by the scores.

    With ``g_i`` the slopes by ``p_i``, those by the scores of the softmax are
    ``p_ih (g_ih - sum_l g_il p_il)``.
    """
    value, by_probability = 0.0, np.zeros_like(probabilities)
    for pairs, together in ((answers.must_link, True), (answers.cannot_link, False)):
        first, second = pairs[:, 0], pairs[:, 1]
        joint = np.einsum("nk,nk->n", probabilities[first], probabilities[second])
        joint = np.clip(joint, SMALLEST, 1.0 - SMALLEST)
        right = joint if together else 1.0 - joint
        value -= float(np.log(right).sum())
        slopes = ((-1.0 if together else 1.0) / right)[:, None]
        np.add.at(by_probability, first, slopes * probabilities[second])
        np.add.at(by_probability, second, slopes * probabilities[first])
    given = np.maximum(probabilities[answers.rows, answers.classes], SMALLEST)
    value -= float(np.log(given).sum())
    np.subtract.at(by_probability, (answers.rows, answers.classes), 1.0 / given)
    inner = np.einsum("nk,nk->n", by_probability, probabilities)
    return value, probabilities * (by_probability - inner[:, None])
