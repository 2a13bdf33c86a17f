"""The number of clusters without labels, and the stability of clusters."""

from maxmargin.selection.cluster_count import ClusterCountTable, select_n_clusters
from maxmargin.selection.cluster_tree import ClusterTree
from maxmargin.selection.stability import cluster_stability, estimator_stability

__all__ = [
    "ClusterCountTable",
    "ClusterTree",
    "cluster_stability",
    "estimator_stability",
    "select_n_clusters",
]
