"""Data to try things on."""

from maxmargin.datasets.bent import make_bent_clusters
from maxmargin.datasets.checkerboard import make_checkerboard
from maxmargin.datasets.suite import SUITE, Dataset, MissingData, load_dataset

__all__ = [
    "SUITE",
    "Dataset",
    "MissingData",
    "load_dataset",
    "make_bent_clusters",
    "make_checkerboard",
]
