"""Small parts of the samples, for whose typical samples questions are asked."""

from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans

N_PARTS = 100
PARTS_PER_CLUSTER = 4


class Parts(NamedTuple):
    """The part of each sample, and the typical sample of each part."""

    of_samples: np.ndarray  # (n,)
    typical: np.ndarray  # (m,)

    @property
    def sizes(self) -> np.ndarray:
        """Return the numbers of samples."""
        return np.bincount(self.of_samples, minlength=len(self.typical))

    def means(self, memberships: np.ndarray) -> np.ndarray:
        """Return the mean memberships of the parts (m x k)."""
        columns = [
            np.bincount(self.of_samples, column, len(self.typical))
            for column in memberships.T
        ]
        return np.stack(columns, axis=1) / np.maximum(self.sizes, 1)[:, None]


def divide(
    features: np.ndarray, n_clusters: int, random: np.random.RandomState
) -> Parts:
    """Divide samples into small parts; the typical sample is nearest to the mean."""
    n_parts = max(N_PARTS, PARTS_PER_CLUSTER * n_clusters)
    distinct = len(np.unique(features, axis=0))
    n_parts = max(min(n_parts, len(features) // 2, distinct), 1)
    means = KMeans(n_parts, n_init=1, max_iter=30, random_state=random).fit(features)
    of_samples = means.labels_
    offsets = features - means.cluster_centers_[of_samples]
    order = np.argsort(np.einsum("nm,nm->n", offsets, offsets), kind="stable")
    numbers, first = np.unique(of_samples[order], return_index=True)
    return Parts(np.searchsorted(numbers, of_samples), order[first])
