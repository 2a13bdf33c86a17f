"""Size limits of clusters."""

import numbers
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from maxmargin.search.limits import ROUNDING
from maxmargin.search.objective import MEANS, Objective


class Balance(NamedTuple):
    """Limits and targets of the cluster sizes, and the objective.

    A size is a total of sample weights, without weights a number of samples.
    """

    limits: np.ndarray  # (2, k), smallest and largest size
    targets: np.ndarray  # (k,), the sizes that shaking aims at
    objective: Objective
    bounded: bool  # whether the limits can bind

    def of_part(self, weights: np.ndarray, total: float) -> "Balance":
        """Return the balance of a part of the samples, with limits rounded outwards.

        ``weights`` are those of the part, ``total`` is that of all samples.
        """
        factor = weights.sum() / total
        unit, exact = _unit(weights)
        low, high = self.limits * factor
        if exact:
            low, high = np.floor(low / unit) * unit, np.ceil(high / unit) * unit
        else:
            low, high = low - unit, high + unit
        rounding = ROUNDING * weights.sum()
        low = np.maximum(low - rounding, self.limits[0].clip(max=weights.min() / 2))
        return self._replace(
            limits=np.stack([low, high + rounding]), targets=self.targets * factor
        )


def make_balance(
    balance: str | float | Sequence[float | None],
    n_clusters: int,
    weights: np.ndarray,
    objective: Objective = MEANS,
) -> Balance:
    """Return the size limits of the parameter ``balance``.

    Parameters
    ----------
    balance : "free", "equal", float, or array-like
        ``"free"``: any size but zero; with power 0, as in the papers, no limit at all.
        ``"equal"``: sizes that differ by at most one.
        A number l between 0 and 1: sizes of at least ``(1 - l)`` and at most
        ``(1 + l)`` times the mean; for two clusters that is ``|sum_i y_i| <= l n``.
        ``n_clusters`` numbers that add up to 1: the proportion of each cluster.
        Two integers: the minimum and maximum size; ``None`` for no limit.
    n_clusters : int
    weights : ndarray of shape (n_samples,)
    objective : Objective, default=MEANS
    """
    total = float(weights.sum())
    share = np.full(n_clusters, total / n_clusters)
    smallest = float(weights.min()) / 2
    free = isinstance(balance, str) and balance == "free"
    if n_clusters == 1 or free:
        low = -np.inf if objective.power == 0 else smallest
        return Balance(_limits(low, np.inf, n_clusters), share, objective, False)
    if isinstance(balance, str):
        if balance == "equal":
            return _fixed_sizes(share, weights, objective)
        raise ValueError(_explain(balance, n_clusters))
    if not isinstance(balance, Iterable):
        return _share_around_mean(balance, n_clusters, weights, objective)
    sizes = [np.nan if value is None else float(value) for value in balance]
    if len(sizes) == n_clusters and np.isclose(sum(sizes), 1.0):
        if min(sizes) <= 0:
            raise ValueError(_explain(balance, n_clusters))
        return _fixed_sizes(np.asarray(sizes) * total, weights, objective)
    if len(sizes) != 2:
        raise ValueError(_explain(balance, n_clusters))
    low, high = sizes
    low = smallest if np.isnan(low) or low == 0 else low
    high = np.inf if np.isnan(high) else high
    if not (low == smallest or low >= 1) or high < 1 or low > high:
        raise ValueError(_explain(balance, n_clusters))
    if low * n_clusters > total or high * n_clusters < total:
        raise ValueError(
            f"balance={balance!r} cannot be met: {n_clusters} clusters of these sizes "
            f"hold {low * n_clusters:g} to {high * n_clusters:g} samples, and there "
            f"are {total:g}. Lower the minimum or raise the maximum."
        )
    return Balance(
        _limits(low, high, n_clusters), np.clip(share, low, high), objective, True
    )


def possible_counts(balance: Any, total: float) -> tuple[int, float]:
    """Return the least and the largest number of clusters that limits allow.

    With proportions it is their number; with a smallest and a largest size, the numbers
    of clusters of these sizes that hold samples of a total weight.
    """
    if isinstance(balance, str) or not isinstance(balance, Iterable):
        return 1, np.inf
    sizes = [np.nan if value is None else float(value) for value in balance]
    if len(sizes) != 2 or np.isclose(sum(sizes), 1.0):
        return len(sizes), len(sizes)
    low, high = sizes
    least = 1 if np.isnan(high) else int(np.ceil(total / max(high, 1.0)))
    most = np.inf if np.isnan(low) else max(np.floor(total / max(low, 1.0)), 1.0)
    return least, most


def _share_around_mean(
    slack: float, n_clusters: int, weights: np.ndarray, objective: Objective
) -> Balance:
    """Limit the sizes to the mean plus and minus a share of it.

    If no total of weights lies between, the limits are widened to the nearest ones.
    """
    if not isinstance(slack, numbers.Real) or not 0 <= slack <= 1:
        raise ValueError(_explain(slack, n_clusters))
    mean = weights.sum() / n_clusters
    targets = np.full(n_clusters, mean)
    tight = _fixed_sizes(targets, weights, objective)
    low = np.minimum(tight.limits[0], max((1 - slack) * mean, weights.min() / 2))
    high = np.maximum(tight.limits[1], (1 + slack) * mean)
    return tight._replace(limits=np.stack([low, high]))


def _fixed_sizes(
    targets: np.ndarray, weights: np.ndarray, objective: Objective
) -> Balance:
    """Limit the sizes to their targets, up to one sample."""
    unit, exact = _unit(weights)
    if exact:
        low = np.maximum(np.floor(targets / unit + 1e-9), 1) * unit
        high = np.maximum(np.ceil(targets / unit - 1e-9), 1) * unit
    else:
        low = np.maximum(targets - unit, weights.min() / 2)
        high = targets + unit
    if low.sum() > weights.sum() * (1 + 1e-9):
        raise ValueError(
            f"balance gives clusters smaller than one sample (sizes {targets}): "
            "raise the smallest proportions or lower n_clusters."
        )
    rounding = ROUNDING * weights.sum()
    return Balance(
        np.stack([low - rounding, high + rounding]), targets, objective, True
    )


def _unit(weights: np.ndarray) -> tuple[float, bool]:
    """Return the unit up to which sizes can be met, and whether they are multiples.

    If most of the weight is in samples of one unit, it is that unit; with many unequal
    weights, the largest of them.
    """
    unit = float(weights.min())
    whole = np.allclose(weights / unit, np.round(weights / unit))
    if whole and weights[weights < 1.5 * unit].sum() >= weights.sum() / 2:
        return unit, True
    return float(weights.max()), False


def _limits(low: float, high: float, n_clusters: int) -> np.ndarray:
    return np.repeat([[low], [high]], n_clusters, axis=1)


def _explain(balance: object, n_clusters: int) -> str:
    return (
        f"balance={balance!r} is not understood: give 'free', 'equal', a share between "
        f"0 and 1, {n_clusters} proportions that add up to 1, or (minimum, maximum) "
        "sizes as integers, with None for no limit."
    )
