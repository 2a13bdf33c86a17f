"""Data sets: generators and loaders."""

from maxmargin.datasets.evolving import (
    EVOLVING,
    TimedSamples,
    adjacency_snapshot,
    drift_classes,
    load_evolving,
    make_evolving_gaussians,
    network_snapshots,
)
from maxmargin.datasets.generators import make_bent_clusters, make_checkerboard
from maxmargin.datasets.suite import SUITE, Dataset, MissingData, load_dataset

__all__ = [
    "EVOLVING",
    "SUITE",
    "Dataset",
    "MissingData",
    "TimedSamples",
    "adjacency_snapshot",
    "drift_classes",
    "load_dataset",
    "load_evolving",
    "make_bent_clusters",
    "make_checkerboard",
    "make_evolving_gaussians",
    "network_snapshots",
]
