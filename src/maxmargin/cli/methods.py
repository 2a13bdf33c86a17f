"""The methods that `compare` runs, each at its defaults."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture

from maxmargin import (
    CuttingPlaneMaxMarginClustering,
    MaxMarginClustering,
    RecursiveBisection,
)


def make_methods(n_clusters: int, seed: int) -> dict[str, Callable[[int], Any]]:
    """Return what makes each method, given a number to add to the seed."""

    def seeded(kind: Any, step: int, **parameters: Any) -> Any:
        return kind(random_state=(seed + step) % 2**31, **parameters)

    def with_seed(kind: Any, **parameters: Any) -> Callable[[int], Any]:
        return partial(seeded, kind, **parameters)

    return {
        "max margin": with_seed(MaxMarginClustering, n_clusters=n_clusters),
        "max margin, equal": with_seed(
            MaxMarginClustering, n_clusters=n_clusters, balance="equal"
        ),
        "cutting planes": with_seed(
            CuttingPlaneMaxMarginClustering, n_clusters=n_clusters
        ),
        "bisection": with_seed(RecursiveBisection, n_clusters=n_clusters),
        "k-means": with_seed(KMeans, n_clusters=n_clusters, n_init=10),
        "mixture": with_seed(GaussianMixture, n_components=n_clusters, reg_covar=1e-3),
        "spectral": with_seed(
            SpectralClustering, n_clusters=n_clusters, affinity="nearest_neighbors"
        ),
        "Ward": lambda step: AgglomerativeClustering(n_clusters),
        "HDBSCAN": lambda step: HDBSCAN(copy=True),
    }
