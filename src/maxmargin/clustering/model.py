"""What a fit leaves behind: decision functions for any sample."""

from dataclasses import dataclass

import numpy as np

from maxmargin.kernels.feature_map import FeatureMap
from maxmargin.kernels.smoother import Smoother
from maxmargin.kernels.threads import BLOCK_ROWS, for_blocks
from maxmargin.search.assignment import decision_terms


@dataclass(frozen=True)
class MarginModel:
    """Decision values ``feature_map(x) coefficients + offsets``, the largest wins."""

    feature_map: FeatureMap
    coefficients: np.ndarray  # (m, k)
    offsets: np.ndarray  # (k,)

    def decide(self, X, n_threads: int = 1) -> np.ndarray:
        """Return the decision values of samples X (n x k), a block at a time."""
        values = np.empty((X.shape[0], len(self.offsets)))

        def fill(block: slice) -> None:
            features = self.feature_map(X[block])
            values[block] = features @ self.coefficients + self.offsets

        for_blocks(fill, X.shape[0], n_threads, self._block_rows())
        return values

    def label(self, X, n_threads: int = 1) -> np.ndarray:
        """Return the cluster of each sample, keeping no decision values."""
        labels = np.empty(X.shape[0], dtype=np.int64)

        def fill(block: slice) -> None:
            features = self.feature_map(X[block])
            values = features @ self.coefficients + self.offsets
            labels[block] = values.argmax(axis=1)

        for_blocks(fill, X.shape[0], n_threads, self._block_rows())
        return labels

    def _block_rows(self) -> int:
        """Return more rows for few features, so that a block is worth its call."""
        return BLOCK_ROWS * max(BLOCK_ROWS // max(len(self.coefficients), 1), 1)


def indicators(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the indicators of the clusters as columns (n x k)."""
    result = np.zeros((len(labels), n_clusters))
    result[np.arange(len(labels)), labels] = 1.0
    return result


def model_of_labels(
    smoother: Smoother, labels: np.ndarray, n_clusters: int, power: float
) -> tuple[MarginModel, np.ndarray]:
    """Return the model of a labelling, and its decision values at the samples.

    With ``f_h`` the function fitted to the indicator ``z_h``, ``W_h = z_h' S z_h`` and
    the size ``n_h``, a sample goes to the largest

        2 f_h(x) / n_h^p - p W_h / n_h^(p + 1),

    the change of the objective to first order when a little of x joins cluster h. The
    objective is convex in the sums over the clusters for p between 0 and 1, so a move
    gains at least the difference of two such values: where no single move gains, each
    sample is in the cluster with its largest value. For p = 1 that is the nearest
    centre in the space of the smoother, for p = 0 the largest fitted value.

    Values are scaled by the mean size to the power p, so that they are of the order of
    one however many samples there are. An empty cluster gets no sample.
    """
    return model_of_targets(smoother, indicators(labels, n_clusters), power)


def model_of_targets(
    smoother: Smoother, targets: np.ndarray, power: float
) -> tuple[MarginModel, np.ndarray]:
    """Return what `model_of_labels` does, for targets that need not be indicators."""
    scores = smoother.dot(targets)
    sizes = smoother.weights @ targets
    within = np.einsum("nh,nh->h", targets, scores)
    factors, offsets = decision_terms(within, sizes, power)
    model = MarginModel(
        smoother.feature_map,
        smoother.coefficients(targets) * factors,
        offsets,
    )
    return model, scores / smoother.weights[:, None] * factors + offsets
