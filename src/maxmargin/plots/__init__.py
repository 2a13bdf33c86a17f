"""Pictures of clusters, as scikit-learn's Display objects."""

from maxmargin.plots.boundary import BoundaryDisplay
from maxmargin.plots.cluster_map import ClusterMapDisplay
from maxmargin.plots.drift import DriftDisplay
from maxmargin.plots.history import HistoryDisplay
from maxmargin.plots.shaking import ShakingDisplay
from maxmargin.plots.timeline import TimelineDisplay

__all__ = [
    "BoundaryDisplay",
    "ClusterMapDisplay",
    "DriftDisplay",
    "HistoryDisplay",
    "ShakingDisplay",
    "TimelineDisplay",
]
