"""Labels and pairs of some samples become labels of all."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from maxmargin.engine.candidates import (
    KERNEL_POWER,
    Candidate,
    find_clusters,
    make_candidates,
)
from maxmargin.engine.fit import label_by_sample
from maxmargin.engine.model import MarginModel
from maxmargin.engine.options import Options, is_free
from maxmargin.published.search.claiming import claim_labels
from maxmargin.rows.sample import Sample, normalise_weights
from maxmargin.search.constrained import constrained_search
from maxmargin.search.constraints import (
    Constraints,
    satisfy_constraints,
    seed_labels,
    spread_labels,
    sums_of_groups,
)
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.runs import best_start, default_starts
from maxmargin.search.state import OnIteration, SearchResult
from maxmargin.semi_supervised.given_labels import GivenLabels
from maxmargin.semi_supervised.pair_model import (
    Answers,
    PairSpace,
    fit_pairs,
    make_pair_space,
    pair_graph,
)
from maxmargin.semi_supervised.spreading import choose_classes, spread_to_all
from maxmargin.smoothers.degrees_of_freedom import auto_degrees, count_degrees
from maxmargin.smoothers.inverse_smoother import GraphInverse, graph_inverse
from maxmargin.smoothers.neighbor_features import NeighborWeights

# Degrees of freedom: some per label, because with more labels less has to be inferred
# from clusters; on the graph also a share of the samples, because classes need not be
# clusters.
SHARE_OF_SAMPLES = 0.05
DEGREES_PER_LABEL = 3


def labels_choose(estimator) -> bool:
    """Return True if options leave the choice of the similarity to the labels."""
    return (
        estimator.kernel == "auto"
        and estimator.search == "spread"
        and is_free(estimator.balance)
        and estimator.alpha is None
        and isinstance(estimator.degrees_of_freedom, str)
    )


@dataclass(frozen=True)
class Found:
    """The labels that were found for the samples of a search, and their model."""

    run: SearchResult
    model: MarginModel
    alpha: float
    degrees_of_freedom: float
    sharpness: float | None = None  # of the decision values as probabilities


@dataclass(frozen=True)
class PairPrior:
    """What pairs are fitted with, which does not depend on them."""

    space: PairSpace
    scores: np.ndarray  # (e, n, k), of clusterings without pairs


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

    def spread(self) -> Found:
        """Spread the given labels, by the similarities that predict them best."""
        X, weights = self.X[self.sample.indices], self.sample.weights
        weights = normalise_weights(weights, len(weights))
        n_classes = self.given.n_classes
        labels, result, spreading = spread_to_all(
            X, weights, self.constraints, n_classes, self.options
        )
        run = SearchResult(labels, result.fit, (result.fit,), 0, True)
        features = NeighborWeights(spreading.index)
        model = MarginModel(features, result.scores, np.zeros(n_classes))
        walk = spreading.walk
        return Found(run, model, walk.length, walk.trace(), result.sharpness)

    def make_prior(self, clusterings: list[np.ndarray]) -> PairPrior:
        """Return what pairs are fitted with, given some clusterings of the samples."""
        X, weights = self.X[self.sample.indices], self.sample.weights
        weights = normalise_weights(weights, len(weights))
        n_classes = self.given.n_classes
        kernel = self.options.make_kernel(X, np.random.RandomState(0))
        space = make_pair_space(X, pair_graph(X, weights, n_classes), kernel)
        return PairPrior(space, space.scores(clusterings, n_classes, weights))

    def teach(self, prior: PairPrior) -> Found:
        """Fit clusters to the pairs."""
        constraints, inverse = self.constraints, self.sample.inverse
        pairs = [inverse[one] for one in (self.given.must_link, self.given.cannot_link)]
        pairs = [one[(one >= 0).all(axis=1)] for one in pairs]
        space = prior.space
        result = fit_pairs(space.features, prior.scores, Answers(*pairs))
        scores = np.maximum(result.probabilities, np.finfo(float).tiny)
        labels = choose_classes(scores, constraints)
        run = SearchResult(labels, result.objective, (result.objective,), 0, True)
        offsets = np.zeros(self.given.n_classes)
        model = MarginModel(NeighborWeights(space.index), scores, offsets)
        return Found(run, model, 1.0, space.features.shape[1], 1.0)

    def find(
        self,
        random: np.random.RandomState,
        make_smoother: Callable[..., GraphInverse] = graph_inverse,
    ) -> Found:
        """Search for the labels on one smoother."""
        clusters = find_clusters(
            self.X,
            self.sample,
            self.options,
            [self.candidate(random, make_smoother)],
            partial(self.search, random=random),
            relabel=False,
        )
        smoother = clusters.candidate.smoother
        degrees = smoother.degrees_of_freedom
        return Found(clusters.run, clusters.model, smoother.alpha, degrees)

    def candidate(
        self, random: np.random.RandomState, make_smoother: Callable[..., GraphInverse]
    ) -> Candidate:
        """Return the smoother to search on.

        If labels only spread, it is a fine one. If classes have to be found as well, it
        is the smoother of `MaxMarginClustering`.
        """
        sample, options = self.sample, self.options
        if self.complete:
            constraints = self.constraints
            n_given = np.count_nonzero(constraints.fixed[constraints.groups])
            of_labels = float(DEGREES_PER_LABEL * n_given)
            if options.kernel in ("auto", "neighbors"):
                degrees = self._degrees_on_graph(of_labels)
                samples = self.X[sample.indices]
                smoother = make_smoother(samples, sample.weights, degrees)
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
        options, constraints, weights = (
            self.options,
            self.constraints,
            self.sample.weights,
        )
        balance = options.balance_of(self.sample, self.weights, candidate.power)
        matrix, k = candidate.smoother.matrix(), options.n_clusters
        n_init = 1 if self.complete else options.n_init
        if isinstance(n_init, str):
            n_init = default_starts(len(weights))

        def one(_: int, report: OnIteration | None) -> SearchResult:
            if options.search == "claim":
                preferences = claim_labels(matrix, weights, constraints, balance)
            elif self.complete:
                preferences = spread_labels(matrix, constraints, k)
            else:
                preferences = seed_labels(matrix, weights, constraints, k, random)
            return constrained_search(
                matrix,
                weights,
                constraints,
                satisfy_constraints(preferences, constraints),
                balance,
                random,
                max_iter=options.max_iter,
                on_iteration=report,
            )

        single, report = n_init == 1, options.on_iteration
        best: SearchResult = best_start(one, range(n_init), single, report)
        return best

    def label_all(self, of_sample: np.ndarray, model: MarginModel) -> np.ndarray:
        """Return the labels of all samples; given labels and links are kept."""
        labels = label_by_sample(self.sample, of_sample, model, self.X)
        classes = self.given.implied
        labels[classes >= 0] = classes[classes >= 0]
        if len(self.given.linked_rows):
            self._keep_links(labels, model)
        balance = self.options.make_balance(self.weights, KERNEL_POWER)
        if balance.bounded and not self.sample.complete:
            decisions = model.decide(self.X)
            held = np.flatnonzero(self.given.concerned)
            decisions[held, labels[held]] = np.inf
            labels = assign_within_limits(decisions, self.weights, balance.limits)
        return labels

    def _keep_links(self, labels: np.ndarray, model: MarginModel) -> None:
        """Label the samples in pairs that were not searched as their links demand."""
        rows, links = self.given.linked_rows, self.given.links
        known = links.labels.copy()
        found = (self.sample.inverse[rows] >= 0) & (known[links.groups] < 0)
        known[links.groups[found]] = labels[rows[found]]
        decisions = model.decide(self.X[rows])
        of_groups = satisfy_constraints(
            sums_of_groups(decisions, links), links._replace(labels=known)
        )
        labels[rows] = of_groups[links.groups]
