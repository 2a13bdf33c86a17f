"""What a warm start keeps from one fit to the next."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

T = TypeVar("T")


class Kept(NamedTuple):
    """Something that was made of samples, and what it was made of."""

    X: Any
    weights: np.ndarray
    key: Any
    value: Any

    def fits(self, X, weights: np.ndarray, key: Any) -> bool:
        """Return True if the same would be made of these samples."""
        return (
            key == self.key
            and not (sp.issparse(X) or sp.issparse(self.X))
            and np.array_equal(weights, self.weights)
            and np.array_equal(X, self.X)
        )


def keep(
    kept: Kept | None, X, weights: np.ndarray, key: Any, make: Callable[[], T]
) -> tuple[Kept, T]:
    """Return what was kept if it fits these samples, else what is made anew."""
    if kept is None or not kept.fits(X, weights, key):
        kept = Kept(X, weights, key, make())
    return kept, kept.value
