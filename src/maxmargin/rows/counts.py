"""Counts, such as words in documents, compared as proportions."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

MIN_SPARSITY = 0.9
ROUNDING = 1e-6  # of multiples of a unit, also in single precision


def is_count_data(X) -> bool:
    """Return True if X holds non-negative integers, at least 90 % of them zero.

    A common factor does not matter: the unit is the smallest positive value.
    """
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return False
    n_nonzero = X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)
    if n_nonzero > (1 - MIN_SPARSITY) * X.shape[0] * X.shape[1]:
        return False
    if values.min() < 0 or n_nonzero == 0:
        return False
    counts = values / values[values > 0].min()
    return bool(np.all(np.abs(counts - np.rint(counts)) <= ROUNDING * counts))


def hellinger(X) -> Any:
    """Return the square roots of each row's proportions.

    The Euclidean distance between two of these rows is, up to a factor, the Hellinger
    distance of the distributions that the counts were drawn from: documents are
    compared independently of their length, and frequent words do not dominate.
    """
    return np.sqrt(normalize(X, norm="l1"))
