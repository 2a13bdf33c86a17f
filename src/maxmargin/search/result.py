"""What a search returns, whichever search it was."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# Called after each round of a search with (round, objective).
OnIteration = Callable[[int, float], None]


@dataclass(frozen=True)
class SearchResult:
    """The outcome of one run.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
    objective : float
        The objective of ``labels``, larger is better.
    history : tuple of float
        The objective at the start and after each round.
    n_moves : int
        How many samples were moved, counting each time.
    converged : bool
        Whether the run ended by itself and not at its limit of rounds.
    """

    labels: np.ndarray
    objective: float
    history: tuple[float, ...]
    n_moves: int
    converged: bool

    @property
    def n_iter(self) -> int:
        """Return the number of rounds."""
        return len(self.history) - 1
