"""Labels and pairs of some samples become labels of all."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from maxmargin.engine.candidates import KERNEL_OBJECTIVE, Candidate, make_candidates
from maxmargin.engine.choice import find_clusters
from maxmargin.engine.model import MarginModel
from maxmargin.engine.options import Options
from maxmargin.rows.sample import Sample, indicators, normalise_weights
from maxmargin.search.constrained import constrained_search
from maxmargin.search.constraints import (
    Constraints,
    satisfy_constraints,
    seed_labels,
    spread_labels,
    sums_of_groups,
)
from maxmargin.search.placement import place_within_limits
from maxmargin.search.runs import best_start, default_starts
from maxmargin.search.state import OnIteration, SearchResult
from maxmargin.semi_supervised.given_labels import GivenLabels
from maxmargin.semi_supervised.pair_model import Answers
from maxmargin.semi_supervised.prior import PairPrior
from maxmargin.semi_supervised.spreading import spread_to_all
from maxmargin.smoothers.degrees_of_freedom import Ridge, auto_degrees, count_degrees
from maxmargin.smoothers.landmarks import Landmarks, make_smoother
from maxmargin.smoothers.scaled_graph import GraphInverse, NeighborWeights

# Degrees of freedom: some per label, because with more labels less has to be inferred
# from clusters; on the graph also a share of the samples, because classes need not be
# clusters.
SHARE_OF_SAMPLES = 0.05
DEGREES_PER_LABEL = 3


@dataclass(frozen=True)
class Found:
    """The classes that were found for all samples, and their model."""

    labels: np.ndarray  # (n,)
    run: SearchResult  # with the labels of the samples that were searched
    model: MarginModel
    degrees_of_freedom: float
    sharpness: float | None = None  # power of decision values that is a probability
    probabilities: np.ndarray | None = None  # (n, k)


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

    def spread(self) -> Found:
        """Spread the given labels, by the similarities that predict them best."""
        X, weights = self.X[self.sample.indices], self.sample.weights
        weights = normalise_weights(weights, len(weights))
        n_classes = self.given.n_classes
        chosen, result, spreading = spread_to_all(
            X, weights, self.constraints, n_classes, self.options
        )
        run = SearchResult(chosen, result.fit, (result.fit,), 0, True)
        features = NeighborWeights(spreading.index)
        model = MarginModel(features, result.scores, np.zeros(n_classes))
        labels = self._label_all(chosen, model)
        scores = np.empty((len(labels), n_classes))
        inverse = self.sample.inverse
        known = inverse >= 0
        scores[known] = result.scores[inverse[known]]
        scores[~known] = model.decide(self.X[np.flatnonzero(~known)])
        scores = np.maximum(scores, np.finfo(float).tiny)
        labels = self._within_limits(labels, np.log(scores))
        degrees, sharpness = spreading.walk.trace(), result.sharpness
        probabilities = sharpen(scores, sharpness)
        return Found(labels, run, model, degrees, sharpness, probabilities)

    def correct(self, prior: PairPrior, odds: float) -> Found:
        """Change the clusters of the start where labels and pairs contradict them.

        A sample that has no label and is in no pair leaves its cluster if another one
        is ``odds`` times as probable. Rows follow the sample that represents them if it
        changes its cluster, and if they were in the same one.
        """
        given, nearest, start = self.given, prior.nearest, self.given.start
        assert start is not None
        own = start[self.sample.indices]
        labelled = np.flatnonzero(given.numbers >= 0)
        answers = Answers(
            nearest[given.must_link],
            nearest[given.cannot_link],
            nearest[labelled],
            given.numbers[labelled],
        )
        result = prior.correct(own, answers)
        scores = np.maximum(result.probabilities, np.finfo(float).tiny)
        if not answers.empty:
            others = np.setdiff1d(np.arange(len(own)), nearest[given.concerned])
            scores[others, own[others]] *= odds
            scores /= scores.sum(axis=1, keepdims=True)
        chosen = scores.argmax(axis=1)
        follows = (chosen != own)[nearest] & (start == own[nearest])
        labels = np.where(follows, chosen[nearest], start)
        implied = given.implied
        labels[implied >= 0] = implied[implied >= 0]
        logs = np.log(scores)[nearest]
        self._keep_links(labels, logs[given.linked_rows], given.links.labels)
        labels = self._within_limits(labels, logs)
        run = SearchResult(chosen, result.objective, (result.objective,), 0, True)
        features = NeighborWeights(prior.space.index)
        model = MarginModel(features, scores, np.zeros(given.n_classes))
        degrees = float(prior.space.features.shape[1])
        return Found(labels, run, model, degrees, 1.0, scores[nearest])

    def search(
        self, random: np.random.RandomState, make_inverse: Callable[..., GraphInverse]
    ) -> Found:
        """Search for the labels on one smoother."""
        clusters = find_clusters(
            self.X,
            self.sample,
            self.options,
            [self.candidate(random, make_inverse)],
            partial(self.best_run, random=random),
            relabel=False,
        )
        run, model = clusters.run, clusters.model
        labels = self._label_all(run.labels, model)
        if not self.sample.complete:
            labels = self._within_limits(labels, model.decide(self.X))
        degrees = clusters.candidate.smoother.degrees_of_freedom
        return Found(labels, run, model, degrees)

    def candidate(
        self, random: np.random.RandomState, make_inverse: Callable[..., GraphInverse]
    ) -> Candidate:
        """Return the smoother to search on.

        If labels only spread, it is a fine one. If classes have to be found as well, it
        is the smoother of `MaxMarginClustering`.
        """
        sample, options = self.sample, self.options
        if not self.given.complete:
            return make_candidates(self.X, sample, options, random)[0]
        constraints, samples = self.constraints, self.X[sample.indices]
        n_given = np.count_nonzero(constraints.fixed[constraints.groups])
        of_labels = float(DEGREES_PER_LABEL * n_given)
        if options.similarity.graph:
            degrees = self._degrees_on_graph(of_labels)
            inverse = make_inverse(samples, sample.weights, degrees)
            return Candidate(sample, inverse, KERNEL_OBJECTIVE)
        kernel = options.make_kernel(samples, random)
        ridge = Ridge(None, options.degrees_of_freedom, of_labels)
        smoother = make_smoother(self.X, sample, kernel, ridge, Landmarks(), random)
        return Candidate(sample, smoother, KERNEL_OBJECTIVE)

    def _degrees_on_graph(self, of_labels: float) -> float:
        n_samples = len(self.sample.indices)
        degrees = self.options.degrees_of_freedom
        if not isinstance(degrees, str):
            return count_degrees(degrees, n_samples)
        return min(of_labels + SHARE_OF_SAMPLES * n_samples, auto_degrees(n_samples))

    def best_run(
        self, candidate: Candidate, random: np.random.RandomState
    ) -> SearchResult:
        """Return the best run on the smoother of a candidate."""
        options, constraints = self.options, self.constraints
        weights, start = self.sample.weights, self.given.start
        balance = options.balance_of(self.sample, self.weights, candidate.objective)
        matrix, k = candidate.smoother.matrix(), options.n_clusters
        totals = np.bincount(constraints.groups, weights, len(constraints.labels))
        one_start = self.given.complete or start is not None
        n_init = 1 if one_start else options.n_init
        if isinstance(n_init, str):
            n_init = default_starts(len(weights))

        def one(_: int, report: OnIteration | None) -> SearchResult:
            if start is not None:
                own = indicators(start[self.sample.indices], k)
                preferences = sums_of_groups(own * weights[:, None], constraints)
            elif self.given.complete:
                preferences = spread_labels(matrix, constraints, k)
            else:
                preferences = seed_labels(matrix, weights, constraints, k, random)
            labels = satisfy_constraints(preferences, constraints)
            if balance.bounded and constraints.bound.any():
                labels = place_within_limits(
                    labels, preferences, constraints, totals, balance.limits
                )
            return constrained_search(
                *(matrix, weights, constraints, labels, balance, random),
                on_iteration=report,
            )

        single, report = n_init == 1, options.on_iteration
        best: SearchResult = best_start(one, range(n_init), single, report)
        return best

    def _label_all(self, of_sample: np.ndarray, model: MarginModel) -> np.ndarray:
        """Return the labels of all samples; given labels and links are kept."""
        sample, given = self.sample, self.given
        labels = np.full(sample.n_rows, -1, dtype=np.int64)
        labels[sample.rows] = of_sample[sample.groups]
        others = np.flatnonzero(labels < 0)
        if len(others):
            labels[others] = model.label(self.X[others])
        labels[given.implied >= 0] = given.implied[given.implied >= 0]
        rows = given.linked_rows
        if len(rows):
            links = given.links
            known = links.labels.copy()
            searched = (sample.inverse[rows] >= 0) & (known[links.groups] < 0)
            known[links.groups[searched]] = labels[rows[searched]]
            self._keep_links(labels, model.decide(self.X[rows]), known)
        return labels

    def _keep_links(
        self, labels: np.ndarray, preferences: np.ndarray, known: np.ndarray
    ) -> None:
        """Label the samples in pairs as their links demand, in place.

        ``known`` are the labels of groups of linked samples that stay.
        """
        links = self.given.links._replace(labels=known)
        found = satisfy_constraints(sums_of_groups(preferences, links), links)
        labels[self.given.linked_rows] = found[links.groups]

    def _within_limits(self, labels: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return labels within the size limits.

        Samples with a label stay, and those in a pair if possible; the others get
        clusters by their values.
        """
        balance = self.options.make_balance(self.weights, KERNEL_OBJECTIVE)
        if self.options.free or not balance.bounded:
            return labels
        constraints, weights = self.given.of_all, self.weights
        groups, n_groups = constraints.groups, len(constraints.labels)
        of_groups = np.zeros(n_groups, dtype=np.int64)
        of_groups[groups] = labels
        totals = np.bincount(groups, weights, minlength=n_groups)
        values = sums_of_groups(values, constraints)
        found = place_within_limits(
            of_groups, values, constraints, totals, balance.limits
        )
        return found[groups]


def sharpen(scores: np.ndarray, sharpness: float) -> np.ndarray:
    """Return positive scores as probabilities."""
    powers = np.maximum(scores, np.finfo(float).tiny) ** sharpness
    return powers / powers.sum(axis=1, keepdims=True)
