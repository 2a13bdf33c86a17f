"""Counts, such as words in documents, compared as proportions."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

MIN_SPARSITY = 0.9


def is_count_data(X) -> bool:
    """Return True if X holds non-negative integers, at least 90 % of them zero."""
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return False
    n_nonzero = X.count_nonzero() if sp.issparse(X) else np.count_nonzero(X)
    if n_nonzero > (1 - MIN_SPARSITY) * X.shape[0] * X.shape[1]:
        return False
    return bool(values.min() >= 0 and np.all(values == np.rint(values)))


def hellinger(X) -> Any:
    """Return the square roots of each row's proportions.

    The Euclidean distance between two of these rows is, up to a factor, the Hellinger
    distance of the distributions that the counts were drawn from: documents are
    compared independently of their length, and frequent words do not dominate.
    """
    return np.sqrt(normalize(X, norm="l1"))
