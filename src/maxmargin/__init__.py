"""Maximum margin clustering: labels that a large-margin classifier separates best."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmargin.classification.propose import propose_pairs
    from maxmargin.classification.reduced_svc import ReducedSVC
    from maxmargin.classification.semi_supervised import SemiSupervisedMaxMargin
    from maxmargin.clustering.cutting_plane import CuttingPlaneMaxMarginClustering
    from maxmargin.clustering.evolutionary import EvolutionaryMaxMarginClustering
    from maxmargin.clustering.iterative import IterativeMaxMarginClustering
    from maxmargin.clustering.leader import LeaderClustering
    from maxmargin.clustering.max_margin import MaxMarginClustering
    from maxmargin.clustering.recursive import RecursiveBisection
    from maxmargin.clustering.semidefinite import SemidefiniteMaxMarginClustering
    from maxmargin.evolving.kmeans import EvolvingKMeans
    from maxmargin.evolving.max_margin import EvolvingMaxMarginClustering
    from maxmargin.evolving.spectral import EvolvingSpectralClustering
    from maxmargin.model_file import load_model, save_model
    from maxmargin.segmentation.segmenter import ImageSegmenter

__version__ = "0.1.0"

# Public names and their modules, which are imported when a name is first used.
PUBLIC = {
    "CuttingPlaneMaxMarginClustering": "maxmargin.clustering.cutting_plane",
    "EvolutionaryMaxMarginClustering": "maxmargin.clustering.evolutionary",
    "EvolvingKMeans": "maxmargin.evolving.kmeans",
    "EvolvingMaxMarginClustering": "maxmargin.evolving.max_margin",
    "EvolvingSpectralClustering": "maxmargin.evolving.spectral",
    "ImageSegmenter": "maxmargin.segmentation.segmenter",
    "IterativeMaxMarginClustering": "maxmargin.clustering.iterative",
    "LeaderClustering": "maxmargin.clustering.leader",
    "MaxMarginClustering": "maxmargin.clustering.max_margin",
    "RecursiveBisection": "maxmargin.clustering.recursive",
    "ReducedSVC": "maxmargin.classification.reduced_svc",
    "SemiSupervisedMaxMargin": "maxmargin.classification.semi_supervised",
    "SemidefiniteMaxMarginClustering": "maxmargin.clustering.semidefinite",
    "load_model": "maxmargin.model_file",
    "propose_pairs": "maxmargin.classification.propose",
    "save_model": "maxmargin.model_file",
}

__all__ = [
    "CuttingPlaneMaxMarginClustering",
    "EvolutionaryMaxMarginClustering",
    "EvolvingKMeans",
    "EvolvingMaxMarginClustering",
    "EvolvingSpectralClustering",
    "ImageSegmenter",
    "IterativeMaxMarginClustering",
    "LeaderClustering",
    "MaxMarginClustering",
    "RecursiveBisection",
    "ReducedSVC",
    "SemiSupervisedMaxMargin",
    "SemidefiniteMaxMarginClustering",
    "__version__",
    "load_model",
    "propose_pairs",
    "save_model",
]


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")
    return getattr(import_module(PUBLIC[name]), name)


def __dir__() -> list[str]:
    return __all__
