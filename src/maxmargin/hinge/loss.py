"""Losses of a margin, as pieces of parabolas.

A classifier with value f at a sample of label y = -1 or 1 pays ``l(y f)``. Every loss
here is ``c + b t + a t^2`` between some knots, which is what makes sums of it over many
samples a matter of cumulative sums.
"""

from typing import NamedTuple

import numpy as np

LOSSES = ("laplacian", "hinge", "squared", "epsilon_insensitive")


class Loss(NamedTuple):
    """A loss of the margin ``t = y f``.

    ``pieces[s]`` holds the coefficients ``c, b, a`` between ``knots[s - 1]`` and
    ``knots[s]``. The knots are positive and the loss is convex.
    """

    name: str
    knots: np.ndarray  # (s,)
    pieces: np.ndarray  # (s + 1, 3)

    def of_margins(self, margins: np.ndarray) -> np.ndarray:
        """Return the loss of each margin."""
        c, b, a = self.pieces[np.searchsorted(self.knots, margins)].T
        return c + margins * (b + a * margins)


def make_loss(name: str, epsilon: float = 0.1) -> Loss:
    """Return a loss by its name.

    ``"laplacian"`` is ``|1 - t|``, ``"hinge"`` is ``max(0, 1 - t)``, ``"squared"`` is
    ``(1 - t)^2`` and ``"epsilon_insensitive"`` is ``max(0, |1 - t| - epsilon)``.
    """
    falling, rising, zero = [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]
    if name == "laplacian":
        return _loss(name, [1.0], [falling, rising])
    if name == "hinge":
        return _loss(name, [1.0], [falling, zero])
    if name == "squared":
        return _loss(name, [], [[1.0, -2.0, 1.0]])
    if name == "epsilon_insensitive":
        if not 0 <= epsilon < 1:
            raise ValueError(f"epsilon={epsilon!r} must be at least 0 and below 1.")
        return _loss(
            name,
            [1.0 - epsilon, 1.0 + epsilon],
            [[1.0 - epsilon, -1.0, 0.0], zero, [-1.0 - epsilon, 1.0, 0.0]],
        )
    raise ValueError(f"loss={name!r} is not known: use one of {LOSSES}.")


def _loss(name: str, knots: list[float], pieces: list[list[float]]) -> Loss:
    return Loss(name, np.array(knots), np.array(pieces))
