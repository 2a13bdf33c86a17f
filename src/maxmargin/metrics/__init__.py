"""Metrics: agreement of labels with other labels, cost and change over time."""

from maxmargin.metrics.evolution import KMCost, churn, km_cost
from maxmargin.metrics.matching import clustering_error, match_labels

__all__ = ["KMCost", "churn", "clustering_error", "km_cost", "match_labels"]
