"""How large clusters may be: the user's wish as numbers that a search can use."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np


class Balance(NamedTuple):
    """Limits and targets of the cluster sizes, and the objective that goes with them.

    A size is a total of sample weights, without weights a number of samples.
    """

    limits: np.ndarray  # (2, k), smallest and largest size
    targets: np.ndarray  # (k,), the sizes that shaking drives to
    power: float  # the p of the objective sum_h z_h' S z_h / n_h^p
    bounded: bool  # whether the limits can bind

    def scaled(self, factor: float) -> "Balance":
        """Return the same for a part of the samples, limits rounded outwards."""
        low = np.maximum(
            np.floor(self.limits[0] * factor), self.limits[0].clip(max=0.5)
        )
        high = np.ceil(self.limits[1] * factor)
        return self._replace(
            limits=np.stack([low, high]), targets=self.targets * factor
        )


def make_balance(
    wish: str | float | Sequence[float | None] | None,
    n_clusters: int,
    weights: np.ndarray,
    power: float = 1.0,
) -> Balance:
    """Turn a wish about sizes into limits.

    Parameters
    ----------
    wish : "free", "equal", None, a share, proportions, or (minimum, maximum)
        ``"free"``: any size but zero. ``"equal"``: sizes that differ by at most one.
        ``None``: no limit and the plain sum as objective, as the papers have it.
        ``n_clusters`` numbers that add up to 1: the share of each cluster.
        A number l between 0 and 1: sizes of at least ``(1 - l)`` and at most
        ``(1 + l)`` times the mean; for two clusters that is ``|sum_i y_i| <= l n``.
        Two whole numbers: the smallest and largest size; ``None`` for no limit.
    n_clusters : int
    weights : ndarray of shape (n_samples,)
    power : float, default=1.0
        The power of the sizes in the objective, unless ``wish`` is None.
    """
    total = float(weights.sum())
    share = np.full(n_clusters, total / n_clusters)
    smallest = float(weights.min()) / 2
    if n_clusters == 1:
        wish = "free"
    if wish is None:
        return Balance(_limits(-np.inf, np.inf, n_clusters), share, 0.0, False)
    if isinstance(wish, str):
        if wish == "free":
            return Balance(_limits(smallest, np.inf, n_clusters), share, power, False)
        if wish == "equal":
            return _fixed_sizes(share, weights, power)
        raise ValueError(_explain(wish, n_clusters))
    if not isinstance(wish, Iterable):
        return _share_around_mean(wish, n_clusters, weights, power)
    sizes = [np.nan if value is None else float(value) for value in wish]
    if len(sizes) == n_clusters and np.isclose(sum(sizes), 1.0):
        if min(sizes) <= 0:
            raise ValueError(_explain(wish, n_clusters))
        return _fixed_sizes(np.asarray(sizes) * total, weights, power)
    if len(sizes) != 2:
        raise ValueError(_explain(wish, n_clusters))
    low, high = sizes
    low = smallest if np.isnan(low) or low == 0 else low
    high = np.inf if np.isnan(high) else high
    if not (low == smallest or low >= 1) or high < 1 or low > high:
        raise ValueError(_explain(wish, n_clusters))
    if low * n_clusters > total or high * n_clusters < total:
        raise ValueError(
            f"balance={wish!r} cannot be met: {n_clusters} clusters of these sizes "
            f"hold {low * n_clusters:g} to {high * n_clusters:g} samples, and there "
            f"are {total:g}. Lower the minimum or raise the maximum."
        )
    return Balance(
        _limits(low, high, n_clusters), np.clip(share, low, high), power, True
    )


def _share_around_mean(
    slack: float, n_clusters: int, weights: np.ndarray, power: float
) -> Balance:
    """Limit the sizes to the mean plus and minus a share of it.

    Where no size of whole samples lies between, the nearest ones count.
    """
    mean = weights.sum() / n_clusters
    targets = np.full(n_clusters, mean)
    if not 0 <= slack <= 1:
        raise ValueError(_explain(slack, n_clusters))
    tight = _fixed_sizes(targets, weights, power)
    low = np.minimum(tight.limits[0], max((1 - slack) * mean, weights.min() / 2))
    high = np.maximum(tight.limits[1], (1 + slack) * mean)
    return tight._replace(limits=np.stack([low, high]))


def _fixed_sizes(targets: np.ndarray, weights: np.ndarray, power: float) -> Balance:
    """Hold sizes at their targets, up to what whole samples allow.

    Where most weight is in samples of one unit, sizes are exact up to that unit; with
    many unequal weights, up to the largest of them.
    """
    unit = weights.min()
    whole = np.allclose(weights / unit, np.round(weights / unit))
    if whole and weights[weights < 1.5 * unit].sum() >= weights.sum() / 2:
        low = np.maximum(np.floor(targets / unit + 1e-9), 1) * unit
        high = np.maximum(np.ceil(targets / unit - 1e-9), 1) * unit
    else:
        slack = weights.max()
        low = np.maximum(targets - slack, weights.min() / 2)
        high = targets + slack
    if low.sum() > weights.sum() * (1 + 1e-9):
        raise ValueError(
            f"balance asks for clusters smaller than one sample (sizes {targets}): "
            "raise the smallest proportions or lower n_clusters."
        )
    rounding = 1e-9 * weights.sum()
    return Balance(np.stack([low - rounding, high + rounding]), targets, power, True)


def _limits(low: float, high: float, n_clusters: int) -> np.ndarray:
    return np.repeat([[low], [high]], n_clusters, axis=1)


def _explain(wish: object, n_clusters: int) -> str:
    return (
        f"balance={wish!r} is not understood: give 'free', 'equal', None, a share "
        f"between 0 and 1, {n_clusters} proportions that add up to 1, or (minimum, "
        "maximum) sizes as whole numbers, with None for no limit."
    )
