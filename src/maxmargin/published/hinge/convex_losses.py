"""Convex upper bounds of the hinge losses of maximum margin clustering.

The loss of a sample without a label is the smallest loss over all labels, which is not
convex. With the labels fixed at those of given decision values the loss is convex. It
equals the true loss at these values and is at least as large everywhere else: it
majorises the true loss. Shares are sample weights that add up to one.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.published.hinge.cutting_plane import ConvexLoss, LossValue, Majoriser
from maxmargin.search.limits import assign_in_order


def signs_of(f: np.ndarray) -> np.ndarray:
    """Return the labels -1 and 1 of decision values, -1 for zero."""
    return np.where(f > 0.0, 1.0, -1.0)


@compiled
def _hinge(f, signs, shares):
    g = np.empty(f.shape)
    total = 0.0
    for i in range(f.shape[0]):
        short = 1.0 - signs[i] * f[i]
        if short > 0.0:
            total += shares[i] * short
            g[i] = -shares[i] * signs[i]
        else:
            g[i] = 0.0
    return LossValue(total, g)


def hinge_loss(signs: np.ndarray, shares: np.ndarray) -> ConvexLoss:
    """Return the hinge loss ``sum_i p_i max(0, 1 - y_i f_i)`` of labels -1 and 1."""
    return lambda f: _hinge(f, signs, shares)


def majorise_two_clusters(shares: np.ndarray) -> Majoriser:
    """Return the majoriser of ``sum_i p_i max(0, 1 - |f_i|)``."""
    return lambda f: hinge_loss(signs_of(f), shares)


@compiled
def _multiclass_hinge(f, labels, shares):
    g = np.empty(f.shape)
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
    return LossValue(total, g)


def multiclass_hinge_loss(labels: np.ndarray, shares: np.ndarray) -> ConvexLoss:
    """Return the loss ``sum_i p_i max_r (f_ir + [r != y_i] - f_iy)`` of labels y."""
    return lambda f: _multiclass_hinge(f, labels, shares)


def majorise_many_clusters(shares: np.ndarray, size_limits: np.ndarray) -> Majoriser:
    """Return the majoriser of ``sum_i p_i max(0, 1 - first_i + second_i)``.

    First and second are the two largest decision values of a sample. The labels are
    assigned within the size limits (2 x k, as shares), because a cluster without
    samples would stay empty. Where the limits bind, the loss is larger than the true
    one.
    """

    def majorise(f: np.ndarray) -> ConvexLoss:
        labels = assign_in_order(f, shares, size_limits)
        return multiclass_hinge_loss(labels, shares)

    return majorise


class Pairs(NamedTuple):
    """Positions of the two rows of each object that has two rows."""

    first: np.ndarray
    second: np.ndarray


@compiled
def _paired_hinge(f, signs, shares, partner):
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


def paired_hinge_loss(
    signs: np.ndarray, shares: np.ndarray, pairs: Pairs
) -> ConvexLoss:
    """Return the loss of labels -1 and 1 for objects with one or two rows.

    It is the sum over objects of ``max(0, p_i (1 - y_i f_i), p_j (1 - y_j f_j))``, i
    and j being the rows of the object, or of the one term for a row without a partner.
    """
    partner = np.full(len(shares), -1)
    partner[pairs.first] = pairs.second
    partner[pairs.second] = pairs.first
    return lambda f: _paired_hinge(f, signs, shares, partner)


def majorise_pairs(shares: np.ndarray, pairs: Pairs) -> Majoriser:
    """Return the majoriser of the paired loss with ``|f|`` in place of ``y f``."""
    return lambda f: paired_hinge_loss(signs_of(f), shares, pairs)


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
def _paired_multiclass(f, labels, shares, partner):
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


def majorise_many_pairs(
    shares: np.ndarray, pairs: Pairs, size_limits: np.ndarray
) -> Majoriser:
    """Return the majoriser of the paired loss of several clusters.

    It is the sum over objects of ``max(0, p_i (1 - first_i + second_i), p_j (1 -
    first_j + second_j))`` with the two largest decision values of each row.
    """
    partner = np.full(len(shares), -1)
    partner[pairs.first] = pairs.second
    partner[pairs.second] = pairs.first

    def majorise(f: np.ndarray) -> ConvexLoss:
        labels = assign_in_order(f, shares, size_limits)
        return lambda values: _paired_multiclass(values, labels, shares, partner)

    return majorise
