"""The types of numbers that are computed with."""

from typing import Any

import numpy as np


def accepted_types(X: Any) -> list[Any]:
    """Return the types that X may have; of any other type it becomes the first.

    Numbers in half precision, as embeddings are stored, become single ones.
    """
    if getattr(X, "dtype", None) == np.float16:
        return [np.float32, np.float64]
    return [np.float64, np.float32]
