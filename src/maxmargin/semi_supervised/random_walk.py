"""Random walks on a graph, by which labels spread.

A walk stops at each step with probability ``1 / (1 + b)``, so that it takes b steps in
the mean, and else follows an edge, chosen by its weight. With the edge weights ``W``
and the degrees ``D``, the probabilities that a walk from sample i stops at sample j are

    F = ((1 + b) I - b D^-1 W)^-1.

They are also least squares: ``F z`` minimises

    sum_i d_i (z_i - f_i)^2 + b sum_ij W_ij (f_i - f_j)^2 / 2.

A product ``F Z`` takes conjugate gradients on a sparse matrix; ``F`` is not formed.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

TOLERANCE = 1e-9  # of the residual of a solution, relative to the right-hand side
ROUGH = 1e-3
N_PROBES = 8  # random vectors of the estimate of a trace


class RandomWalk:
    """Walks of b steps in the mean along the edges of a graph without separate parts.

    Parameters
    ----------
    graph : sparse matrix of shape (n_samples, n_samples)
        Symmetric edge weights.
    length : float
        The mean number b of steps.
    """

    def __init__(self, graph, length: float):
        self.length = float(length)
        degrees = np.asarray(graph.sum(axis=1)).ravel()
        self._roots = np.sqrt(np.maximum(degrees, np.finfo(float).tiny))
        scaling = sp.diags_array(1.0 / self._roots)
        self._similarity = (scaling @ graph @ scaling).tocsr()

    def spread(self, targets: np.ndarray) -> np.ndarray:
        """Return ``F Z`` for targets ``Z`` (n x k)."""
        roots = self._roots[:, None]
        return self._solve(targets * roots, TOLERANCE) / roots

    def returns(self, rows: np.ndarray) -> np.ndarray:
        """Return ``F_ii``, the probability that a walk stops where it started."""
        targets = np.zeros((len(self._roots), len(rows)))
        targets[rows, np.arange(len(rows))] = 1.0
        return self._solve(targets, ROUGH)[rows, np.arange(len(rows))]

    def trace(self) -> float:
        """Return an estimate of the trace of ``F``, from some random sign vectors."""
        random = np.random.RandomState(0)
        signs = random.choice([-1.0, 1.0], size=(len(self._roots), N_PROBES))
        return float(np.vdot(signs, self._solve(signs, ROUGH)) / N_PROBES)

    def _solve(self, targets: np.ndarray, tolerance: float) -> np.ndarray:
        """Solve ``((1 + b) I - b D^-1/2 W D^-1/2) G = Z`` by conjugate gradients.

        The eigenvalues of the matrix are between 1 and 1 + 2 b.
        """
        solution = np.zeros_like(targets)
        residual = targets.copy()
        direction = targets.copy()
        squares = np.einsum("nk,nk->k", residual, residual)
        enough = np.maximum(tolerance**2 * squares, np.finfo(float).tiny)
        for _ in range(len(targets)):
            if (squares <= enough).all():
                break
            product = self._product(direction)
            curvature = np.einsum("nk,nk->k", direction, product)
            steps = squares / np.maximum(curvature, np.finfo(float).tiny)
            solution += direction * steps
            residual -= product * steps
            before = np.maximum(squares, np.finfo(float).tiny)
            squares = np.einsum("nk,nk->k", residual, residual)
            direction *= squares / before
            direction += residual
        return solution

    def _product(self, vectors: np.ndarray) -> Any:
        product = self._similarity @ vectors
        product *= -self.length
        product += (1.0 + self.length) * vectors
        return product
