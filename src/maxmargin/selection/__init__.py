"""The number of clusters without labels."""

from maxmargin.selection.cluster_count import ClusterCountTable, select_n_clusters

__all__ = ["ClusterCountTable", "select_n_clusters"]
