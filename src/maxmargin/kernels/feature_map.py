"""Features of any sample: what the fitted functions are linear in."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.kernels.kernel import Kernel


class FeatureMap(ABC):
    """A map to features, in which the fitted functions are linear."""

    @abstractmethod
    def __call__(self, X, n_threads: int = 1) -> np.ndarray:
        """Return the features of samples X (n x m)."""


@dataclass(frozen=True)
class KernelColumns(FeatureMap):
    """Kernel values with some basis samples."""

    kernel: Kernel
    basis: Any

    def __call__(self, X, n_threads: int = 1) -> np.ndarray:  # noqa: D102
        return self.kernel(X, self.basis, n_threads)
