"""Counts, such as words in documents, as the proportions that they are."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

MOST_ARE_ZERO = 0.9


def looks_like_counts(X) -> bool:
    """Tell whether X holds whole numbers from 0 on, nine in ten of them zero."""
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return False
    n_filled = X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)
    if n_filled > (1 - MOST_ARE_ZERO) * X.shape[0] * X.shape[1]:
        return False
    return bool(values.min() >= 0 and np.all(values == np.rint(values)))


def hellinger(X) -> Any:
    """Return the square roots of each row's proportions.

    The Euclidean distance between two of these rows is, up to a factor, the Hellinger
    distance of the distributions that the counts were drawn from: long and short
    documents are compared by what they are about, and no frequent word rules alone.
    """
    return np.sqrt(normalize(X, norm="l1"))
