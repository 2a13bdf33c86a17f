"""Metrics: agreement of labels with other labels, cost and change over time."""

from maxmargin.metrics.evolution import KMCost, churn, km_cost
from maxmargin.metrics.matching import clustering_error, match_labels
from maxmargin.metrics.regions import (
    boundary_agreement,
    jaccard_overlap,
    probabilistic_rand_index,
    segmentation_covering,
)

__all__ = [
    "KMCost",
    "boundary_agreement",
    "churn",
    "clustering_error",
    "jaccard_overlap",
    "km_cost",
    "match_labels",
    "probabilistic_rand_index",
    "segmentation_covering",
]
