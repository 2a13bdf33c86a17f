"""What one step with the square loss is given."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.clustering.candidates import Candidate
from maxmargin.clustering.fit import Request
from maxmargin.evolving.snapshots import Matches
from maxmargin.search.balance import Balance


@dataclass(frozen=True)
class Step:
    """Two snapshots, the share of the present, the wishes."""

    X: Any  # the present
    past_X: Any
    past_labels: np.ndarray
    matches: Matches
    weight: float
    request: Request
    random: np.random.RandomState

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.request.wishes.n_clusters)

    @property
    def free(self) -> bool:
        """Tell whether sizes are free."""
        wish = self.request.wishes.balance
        return isinstance(wish, str) and wish == "free"

    def balance_of(self, candidate: Candidate, weights: np.ndarray) -> Balance:
        """Return the size limits on the samples of a candidate."""
        wishes, sample = self.request.wishes, candidate.sample
        if sample.complete:
            return wishes.make_balance(sample.weights, candidate.power)
        balance = wishes.make_balance(weights, candidate.power)
        return balance.scaled(sample.weights.sum() / weights.sum())
