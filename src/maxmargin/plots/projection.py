"""Samples in a plane, and how far each is inside its cluster."""

import numpy as np
from sklearn.decomposition import PCA

from maxmargin.clustering.probability import decision_gaps


def principal_plane(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return samples in the plane of largest variance, and the shares of variance.

    Signs are such that the largest weight of each axis is positive, so that the same
    samples give the same picture. One feature is drawn over zeros.
    """
    X = np.asarray(X, dtype=np.float64)
    if X.shape[1] == 1:
        X = np.column_stack([X, np.zeros(len(X))])
    n_parts = min(2, *X.shape)
    model = PCA(n_parts, svd_solver="full" if X.shape[1] < 50 else "auto",
                random_state=0).fit(X)  # fmt: skip
    weights = model.components_
    signs = np.sign(weights[np.arange(n_parts), np.abs(weights).argmax(axis=1)])
    positions = model.transform(X) * np.where(signs == 0, 1.0, signs)
    shares = np.nan_to_num(model.explained_variance_ratio_)
    if n_parts < 2:
        positions = np.column_stack([positions, np.zeros(len(X))])
        shares = np.array([shares[0], 0.0])
    return positions, shares


def margins(decisions: np.ndarray) -> np.ndarray:
    """Return the difference of each sample's two largest decision values."""
    return np.abs(decisions) if decisions.ndim == 1 else decision_gaps(decisions)


def opacity_of(gaps: np.ndarray) -> np.ndarray:
    """Return opacities from 0.25 at the boundary to 1 from the median margin on."""
    middle = np.median(gaps) if len(gaps) else 1.0
    return 0.25 + 0.75 * np.clip(gaps / max(middle, np.finfo(float).tiny), 0.0, 1.0)
