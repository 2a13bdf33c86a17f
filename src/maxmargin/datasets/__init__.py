"""Generators of data, and networks as samples."""

from maxmargin.datasets.evolving import (
    TimedSamples,
    adjacency_snapshot,
    drift_classes,
    make_evolving_gaussians,
    network_snapshots,
)
from maxmargin.datasets.generators import make_bent_clusters, make_checkerboard

__all__ = [
    "TimedSamples",
    "adjacency_snapshot",
    "drift_classes",
    "make_bent_clusters",
    "make_checkerboard",
    "make_evolving_gaussians",
    "network_snapshots",
]
