"""The number of clusters without labels, and the stability of clusters."""

from maxmargin.selection.cluster_count import ClusterCountTable, select_n_clusters

__all__ = ["ClusterCountTable", "select_n_clusters"]
