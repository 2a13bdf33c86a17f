"""Labels as columns of zeros and ones."""

import numpy as np


def indicators(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the indicators of the clusters as columns (n x k)."""
    result = np.zeros((len(labels), n_clusters))
    result[np.arange(len(labels)), labels] = 1.0
    return result
