"""Passes over all samples: each goes to its best cluster, all at once, in blocks.

With a smoother of low rank, ``S = W Phi Phi' W``, the objective depends on the samples
through the sums ``s_h = Phi' W z_h`` and the sizes ``n_h`` alone,

    sum_h |s_h|^2 / n_h^p,

which is convex in them for p between 0 and 1. So it cannot fall when every sample goes
to the cluster with the largest value of the linearised objective,

    2 phi(x) s_h / n_h^p - p |s_h|^2 / n_h^(p + 1),

and passes end. Where ``Phi(x) = k(x) P`` with few kernel columns ``k(x)``, the features
themselves are never formed: values are ``k(x) (P s_h)``, and ``s_h = P' t_h`` with the
sums ``t_h`` of kernel columns. A pass sends ``P s_h`` to every block and gets ``t_h``
back, wherever the block is.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from maxmargin.search.assignment import assign_within_limits, decision_terms
from maxmargin.search.result import OnIteration

TOLERANCE = 1e-4  # the share by which a pass must raise the objective to be followed


class Sums(NamedTuple):
    """What the objective needs to know of a labelling."""

    columns: np.ndarray  # (m, k), the weighted sum of kernel columns of each cluster
    sizes: np.ndarray  # (k,)


class Decisions(NamedTuple):
    """Decision values ``k(x) coefficients + offsets``; the largest wins."""

    coefficients: np.ndarray  # (m, k)
    offsets: np.ndarray  # (k,)


def sum_columns(
    columns: np.ndarray, weights: np.ndarray, labels: np.ndarray, n_clusters: int
) -> Sums:
    """Return the sums of a block of kernel columns."""
    targets = np.zeros((len(labels), n_clusters))
    targets[np.arange(len(labels)), labels] = weights
    return Sums(columns.T @ targets, targets.sum(axis=0))


def pass_block(columns: np.ndarray, weights: np.ndarray, decisions: Decisions) -> Sums:
    """Label a block of samples and return its sums."""
    values = columns @ decisions.coefficients + decisions.offsets
    return sum_columns(columns, weights, values.argmax(axis=1), values.shape[1])


def pass_within_limits(
    columns: np.ndarray,
    weights: np.ndarray,
    decisions: Decisions,
    limits: np.ndarray,
) -> Sums:
    """Label samples within size limits, which takes all at once; return the sums."""
    values = columns @ decisions.coefficients + decisions.offsets
    labels = assign_within_limits(values, weights, limits)
    return sum_columns(columns, weights, labels, values.shape[1])


def add_sums(parts: list[Sums]) -> Sums:
    """Add the sums of blocks, in their order."""
    return Sums(
        np.sum([part.columns for part in parts], axis=0),
        np.sum([part.sizes for part in parts], axis=0),
    )


def decide_by(sums: Sums, projection: np.ndarray, power: float) -> Decisions:
    """Return the decision values that follow from the sums."""
    features = projection.T @ sums.columns
    within = np.einsum("mh,mh->h", features, features)
    factors, offsets = decision_terms(within, sums.sizes, power)
    return Decisions(projection @ features * factors, offsets)


def objective_of(sums: Sums, projection: np.ndarray, power: float) -> float:
    """Return ``sum_h |s_h|^2 / n_h^p``."""
    features = projection.T @ sums.columns
    filled = sums.sizes > 0
    within = np.einsum("mh,mh->h", features, features)[filled]
    return float(np.sum(within / sums.sizes[filled] ** power))


def repeat_passes(
    one_pass: Callable[[Decisions], Sums],
    start: Decisions,
    projection: np.ndarray,
    power: float,
    *,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> tuple[Decisions, tuple[float, ...], bool]:
    """Pass until the objective rises no more.

    Returns the decision values of the best sums, the objective after each pass, and
    whether passes ended by themselves.
    """
    decisions = start
    history: list[float] = []
    while len(history) < max_iter:
        sums = one_pass(decisions)
        value = objective_of(sums, projection, power)
        if history and value <= history[-1] * (1 + TOLERANCE):
            return decisions, tuple(history), True
        history.append(value)
        decisions = decide_by(sums, projection, power)
        if on_iteration is not None:
            on_iteration(len(history), value)
    return decisions, tuple(history), False
