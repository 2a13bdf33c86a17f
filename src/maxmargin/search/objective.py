"""The objective of a labelling as a record.

With the indicators ``z_h`` of the clusters, a smoother ``S``, ``W_h = z_h' S z_h`` and
the sizes ``n_h``, labels maximise

    sum_h W_h^q / n_h^p.

With ``q = 1`` and ``p = 0`` it is the plain sum of the papers, with ``p = 1`` that of
k-means in the features of the smoother. With ``q = 1/2`` and ``p = 0`` it is that of
spherical k-means: the lengths of the sums of the features, which have equal lengths.
There no size enters, and no centre near zero can collect the samples that are far from
all others. Whatever reads an objective does so by the functions of this file: the share
of a cluster, and the decision values.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled


class Objective(NamedTuple):
    """The exponents of ``sum_h W_h^q / n_h^p``, which must be convex in the sums."""

    power: float = 1.0  # p, of the sizes
    root: float = 1.0  # q, of the within-cluster sums


PLAIN_SUM = Objective(power=0.0)
MEANS = Objective(power=1.0)
DIRECTIONS = Objective(power=0.0, root=0.5)
TINY = float(np.finfo(float).tiny)


@compiled
def share(within, size, objective):
    """Return the term of a cluster in the objective; zero for an empty one."""
    value = within
    if objective.root == 0.5:
        value = np.sqrt(max(within, 0.0))
    elif objective.root != 1.0:
        value = max(within, 0.0) ** objective.root
    if objective.power == 0.0:
        return value
    if size <= 0.0:
        return 0.0
    if objective.power == 1.0:
        return value / size
    return value / size**objective.power


@compiled
def total_share(within, sizes, objective):
    """Return the objective from its parts."""
    total = 0.0
    for h in range(within.shape[0]):
        total += share(within[h], sizes[h], objective)
    return total


@compiled
def slope_terms(within, sizes, objective):
    """Return factors and offsets that turn fitted values into decision values.

    With the fitted value ``f_h(x)``, the decision value

        2 q f_h(x) W_h^(q - 1) / n_h^p - p W_h^q / n_h^(p + 1)

    is the derivative of the objective with respect to the weight of x in cluster h. An
    empty cluster has -inf.
    """
    power, root = objective.power, objective.root
    factors, offsets = np.zeros(len(sizes)), np.zeros(len(sizes))
    for h in range(len(sizes)):
        if sizes[h] <= 0.0:
            offsets[h] = -np.inf
            continue
        factors[h] = 2.0
        if root != 1.0:
            factors[h] *= root * max(within[h], TINY) ** (root - 1.0)
        if power != 0.0:
            factors[h] /= sizes[h] ** power
            offsets[h] = -power * share(within[h], sizes[h], objective) / sizes[h]
    return factors, offsets


def decision_terms(
    within: np.ndarray, sizes: np.ndarray, objective: Objective
) -> tuple[np.ndarray, np.ndarray]:
    """Return `slope_terms` in units of the mean size to the power -p."""
    factors, offsets = slope_terms(within, sizes, objective)
    unit = sizes.mean() ** objective.power
    return factors * unit, offsets * unit
