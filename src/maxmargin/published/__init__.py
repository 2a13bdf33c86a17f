"""The methods of the five papers, each as it is printed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmargin.published.cutting_plane import CuttingPlaneMaxMarginClustering
    from maxmargin.published.evolutionary import EvolutionaryMaxMarginClustering
    from maxmargin.published.evolving_baselines import (
        EvolvingKMeans,
        EvolvingSpectralClustering,
    )
    from maxmargin.published.evolving_mmc import EvolvingMMC
    from maxmargin.published.iterative import IterativeMaxMarginClustering
    from maxmargin.published.leader import LeaderClustering
    from maxmargin.published.least_squares import LeastSquaresMaxMarginClustering
    from maxmargin.published.parameters import paper_gamma
    from maxmargin.published.recursive import RecursiveBisection
    from maxmargin.published.reduced_svc import ReducedSVC
    from maxmargin.published.semidefinite import SemidefiniteMaxMarginClustering

# Public names and their modules, which are imported when a name is first used.
PUBLIC = {
    "CuttingPlaneMaxMarginClustering": "maxmargin.published.cutting_plane",
    "EvolutionaryMaxMarginClustering": "maxmargin.published.evolutionary",
    "EvolvingKMeans": "maxmargin.published.evolving_baselines",
    "EvolvingMMC": "maxmargin.published.evolving_mmc",
    "EvolvingSpectralClustering": "maxmargin.published.evolving_baselines",
    "IterativeMaxMarginClustering": "maxmargin.published.iterative",
    "LeaderClustering": "maxmargin.published.leader",
    "LeastSquaresMaxMarginClustering": "maxmargin.published.least_squares",
    "RecursiveBisection": "maxmargin.published.recursive",
    "ReducedSVC": "maxmargin.published.reduced_svc",
    "SemidefiniteMaxMarginClustering": "maxmargin.published.semidefinite",
}
# What is not an estimator.
FUNCTIONS = {"paper_gamma": "maxmargin.published.parameters"}

__all__ = [
    "CuttingPlaneMaxMarginClustering",
    "EvolutionaryMaxMarginClustering",
    "EvolvingKMeans",
    "EvolvingMMC",
    "EvolvingSpectralClustering",
    "IterativeMaxMarginClustering",
    "LeaderClustering",
    "LeastSquaresMaxMarginClustering",
    "RecursiveBisection",
    "ReducedSVC",
    "SemidefiniteMaxMarginClustering",
    "paper_gamma",
]


def __getattr__(name: str) -> Any:
    module = (PUBLIC | FUNCTIONS).get(name)
    if module is None:
        raise AttributeError(f"module 'maxmargin.published' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return __all__
