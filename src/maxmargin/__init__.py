"""Maximum margin clustering: labels that a large-margin classifier separates best."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from maxmargin.version import __version__

if TYPE_CHECKING:
    from maxmargin.clustering.max_margin import MaxMarginClustering
    from maxmargin.evolving.max_margin import EvolvingMaxMarginClustering
    from maxmargin.model_file import load_model, save_model
    from maxmargin.questions import propose_pairs
    from maxmargin.segmentation.segmenter import ImageSegmenter
    from maxmargin.semi_supervised.semi_supervised import SemiSupervisedMaxMargin

# Public names and their modules, which are imported when a name is first used.
PUBLIC = {
    "EvolvingMaxMarginClustering": "maxmargin.evolving.max_margin",
    "ImageSegmenter": "maxmargin.segmentation.segmenter",
    "MaxMarginClustering": "maxmargin.clustering.max_margin",
    "SemiSupervisedMaxMargin": "maxmargin.semi_supervised.semi_supervised",
    "load_model": "maxmargin.model_file",
    "propose_pairs": "maxmargin.questions",
    "save_model": "maxmargin.model_file",
}

__all__ = [
    "EvolvingMaxMarginClustering",
    "ImageSegmenter",
    "MaxMarginClustering",
    "SemiSupervisedMaxMargin",
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
