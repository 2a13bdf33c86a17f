"""How well labels agree with known ones."""

from maxmargin.metrics.clustering_error import clustering_error
from maxmargin.metrics.evolution import KMCost, churn, km_cost

__all__ = [
    "KMCost",
    "churn",
    "clustering_error",
    "km_cost",
]
