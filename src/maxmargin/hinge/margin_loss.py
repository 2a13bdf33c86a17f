"""Convex losses that take the place of those of maximum margin clustering.

The loss of a sample whose label is free is the least over the labels. Fixing the labels
at those that the present decision values give makes a convex loss that touches it there
and lies above it elsewhere. Shares are the weights of the samples, with sum one.
"""

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.hinge.cutting_plane import Loss, Majoriser
from maxmargin.search.assignment import assign_within_limits


@compiled
def _hinge(f, signs, shares, g):
    """Return ``sum_i p_i max(0, 1 - y_i f_i)`` and write its derivative."""
    total = 0.0
    for i in range(f.shape[0]):
        short = 1.0 - signs[i] * f[i]
        if short > 0.0:
            total += shares[i] * short
            g[i] = -shares[i] * signs[i]
        else:
            g[i] = 0.0
    return total


def hinge_loss(signs: np.ndarray, shares: np.ndarray) -> Loss:
    """Return the hinge loss ``sum_i p_i max(0, 1 - y_i f_i)`` of labels -1 and 1."""

    def loss(f: np.ndarray) -> tuple[float, np.ndarray]:
        g = np.empty(len(f))
        return _hinge(f, signs, shares, g), g

    return loss


def two_sided_hinge(shares: np.ndarray) -> Majoriser:
    """Return the majoriser of ``sum_i p_i max(0, 1 - |f_i|)``."""

    def majorise(f: np.ndarray) -> Loss:
        return hinge_loss(np.where(f > 0.0, 1.0, -1.0), shares)

    return majorise


@compiled
def _multiclass_hinge(f, labels, shares, g):
    """Return ``sum_i p_i max_r (f_ir + [r != y_i] - f_iy)``; write its derivative."""
    total = 0.0
    for i in range(f.shape[0]):
        y = labels[i]
        rival = y
        short = 0.0
        for r in range(f.shape[1]):
            g[i, r] = 0.0
            if r != y and 1.0 + f[i, r] - f[i, y] > short:
                rival, short = r, 1.0 + f[i, r] - f[i, y]
        if rival != y:
            total += shares[i] * short
            g[i, rival] = shares[i]
            g[i, y] = -shares[i]
    return total


def multiclass_loss(labels: np.ndarray, shares: np.ndarray) -> Loss:
    """Return the loss ``sum_i p_i max_r (f_ir + [r != y_i] - f_iy)`` of labels y."""

    def loss(f: np.ndarray) -> tuple[float, np.ndarray]:
        g = np.empty(f.shape)
        return _multiclass_hinge(f, labels, shares, g), g

    return loss


def many_sided_hinge(shares: np.ndarray, size_limits: np.ndarray) -> Majoriser:
    """Return the majoriser of ``sum_i p_i max(0, 1 - first + second)``.

    First and second are the two largest decision values of a sample. Labels are held
    within size limits (2 x k, as shares): a cluster that lost all its samples would
    never get one back.
    """

    def majorise(f: np.ndarray) -> Loss:
        return multiclass_loss(assign_within_limits(f, shares, size_limits), shares)

    return majorise
