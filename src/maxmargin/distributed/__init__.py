"""Maximum margin clustering of data on many machines, through Dask."""

from maxmargin.distributed.dask_clustering import DaskMaxMarginClustering

__all__ = ["DaskMaxMarginClustering"]
