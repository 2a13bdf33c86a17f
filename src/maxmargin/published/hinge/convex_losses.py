"""Convex upper bounds of the hinge losses of maximum margin clustering.

The loss of a sample without a label is the smallest loss over all labels, which is not
convex. With the labels fixed at those of given decision values the loss is convex. It
equals the true loss at these values and is at least as large everywhere else: it
majorises the true loss. Shares are sample weights that add up to one.

An object may have two rows, i and j, which share a slack: its loss is the larger one of
the losses of its rows, times their shares. Other rows are an object each.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.published.hinge.cutting_plane import ConvexLoss, LossValue, Majoriser
from maxmargin.search.limits import assign_in_order


class Pairs(NamedTuple):
    """Positions of the two rows of each object that has two rows."""

    first: np.ndarray
    second: np.ndarray


def _partners(n_rows: int, pairs: Pairs | None) -> np.ndarray:
    """Return the other row of the object of each row, -1 for an object with one row."""
    partner = np.full(n_rows, -1)
    if pairs is not None:
        partner[pairs.first], partner[pairs.second] = pairs.second, pairs.first
    return partner


def signs_of(f: np.ndarray) -> np.ndarray:
    """Return the labels -1 and 1 of decision values, -1 for zero."""
    return np.where(f > 0.0, 1.0, -1.0)


@compiled
def _hinge(f, signs, shares, partner):
    g = np.zeros(f.shape)
    total = 0.0
    for i in range(f.shape[0]):
        j = partner[i]
        if j >= 0 and j < i:
            continue  # counted with its partner
        worst = i
        short = shares[i] * (1.0 - signs[i] * f[i])
        if j >= 0 and shares[j] * (1.0 - signs[j] * f[j]) > short:
            worst = j
            short = shares[j] * (1.0 - signs[j] * f[j])
        if short > 0.0:
            total += short
            g[worst] = -shares[worst] * signs[worst]
    return LossValue(total, g)


def hinge_loss(
    signs: np.ndarray, shares: np.ndarray, pairs: Pairs | None = None
) -> ConvexLoss:
    """Return the hinge loss ``sum_i p_i max(0, 1 - y_i f_i)`` of labels -1 and 1.

    An object with two rows adds ``max(0, p_i (1 - y_i f_i), p_j (1 - y_j f_j))``.
    """
    partner = _partners(len(shares), pairs)
    return lambda f: _hinge(f, signs, shares, partner)


def majorise_two_clusters(shares: np.ndarray, pairs: Pairs | None = None) -> Majoriser:
    """Return the majoriser of the hinge loss with ``|f_i|`` in place of ``y_i f_i``."""
    return lambda f: hinge_loss(signs_of(f), shares, pairs)


@compiled
def _shortfall(f, labels, i):
    """Return ``1 + f_ir - f_iy`` of the largest rival r, and r."""
    y = labels[i]
    rival = y
    short = 0.0
    for r in range(f.shape[1]):
        if r != y and (rival == y or 1.0 + f[i, r] - f[i, y] > short):
            rival, short = r, 1.0 + f[i, r] - f[i, y]
    return short, rival


@compiled
def _multiclass_hinge(f, labels, shares, partner):
    g = np.zeros(f.shape)
    total = 0.0
    for i in range(f.shape[0]):
        j = partner[i]
        if j >= 0 and j < i:
            continue  # counted with its partner
        worst = i
        short, rival = _shortfall(f, labels, i)
        short *= shares[i]
        if j >= 0:
            other, other_rival = _shortfall(f, labels, j)
            if shares[j] * other > short:
                worst, short, rival = j, shares[j] * other, other_rival
        if short > 0.0:
            total += short
            g[worst, rival] = shares[worst]
            g[worst, labels[worst]] = -shares[worst]
    return LossValue(total, g)


def multiclass_hinge_loss(
    labels: np.ndarray, shares: np.ndarray, pairs: Pairs | None = None
) -> ConvexLoss:
    """Return the loss ``sum_i p_i max_r (f_ir + [r != y_i] - f_iy)`` of labels y."""
    partner = _partners(len(shares), pairs)
    return lambda f: _multiclass_hinge(f, labels, shares, partner)


def majorise_many_clusters(
    shares: np.ndarray, size_limits: np.ndarray, pairs: Pairs | None = None
) -> Majoriser:
    """Return the majoriser of ``sum_i p_i max(0, 1 - first_i + second_i)``.

    First and second are the two largest decision values of a sample. The labels are
    assigned within the size limits (2 x k, as shares), because a cluster without
    samples would stay empty. Where the limits bind, the loss is larger than the true
    one.
    """

    def majorise(f: np.ndarray) -> ConvexLoss:
        labels = assign_in_order(f, shares, size_limits)
        return multiclass_hinge_loss(labels, shares, pairs)

    return majorise
