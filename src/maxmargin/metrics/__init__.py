"""How well labels agree with known ones."""

from maxmargin.metrics.clustering_error import clustering_error

__all__ = ["clustering_error"]
