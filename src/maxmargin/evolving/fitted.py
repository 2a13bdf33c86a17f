"""Functions fitted to targets by a smoother, and their loss."""

import numpy as np

from maxmargin.clustering.model import MarginModel, indicators
from maxmargin.kernels.smoother import Smoother


def functions_of(smoother: Smoother, targets: np.ndarray) -> MarginModel:
    """Return the functions fitted to targets."""
    coefficients = smoother.coefficients(targets)
    return MarginModel(smoother.feature_map, coefficients, np.zeros(targets.shape[1]))


def losses_of(
    smoother: Smoother, targets: np.ndarray, fitted_to: np.ndarray
) -> np.ndarray:
    """Return ``sum_h (z_ih - f_h(x_i))^2`` of the functions fitted to some targets."""
    fitted = smoother.dot(fitted_to) / smoother.weights[:, None]
    return ((targets - fitted) ** 2).sum(axis=1)


def mean_loss(smoother: Smoother, labels: np.ndarray, n_clusters: int) -> float:
    """Return the mean of `losses_of` over the samples by weight."""
    targets = indicators(labels, n_clusters)
    losses = losses_of(smoother, targets, targets)
    return float(losses @ smoother.weights / smoother.weights.sum())


def mean_of(losses: np.ndarray, positions: np.ndarray) -> float:
    """Return the mean loss of rows given by their positions, -1 for none."""
    there = positions[positions >= 0]
    return float(losses[there].mean()) if len(there) else 0.0
