"""Maximum margin clustering of data on many machines, through Dask or Spark."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmargin.distributed.dask_clustering import DaskMaxMarginClustering
    from maxmargin.distributed.spark_clustering import (
        SparkMaxMarginClustering,
        SparkMaxMarginClusteringModel,
    )

# Public names, their modules, and the extra and the package that these need.
PUBLIC = {
    "DaskMaxMarginClustering": ("dask_clustering", "dask", "dask"),
    "SparkMaxMarginClustering": ("spark_clustering", "spark", "pyspark"),
    "SparkMaxMarginClusteringModel": ("spark_clustering", "spark", "pyspark"),
}

__all__ = [
    "DaskMaxMarginClustering",
    "SparkMaxMarginClustering",
    "SparkMaxMarginClusteringModel",
]


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(
            f"module 'maxmargin.distributed' has no attribute {name!r}"
        )
    module, extra, package = PUBLIC[name]
    try:
        import_module(package)
        return getattr(import_module(f"maxmargin.distributed.{module}"), name)
    except ImportError as error:
        raise ImportError(
            f"{name} needs {error.name or package}: pip install 'maxmargin[{extra}]'."
        ) from error


def __dir__() -> list[str]:
    return __all__
