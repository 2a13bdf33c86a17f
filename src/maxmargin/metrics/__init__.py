"""How well labels agree with known ones."""

from maxmargin.metrics.clustering_error import clustering_error
from maxmargin.metrics.evolution import KMCost, churn, km_cost
from maxmargin.metrics.regions import (
    boundary_agreement,
    jaccard_overlap,
    probabilistic_rand_index,
)

__all__ = [
    "KMCost",
    "boundary_agreement",
    "churn",
    "clustering_error",
    "jaccard_overlap",
    "km_cost",
    "probabilistic_rand_index",
]
