"""Plots of clusters, as Display objects in the manner of scikit-learn."""

from maxmargin.plots.boundary import BoundaryDisplay, DriftDisplay
from maxmargin.plots.cluster_count import ClusterCountDisplay
from maxmargin.plots.cluster_map import ClusterMapDisplay
from maxmargin.plots.split_tree import SplitTreeDisplay
from maxmargin.plots.timeline import TimelineDisplay

__all__ = [
    "BoundaryDisplay",
    "ClusterCountDisplay",
    "ClusterMapDisplay",
    "DriftDisplay",
    "SplitTreeDisplay",
    "TimelineDisplay",
]
