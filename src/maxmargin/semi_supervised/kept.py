"""What a warm start keeps from one fit to the next."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from maxmargin.rows.sample import hash_rows

T = TypeVar("T")


class Kept(NamedTuple):
    """Something that was made of samples, and what it was made of."""

    hashes: np.ndarray  # of the rows, which may be changed in place later on
    weights: np.ndarray
    key: Any
    value: Any


def keep(
    kept: Kept | None, X, weights: np.ndarray, key: Any, make: Callable[[], T]
) -> tuple[Kept, T]:
    """Return what was kept if it fits these samples, else what is made anew."""
    hashes = hash_rows(X)
    if (
        kept is None
        or key != kept.key
        or not np.array_equal(hashes, kept.hashes)
        or not np.array_equal(weights, kept.weights)
    ):
        kept = Kept(hashes, weights.copy(), key, make())
    return kept, kept.value
