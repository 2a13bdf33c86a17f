"""The linear problem behind a reduced classifier, solved by liblinear."""

from typing import NamedTuple

import numpy as np
from sklearn.svm import LinearSVC


class Planes(NamedTuple):
    """Separating planes, one for each class against the rest or one for two classes."""

    coefficients: np.ndarray  # (m, p)
    intercepts: np.ndarray  # (p,)
    objectives: np.ndarray  # (p,)
    n_iter: int


def separate(
    Z: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    C: float,
    tol: float,
    max_iter: int,
) -> Planes:
    """Minimise ``(w'w + b^2) / 2 + C sum_i c_i max(0, 1 - y_i (z_i w + b))^2``.

    ``codes`` are the classes 0, 1, ... of the samples and ``c_i`` their weights. With
    two classes, y is 1 for the second. Few features for many samples: liblinear's
    Newton method on the primal problem is the one to use.
    """
    solver = LinearSVC(C=C, dual=False, tol=tol, max_iter=max_iter)
    solver.fit(Z, codes, sample_weight=weights)
    w, b = solver.coef_.T, solver.intercept_
    positive = [1] if w.shape[1] == 1 else range(w.shape[1])
    signs = np.where(codes[:, None] == np.array(positive), 1.0, -1.0)
    losses = np.maximum(1.0 - signs * (Z @ w + b), 0.0) ** 2
    objectives = 0.5 * ((w**2).sum(axis=0) + b**2) + C * (weights @ losses)
    return Planes(w, b, objectives, int(solver.n_iter_))
