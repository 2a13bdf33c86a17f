"""The loss of objects that are seen twice: equation (16) of Fan et al."""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.hinge.cutting_plane import Loss, Majoriser


class Pairs(NamedTuple):
    """The positions of two rows of each object that has two."""

    first: np.ndarray
    second: np.ndarray


@compiled
def _paired(f, signs, shares, partner, g):
    """Return the sum over objects of the larger loss of their rows; write a slope."""
    total = 0.0
    for i in range(f.shape[0]):
        g[i] = 0.0
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
    return total


def paired_loss(signs: np.ndarray, shares: np.ndarray, pairs: Pairs) -> Loss:
    """Return the loss of given labels.

    It is the sum over objects of ``max(0, p_i (1 - y_i f_i), p_j (1 - y_j f_j))``, i
    and j being the rows of the object; a row without a partner stands alone.
    """
    partner = np.full(len(shares), -1)
    partner[pairs.first] = pairs.second
    partner[pairs.second] = pairs.first

    def loss(f: np.ndarray) -> tuple[float, np.ndarray]:
        g = np.empty(len(f))
        return _paired(f, signs, shares, partner, g), g

    return loss


def paired_hinge(shares: np.ndarray, pairs: Pairs) -> Majoriser:
    """Return the majoriser of the loss with free labels, ``|f|`` in place of y f."""

    def majorise(f: np.ndarray) -> Loss:
        return paired_loss(np.where(f > 0.0, 1.0, -1.0), shares, pairs)

    return majorise
