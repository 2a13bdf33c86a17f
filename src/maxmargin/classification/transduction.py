"""From given labels and links to labels of all samples: one fit, without its names."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.clustering.candidates import KERNEL_POWER, Candidate, Similarity
from maxmargin.clustering.model import MarginModel
from maxmargin.kernels.degrees_of_freedom import auto_degrees, count_degrees
from maxmargin.kernels.graph_inverse import graph_inverse
from maxmargin.kernels.sample import Sample
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance, make_balance
from maxmargin.search.constrained import constrained_search
from maxmargin.search.links import Links, join_links, meet_links
from maxmargin.search.restarts import default_starts
from maxmargin.search.result import OnIteration, SearchResult
from maxmargin.search.spreading import seed_labels, spread_labels

# Degrees of freedom: some for each label, because the more labels there are the less
# has to be guessed from clusters; on the graph a share of the samples besides, because
# classes need not be clusters.
SHARE_OF_SAMPLES = 0.05
DEGREES_PER_LABEL = 3


@dataclass(frozen=True)
class Knowledge:
    """What is known of the labels of all samples."""

    numbers: np.ndarray  # (n,), class of each sample, -1 where not known
    must_link: np.ndarray  # (pairs, 2)
    cannot_link: np.ndarray  # (pairs, 2)
    n_known: int  # classes that have a label: the first ones
    n_classes: int

    @property
    def nothing(self) -> bool:
        """Tell whether there is neither label nor link."""
        return self.n_known + len(self.must_link) + len(self.cannot_link) == 0

    @property
    def concerned(self) -> np.ndarray:
        """Tell which samples have a label or a link."""
        result = self.numbers >= 0
        result[self.must_link] = True
        result[self.cannot_link] = True
        return result

    def check(self, weights: np.ndarray) -> None:
        """Refuse wishes that contradict each other, by the numbers the user knows."""
        given = (self.numbers >= 0) & (weights > 0)
        if len(np.unique(self.numbers[given])) < self.n_known:
            raise ValueError(
                "sample_weight is zero for all labels of some class: give one of them "
                "weight, or drop the labels of that class."
            )
        join_links(self.numbers, self.must_link, self.cannot_link)

    def among(self, sample: Sample, weights: np.ndarray) -> Links:
        """Return the labels and links of the samples that a search works on."""
        given = np.flatnonzero((self.numbers >= 0) & (sample.inverse >= 0))
        votes = np.zeros((len(sample.indices), self.n_classes))
        np.add.at(votes, (sample.inverse[given], self.numbers[given]), weights[given])
        labels = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
        must_link, cannot_link = (
            pairs[(pairs >= 0).all(axis=1)]
            for pairs in (
                sample.inverse[self.must_link],
                sample.inverse[self.cannot_link],
            )
        )
        return join_links(labels, must_link, cannot_link)


@dataclass(frozen=True)
class Transduction:
    """Samples, the ones of them to search on, and what is known of the labels."""

    X: Any
    weights: np.ndarray
    sample: Sample
    knowledge: Knowledge
    balance: Any

    @cached_property
    def links(self) -> Links:
        """Return the labels and links of the samples that the search works on."""
        self.knowledge.check(self.weights)
        return self.knowledge.among(self.sample, self.weights)

    @property
    def complete(self) -> bool:
        """Tell whether each class has a label, so that labels only have to spread."""
        return self.knowledge.n_known == self.knowledge.n_classes

    def candidate(
        self, similarity: Similarity, random: np.random.RandomState, n_threads: int
    ) -> Candidate:
        """Return the smoother to search on.

        Where labels only spread, it is a fine one. Where classes have to be found as
        well, it is the one that clusters are found with.
        """
        sample, n_classes = self.sample, self.knowledge.n_classes
        if self.complete:
            of_labels = float(DEGREES_PER_LABEL * np.count_nonzero(self.links.fixed))
            if similarity.kernel == "neighbors":
                wish = similarity.ridge.degrees_of_freedom
                degrees = self._degrees_on_graph(wish, of_labels)
                samples = self.X[sample.indices]
                smoother = graph_inverse(samples, sample.weights, degrees, n_threads)
                return Candidate(sample, smoother, KERNEL_POWER)
            ridge = replace(similarity.ridge, at_most=of_labels)
            similarity = replace(similarity, ridge=ridge)
        return similarity.candidates(self.X, sample, n_classes, random, n_threads)[0]

    def _degrees_on_graph(self, wish: float | str, of_labels: float) -> float:
        n_samples = len(self.sample.indices)
        if not isinstance(wish, str):
            return count_degrees(wish, n_samples)
        return min(of_labels + SHARE_OF_SAMPLES * n_samples, auto_degrees(n_samples))

    def search(
        self,
        candidate: Candidate,
        random: np.random.RandomState,
        *,
        n_init: int | None,
        max_iter: int,
        on_iteration: OnIteration | None,
    ) -> SearchResult:
        """Return the best run on the smoother of a candidate."""
        sample, n_classes = candidate.sample, self.knowledge.n_classes
        links = self.links
        balance = self._balance(candidate.power)
        if not sample.complete:
            balance = balance.scaled(sample.weights.sum() / self.weights.sum())
        matrix = candidate.smoother.matrix()
        if self.complete:
            n_init = 1
        elif n_init is None:
            n_init = default_starts(len(sample.indices))
        runs = []
        for _ in range(n_init):
            if self.complete:
                preferences = spread_labels(matrix, links, n_classes)
            else:
                preferences = seed_labels(
                    matrix, sample.weights, links, n_classes, random
                )
            runs.append(
                constrained_search(
                    matrix,
                    sample.weights,
                    links,
                    meet_links(preferences, links),
                    balance,
                    random,
                    max_iter=max_iter,
                    on_iteration=on_iteration,
                )
            )
        return max(runs, key=lambda run: run.objective)

    def label_all(
        self, found: np.ndarray, model: MarginModel, n_threads: int
    ) -> np.ndarray:
        """Extend the labels of the searched samples to all; given ones stay."""
        inverse, knowledge = self.sample.inverse, self.knowledge
        labels: np.ndarray = found[inverse]
        left_out = np.flatnonzero(inverse < 0)
        balance = self._balance(KERNEL_POWER)
        if len(left_out):
            decisions = model.decide(self.X[left_out], n_threads)
            labels[left_out] = decisions.argmax(axis=1)
        given = knowledge.numbers >= 0
        labels[given] = knowledge.numbers[given]
        if balance.bounded and not self.sample.complete:
            decisions = model.decide(self.X, n_threads)
            held = np.flatnonzero(knowledge.concerned)
            decisions[held, labels[held]] = np.inf
            labels = assign_within_limits(decisions, self.weights, balance.limits)
        return labels

    def _balance(self, power: float) -> Balance:
        """Return the balance for the samples that have weight."""
        wish, knowledge = self.balance, self.knowledge
        if isinstance(wish, str) and wish == "labels":
            given = knowledge.numbers >= 0
            if not self.complete:
                raise ValueError(
                    "balance='labels' needs a label of each class: give proportions, "
                    "or 'free'."
                )
            totals = np.bincount(
                knowledge.numbers[given],
                self.weights[given],
                minlength=knowledge.n_classes,
            )
            wish = totals / totals.sum()
        complete = self.sample.complete
        counted = self.sample.weights if complete else self.weights[self.weights > 0]
        return make_balance(wish, knowledge.n_classes, counted, power)
