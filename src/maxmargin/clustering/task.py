"""The input of the solvers with one kernel."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maxmargin.distances import shift
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.landmarks import Landmarks
from maxmargin.rows.sample import Sample, normalise_weights
from maxmargin.search.balance import Balance
from maxmargin.search.state import OnIteration


@dataclass(frozen=True)
class Task:
    """The input of a solver: distinct samples, a kernel, and checked parameters."""

    X: Any  # all samples, dense or CSR; with a precomputed kernel its matrix
    sample: Sample  # the distinct ones: ``X[sample.indices]`` with ``sample.weights``
    kernel: Kernel
    landmarks: Landmarks
    n_clusters: int
    balance: Balance
    random: np.random.RandomState
    on_iteration: OnIteration | None

    @property
    def weights(self) -> np.ndarray:
        """Return the weights of the distinct samples."""
        return self.sample.weights

    def with_normal_weights(self) -> "Task":
        """Return the task with weights of mean one, and size limits in their unit."""
        weights = normalise_weights(self.weights, len(self.weights))
        largest = self.weights.argmax()
        factor = weights[largest] / self.weights[largest]
        limits, targets = self.balance.limits * factor, self.balance.targets * factor
        return replace(
            self,
            sample=self.sample._replace(weights=weights),
            balance=self.balance._replace(limits=limits, targets=targets),
        )

    def shifted(self, origin: np.ndarray) -> "Task":
        """Return the task with samples and landmarks relative to an origin."""
        landmarks = self.landmarks
        if landmarks.are_points:
            landmarks = landmarks._replace(given=shift(landmarks.given, origin))
        return replace(self, X=shift(self.X, origin), landmarks=landmarks)
