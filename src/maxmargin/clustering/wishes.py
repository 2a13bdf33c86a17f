"""What the user says of sizes and search, and the search and labels that follow."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.clustering.candidates import KERNEL_POWER, Candidate
from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import check_init
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance, make_balance
from maxmargin.search.relocation import relocate_centers
from maxmargin.search.restarts import best_of_restarts
from maxmargin.search.result import OnIteration, SearchResult


@dataclass(frozen=True)
class Wishes:
    """Parameters of an estimator that concern sizes and search, as they were given."""

    n_clusters: int
    balance: Any
    search: str
    init: Any
    n_init: int | str
    max_iter: int
    n_jobs: int | None
    on_iteration: OnIteration | None

    def silent(self) -> bool:
        """Tell whether nothing was said: any good search will do."""
        said = (self.balance, self.search, self.init, self.n_init)
        return all(
            isinstance(value, str) and value == default
            for value, default in zip(said, ("free", *["auto"] * 3), strict=True)
        )

    def search_on(
        self, candidate: Candidate, weights: np.ndarray, random: np.random.RandomState
    ) -> SearchResult:
        """Return the best run on the smoother of a candidate."""
        sample, smoother = candidate.sample, candidate.smoother
        plain = self.silent() and candidate.power == 1.0
        if plain and isinstance(smoother, LowRankSmoother):
            return relocate_centers(
                smoother.features,
                sample.weights,
                self.n_clusters,
                random,
                relocate=candidate.thorough,
                max_iter=self.max_iter,
                on_iteration=self.on_iteration,
            )
        counted = sample.weights if sample.complete else weights
        balance = self.make_balance(counted, candidate.power)
        if not sample.complete:
            balance = balance.scaled(sample.weights.sum() / weights.sum())
        return best_of_restarts(
            smoother.matrix(),
            sample.weights,
            balance,
            init=check_init(self.init, self.n_clusters, sample),
            n_init=None if isinstance(self.n_init, str) else self.n_init,
            search=self.search,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            random_state=random,
            on_iteration=self.on_iteration,
        )

    def label_all(
        self, X, weights: np.ndarray, model: MarginModel, n_threads: int
    ) -> np.ndarray:
        """Return the labels of all samples, within the limits of their sizes."""
        balance = self.make_balance(weights, KERNEL_POWER)
        if balance.bounded:
            decisions = model.decide(X, n_threads)
            return assign_within_limits(decisions, weights, balance.limits)
        return model.label(X, n_threads)

    def make_balance(self, weights: np.ndarray, power: float) -> Balance:
        """Return the balance for the samples that have weight."""
        counted = weights if weights.all() else weights[weights > 0]
        return make_balance(self.balance, self.n_clusters, counted, power)
