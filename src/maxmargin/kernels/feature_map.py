"""Features of any sample, in which the fitted functions are linear."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.kernels.kernel import Kernel
from maxmargin.rows.counts import hellinger


class FeatureMap(ABC):
    """A map to features, in which the fitted functions are linear."""

    @abstractmethod
    def __call__(self, X) -> Any:
        """Return the features of samples X (n x m)."""


@dataclass(frozen=True)
class KernelColumns(FeatureMap):
    """Kernel values with some basis samples."""

    kernel: Kernel
    basis: Any

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        return self.kernel(X, self.basis)


@dataclass(frozen=True)
class CountFeatures(FeatureMap):
    """The features of counts: those of the square roots of their proportions."""

    features: FeatureMap

    def __call__(self, X) -> Any:  # noqa: D102
        return self.features(hellinger(X))
