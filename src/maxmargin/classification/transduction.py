"""From given labels and pairwise constraints to the labels of all samples."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.clustering.candidates import (
    KERNEL_POWER,
    Candidate,
    Clusters,
    make_candidates,
)
from maxmargin.clustering.parameters import Options
from maxmargin.graph.inverse_smoother import graph_inverse
from maxmargin.kernels.degrees_of_freedom import auto_degrees, count_degrees
from maxmargin.rows.sample import Sample
from maxmargin.search.balance import assign_within_limits
from maxmargin.search.constrained import constrained_search
from maxmargin.search.constraints import (
    Constraints,
    make_constraints,
    satisfy_constraints,
    seed_labels,
    spread_labels,
)
from maxmargin.search.runs import default_starts
from maxmargin.search.state import SearchResult

# Degrees of freedom: some per label, because with more labels less has to be inferred
# from clusters; on the graph also a share of the samples, because classes need not be
# clusters.
SHARE_OF_SAMPLES = 0.05
DEGREES_PER_LABEL = 3


@dataclass(frozen=True)
class GivenLabels:
    """The given labels and pairwise constraints of all samples."""

    numbers: np.ndarray  # (n,), class of each sample, -1 if not given
    must_link: np.ndarray  # (pairs, 2)
    cannot_link: np.ndarray  # (pairs, 2)
    n_labelled: int  # classes that have a label: the first ones
    n_classes: int

    @property
    def empty(self) -> bool:
        """Return True if there is neither a label nor a pair."""
        return self.n_labelled + len(self.must_link) + len(self.cannot_link) == 0

    @property
    def concerned(self) -> np.ndarray:
        """Return a mask of the samples with a label or in a pair."""
        result = self.numbers >= 0
        result[self.must_link] = True
        result[self.cannot_link] = True
        return result

    def check(self, weights: np.ndarray) -> None:
        """Raise an error for contradictory constraints, with the user's row numbers."""
        given = (self.numbers >= 0) & (weights > 0)
        if len(np.unique(self.numbers[given])) < self.n_labelled:
            raise ValueError(
                "sample_weight is zero for all labels of some class: give one of them "
                "a positive weight, or drop the labels of that class."
            )
        make_constraints(self.numbers, self.must_link, self.cannot_link)

    def among(self, sample: Sample, weights: np.ndarray) -> Constraints:
        """Return the constraints of the distinct samples of a search."""
        inverse = sample.inverse
        given = np.flatnonzero((self.numbers >= 0) & (inverse >= 0))
        votes = np.zeros((len(sample.indices), self.n_classes))
        np.add.at(votes, (inverse[given], self.numbers[given]), weights[given])
        labels = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
        must_link, cannot_link = (
            pairs[(pairs >= 0).all(axis=1)]
            for pairs in (inverse[self.must_link], inverse[self.cannot_link])
        )
        return make_constraints(labels, must_link, cannot_link)

    def proportions(self, weights: np.ndarray) -> np.ndarray:
        """Return the proportions of the classes among the given labels."""
        if self.n_labelled < self.n_classes:
            raise ValueError(
                "balance='labels' needs a label of each class: give proportions, "
                "or 'free'."
            )
        given = self.numbers >= 0
        totals = np.bincount(
            self.numbers[given], weights[given], minlength=self.n_classes
        )
        return totals / totals.sum()


@dataclass(frozen=True)
class Transduction:
    """Samples, those to search on, the given labels, and the options."""

    X: Any
    weights: np.ndarray
    sample: Sample
    given: GivenLabels
    options: Options

    @cached_property
    def constraints(self) -> Constraints:
        """Return the constraints of the samples of the search."""
        self.given.check(self.weights)
        return self.given.among(self.sample, self.weights)

    @property
    def complete(self) -> bool:
        """Return True if each class has a label, so that labels only have to spread."""
        return self.given.n_labelled == self.given.n_classes

    def candidate(self, random: np.random.RandomState) -> Candidate:
        """Return the smoother to search on.

        If labels only spread, it is a fine one. If classes have to be found as well, it
        is the smoother of `MaxMarginClustering`.
        """
        sample, options = self.sample, self.options
        if self.complete:
            n_given = np.count_nonzero(self.constraints.fixed)
            of_labels = float(DEGREES_PER_LABEL * n_given)
            if options.kernel == "neighbors":
                degrees = self._degrees_on_graph(of_labels)
                samples = self.X[sample.indices]
                smoother = graph_inverse(samples, sample.weights, degrees)
                power = options.resolve_power(KERNEL_POWER)
                return Candidate(sample, smoother, power)
            options = replace(options, ridge=replace(options.ridge, max_auto=of_labels))
        return make_candidates(self.X, sample, options, random)[0]

    def _degrees_on_graph(self, of_labels: float) -> float:
        n_samples = len(self.sample.indices)
        degrees = self.options.ridge.degrees_of_freedom
        if not isinstance(degrees, str):
            return count_degrees(degrees, n_samples)
        return min(of_labels + SHARE_OF_SAMPLES * n_samples, auto_degrees(n_samples))

    def search(
        self, candidate: Candidate, random: np.random.RandomState
    ) -> SearchResult:
        """Return the best run on the smoother of a candidate."""
        sample, options, constraints = self.sample, self.options, self.constraints
        balance = options.balance_of(sample, self.weights, candidate.power)
        matrix = candidate.smoother.matrix()
        n_init = options.n_init
        if self.complete:
            n_init = 1
        elif isinstance(n_init, str):
            n_init = default_starts(len(sample.indices))
        runs = []
        for _ in range(n_init):
            if self.complete:
                preferences = spread_labels(matrix, constraints, options.n_clusters)
            else:
                preferences = seed_labels(
                    matrix, sample.weights, constraints, options.n_clusters, random
                )
            runs.append(
                constrained_search(
                    matrix,
                    sample.weights,
                    constraints,
                    satisfy_constraints(preferences, constraints),
                    balance,
                    random,
                    max_iter=options.max_iter,
                    on_iteration=options.on_iteration,
                )
            )
        return max(runs, key=lambda run: run.objective)

    def label_all(self, clusters: Clusters) -> np.ndarray:
        """Return the labels of all samples, with the given ones kept."""
        inverse, given, model = self.sample.inverse, self.given, clusters.model
        labels: np.ndarray = clusters.labels[inverse]
        left_out = np.flatnonzero(inverse < 0)
        if len(left_out):
            labels[left_out] = model.label(self.X[left_out])
        labelled = given.numbers >= 0
        labels[labelled] = given.numbers[labelled]
        balance = self.options.make_balance(self.weights, KERNEL_POWER)
        if balance.bounded and not self.sample.complete:
            decisions = model.decide(self.X)
            held = np.flatnonzero(given.concerned)
            decisions[held, labels[held]] = np.inf
            labels = assign_within_limits(decisions, self.weights, balance.limits)
        return labels
