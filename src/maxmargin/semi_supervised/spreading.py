"""Labels that spread to all samples, by several notions of similarity.

The probabilities that the `evidence` of given labels gives to all samples are labels
themselves, soft ones: in a second round they spread along the graph together with the
given ones,

    f_h = F p_h / (sum_i w_i p_ih)^q,

with the walks ``F`` of `random_walk`. A sample gets the class with the largest value.
The division by the size of the class is that of the objective of clustering.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from maxmargin.engine.candidates import GRAPH_OBJECTIVE
from maxmargin.engine.options import Options
from maxmargin.search.constraints import (
    Constraints,
    satisfy_constraints,
    sums_of_groups,
)
from maxmargin.semi_supervised.evidence import (
    MAX_LEFT_OUT,
    PRIOR_LABELS,
    Evidence,
    KnownLabels,
    combine,
    fit_weights,
    graph_evidence,
    kernel_evidence,
)
from maxmargin.semi_supervised.random_walk import RandomWalk
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.neighbor_index import NeighborIndex
from maxmargin.smoothers.scaled_graph import scaled_graph

# Walks have so many steps for each sample per label, within these limits.
STEPS_PER_SAMPLE = 2.0
SHORTEST_WALK, LONGEST_WALK = 5.0, 100.0
# The radial kernels: the factor of gamma, and the ridge parameter. The wide one is
# close to a polynomial of low degree.
RADIAL = ((2.0, 0.1), (0.5, 0.01))
MAX_LABELS = 1000  # labels to fit with a radial kernel
# The weights before any label is left out: those of the graph and the radial kernels.
PRIOR_WEIGHTS = np.array([1.0, 0.1, 0.1])
MAX_SHARPNESS = 4.0  # bound of the exponent of calibrated probabilities, as a factor


@dataclass(frozen=True)
class SpreadLabels:
    """Probabilities of the classes of all samples.

    ``scores`` have the largest value at the class of a sample and add up to one;
    ``sharpness`` is the power of them that is calibrated.
    """

    scores: np.ndarray  # (n, k)
    sharpness: float
    weights: np.ndarray  # of the evidence of the graph and the radial kernels
    fit: float  # mean log-probability of labels left out


@dataclass(frozen=True)
class Spreading:
    """Samples, and what is needed to spread labels among them."""

    X: Any
    weights: np.ndarray
    index: NeighborIndex
    kernel: Kernel  # radial
    walk: RandomWalk

    @cached_property
    def kernels(self) -> list[tuple[Kernel, float]]:
        """Return the radial kernels with their ridge parameters."""
        gamma = self.kernel.parameters.get("gamma", 1.0 / self.X.shape[1])
        return [
            (
                replace(
                    self.kernel,
                    parameters={**self.kernel.parameters, "gamma": factor * gamma},
                ),
                ridge,
            )
            for factor, ridge in RADIAL
        ]

    def run(self, labels: KnownLabels) -> SpreadLabels:
        """Spread labels to all samples."""
        few = labels.first(MAX_LABELS)
        kept = few.repeated & (few.ranks() < max(1, MAX_LEFT_OUT // labels.n_classes))
        evidence = self._evidence(labels, few, np.flatnonzero(kept))
        weights, fit = fit_weights(evidence, few.classes[kept], PRIOR_WEIGHTS)
        scores = self.second_round(combine(evidence, weights), labels)
        return SpreadLabels(scores, self._sharpness(labels, weights), weights, fit)

    def second_round(
        self, probabilities: np.ndarray, labels: KnownLabels
    ) -> np.ndarray:
        """Return the scores after soft labels have spread with the given ones."""
        probabilities[labels.rows] = labels.targets
        # A class may have no sample at all if all samples have labels.
        sizes = np.maximum(self.weights @ probabilities, np.finfo(float).tiny)
        reached = self.walk.spread(probabilities / sizes**GRAPH_OBJECTIVE.power)
        reached = np.maximum(reached, np.finfo(float).tiny)
        return reached / reached.sum(axis=1, keepdims=True)

    def _evidence(
        self, labels: KnownLabels, few: KnownLabels, some: np.ndarray
    ) -> list[Evidence]:
        """Return the evidence of labels on the graph, and of few for the kernels.

        ``some`` are the positions among the few of those that are left out.
        """
        among_all = np.flatnonzero(np.isin(labels.rows, few.rows[some]))
        return [
            graph_evidence(self.walk, labels, len(self.weights), among_all),
            *(kernel_evidence(*one, self.X, few, some) for one in self.kernels),
        ]

    def _sharpness(self, labels: KnownLabels, weights: np.ndarray) -> float:
        """Return the power of the scores for which labels left out are most probable.

        Each half of the labels is predicted from the other half. The power has a prior:
        its logarithm is 0, up to about the root of 1 over ``PRIOR_LABELS``.
        """
        half = labels.ranks() % 2 == 1
        if not half.any():
            return 1.0
        logs, classes = [], []
        for known in (~half, half):
            given = labels.take(np.flatnonzero(known))
            if len(np.unique(given.classes)) < labels.n_classes:
                continue
            few, nothing = given.first(MAX_LABELS), np.empty(0, dtype=np.int64)
            evidence = self._evidence(given, few, nothing)
            scores = self.second_round(combine(evidence, weights), given)
            others = labels.take(np.flatnonzero(~known))
            logs.append(np.log(scores[others.rows]))
            classes.append(others.classes)
        if not logs:
            return 1.0
        return _best_power(np.concatenate(logs), np.concatenate(classes))


def spread_to_all(
    X, weights: np.ndarray, constraints: Constraints, n_classes: int, options: Options
) -> tuple[np.ndarray, SpreadLabels, Spreading]:
    """Return labels of all samples, of which some are given, that meet constraints.

    The classes of samples in pairs, chosen within the constraints, are labels in a
    further round, so that a pair reaches the neighbours of its samples.
    """
    given = constraints.labels[constraints.groups]
    rows = np.flatnonzero(given >= 0)
    labels = KnownLabels(rows, given[rows], weights[rows], n_classes)
    kernel = options.make_kernel(X, np.random.RandomState(0))
    spreading = make_spreading(X, weights, kernel, len(rows))
    result = spreading.run(labels)
    classes = choose_classes(result.scores, constraints)
    paired = constraints.tied | constraints.linked
    if paired.any():
        taught = np.flatnonzero((given >= 0) | paired[constraints.groups])
        labels = KnownLabels(taught, classes[taught], weights[taught], n_classes)
        scores = spreading.second_round(result.scores, labels)
        result = replace(result, scores=scores)
        classes = choose_classes(scores, constraints)
    return classes, result, spreading


def choose_classes(scores: np.ndarray, constraints: Constraints) -> np.ndarray:
    """Return the most probable class of each sample within the constraints."""
    preferences = sums_of_groups(np.log(scores), constraints)
    return satisfy_constraints(preferences, constraints)[constraints.groups]


def make_spreading(X, weights: np.ndarray, kernel: Kernel, n_labels: int) -> Spreading:
    """Return what is needed to spread labels among samples X."""
    index = NeighborIndex(X)
    length = STEPS_PER_SAMPLE * X.shape[0] / n_labels
    length = float(np.clip(length, SHORTEST_WALK, LONGEST_WALK))
    walk = RandomWalk(scaled_graph(index), length)
    return Spreading(X, weights, index, kernel, walk)


def _best_power(logs: np.ndarray, classes: np.ndarray) -> float:
    """Return the power of probabilities that makes the classes most probable."""
    labels = np.arange(len(classes))

    def loss(log_power: float) -> float:
        scaled = np.exp(log_power) * logs
        scaled -= scaled.max(axis=1, keepdims=True)
        total = np.log(np.exp(scaled).sum(axis=1))
        fit = (scaled[labels, classes] - total).sum()
        return float(-fit + PRIOR_LABELS / 2 * log_power**2)

    limit = np.log(MAX_SHARPNESS)
    best = minimize_scalar(loss, bounds=(-limit, limit), method="bounded").x
    return float(np.exp(best))
