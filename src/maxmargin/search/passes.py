"""Passes over all samples in blocks: each sample moves to its best cluster at once.

With a smoother of low rank, ``S = W Phi Phi' W``, the objective depends on the samples
through the sums ``s_h = Phi' W z_h`` and the sizes ``n_h`` alone,

    sum_h |s_h|^2 / n_h^p,

which is convex in them for p between 0 and 1. So it cannot fall when every sample moves
to the cluster with the largest value of the linearised objective,

    2 phi(x) s_h / n_h^p - p |s_h|^2 / n_h^(p + 1),

and passes end. With ``Phi(x) = k(x) P`` and few kernel columns ``k(x)``, the features
themselves are never formed: values are ``k(x) (P s_h)``, and ``s_h = P' t_h`` with the
sums ``t_h`` of kernel columns. A pass sends ``P s_h`` to every block, wherever it is,
and receives ``t_h``.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from maxmargin.rows.blocks import ArrayBlocks, Blocks
from maxmargin.search.balance import Balance
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.objective import Objective, decision_terms, total_share
from maxmargin.search.state import OnIteration

TOLERANCE = 1e-4  # relative gain of the objective below which passes end
MAX_PASSES = 1000


class Sums(NamedTuple):
    """The sums over clusters that determine the objective."""

    columns: np.ndarray  # (m, k), the weighted sum of kernel columns of each cluster
    sizes: np.ndarray  # (k,)


class Decisions(NamedTuple):
    """Decision values ``k(x) coefficients + offsets``; the largest wins."""

    coefficients: np.ndarray  # (m, k)
    offsets: np.ndarray  # (k,)


class Passes(NamedTuple):
    """The result of repeated passes."""

    decisions: Decisions
    history: tuple[float, ...]  # the objective after each pass
    converged: bool  # False if they ended at the maximum number of passes


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
    """Label all samples at once within size limits; return the sums."""
    values = columns @ decisions.coefficients + decisions.offsets
    labels = assign_within_limits(values, weights, limits)
    return sum_columns(columns, weights, labels, values.shape[1])


def add_sums(parts: list[Sums]) -> Sums:
    """Add the sums of blocks, in their order."""
    return Sums(
        np.sum([part.columns for part in parts], axis=0),
        np.sum([part.sizes for part in parts], axis=0),
    )


def decide_by(sums: Sums, projection: np.ndarray, objective: Objective) -> Decisions:
    """Return the decision values that follow from the sums."""
    features = projection.T @ sums.columns
    within = np.einsum("mh,mh->h", features, features)
    factors, offsets = decision_terms(within, sums.sizes, objective)
    return Decisions(projection @ features * factors, offsets)


def value_of(sums: Sums, projection: np.ndarray, objective: Objective) -> float:
    """Return the objective, in which ``W_h = |s_h|^2``."""
    features = projection.T @ sums.columns
    within = np.einsum("mh,mh->h", features, features)
    return float(total_share(within, sums.sizes, objective))


def pass_over(
    blocks: Blocks, balance: Balance, total_weight: float
) -> Callable[[Decisions], Sums]:
    """Return the function that makes one pass over blocks of kernel columns.

    Size limits are those of all samples, which have the given total weight.
    """
    if not balance.bounded:
        return lambda decisions: add_sums(
            blocks.map(partial(pass_block, decisions=decisions))
        )
    if not isinstance(blocks, ArrayBlocks):
        raise ValueError(
            "Limits of cluster sizes need all samples in one place: use "
            "MaxMarginClustering, or balance='free'."
        )
    columns = np.concatenate([rows for rows, _ in blocks.parts])
    weights = np.concatenate([weights for _, weights in blocks.parts])
    limits = balance.of_part(weights, total_weight).limits
    return lambda decisions: pass_within_limits(columns, weights, decisions, limits)


def repeat_passes(
    one_pass: Callable[[Decisions], Sums],
    start: Decisions,
    projection: np.ndarray,
    objective: Objective,
    on_iteration: OnIteration | None = None,
) -> Passes:
    """Repeat passes until the objective rises by less than the tolerance."""
    decisions = start
    history: list[float] = []
    while len(history) < MAX_PASSES:
        sums = one_pass(decisions)
        value = value_of(sums, projection, objective)
        if history and value <= history[-1] * (1 + TOLERANCE):
            return Passes(decisions, tuple(history), True)
        history.append(value)
        decisions = decide_by(sums, projection, objective)
        if on_iteration is not None:
            on_iteration(len(history), value)
    return Passes(decisions, tuple(history), False)
