"""Linked samples within size limits.

Groups of samples that stay together, or may not share a cluster with another group, are
placed by an integer program. With ``x_gh = 1`` if group g is in cluster h, its weight
``t_g`` and its value ``v_gh``,

    max  sum_gh v_gh x_gh      subject to      sum_h x_gh = 1,
         x_gh + x_g'h <= 1                     for groups g, g' with a cannot-link,
         low_h <= sum_g t_g x_gh + f_h <= high_h,      sum_h f_h = F.

``f_h >= 0`` is what samples without links, of the total weight F, add to cluster h:
multiples of their weight if that is the same for all. These samples are divided
afterwards, as in `search.limits`.
"""

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, milp

from maxmargin.search.constraints import Constraints
from maxmargin.search.limits import ROUNDING, assign_within_limits, finite_values

MAX_SECONDS = 30.0  # of the integer program; what was found until then is taken
IMPOSSIBLE = (
    "balance cannot be met with these labels and pairs: widen the limits, or drop some "
    "of the labels and pairs."
)


def place_within_limits(
    labels: np.ndarray,
    preferences: np.ndarray,
    constraints: Constraints,
    totals: np.ndarray,
    limits: np.ndarray,
) -> np.ndarray:
    """Return labels of groups that meet constraints and size limits.

    Parameters
    ----------
    labels : ndarray of shape (n_groups,)
        Labels that meet the constraints. Those of bound groups are kept if the other
        samples can fill the clusters.
    preferences : ndarray of shape (n_groups, n_clusters)
        The values of groups in clusters; -inf stands for a very small one.
    constraints : Constraints
    totals : ndarray of shape (n_groups,)
        The weight of each group.
    limits : ndarray of shape (2, n_clusters)
        The smallest and the largest total weight of each cluster.
    """
    labels, k = labels.copy(), preferences.shape[1]
    values, fixed, bound = (
        finite_values(preferences),
        constraints.fixed,
        constraints.bound,
    )
    alone = ~fixed & ~bound & (totals > 0)

    def left(held: np.ndarray) -> np.ndarray:
        return limits - np.bincount(labels[held], totals[held], k)

    if not _can_be_met(left(fixed | bound), totals[alone].sum()):
        labels[bound] = _place_bound(
            np.where(constraints.blocked(k), -np.inf, values)[bound],
            constraints.apart[bound][:, bound],
            totals[bound],
            left(fixed),
            totals[alone],
        )
    if alone.any():
        room = np.maximum(left(fixed | bound), 0.0)
        labels[alone] = assign_within_limits(values[alone], totals[alone], room)
    return labels


def _can_be_met(limits: np.ndarray, total: float) -> bool:
    """Tell whether samples of a total weight can fill clusters up to these limits."""
    rounding = ROUNDING * max(total, float(np.abs(limits[np.isfinite(limits)]).max()))
    least, most = np.maximum(limits, 0.0).sum(axis=1)
    fits = (limits[1] >= -rounding).all()
    return bool(fits and least <= total + rounding and most >= total - rounding)


def _place_bound(
    values: np.ndarray,
    apart: sp.csr_array,
    totals: np.ndarray,
    limits: np.ndarray,
    others: np.ndarray,
) -> np.ndarray:
    """Solve the integer program; ``others`` are the weights of samples without links.

    A value of -inf forbids a cluster to a group.
    """
    n_groups, k = values.shape
    same = len(others) > 0 and bool((others == others[0]).all())
    unit = others[0] if same else 1.0
    slack = ROUNDING * (totals.sum() + others.sum())
    pairs = sp.triu(apart, 1).tocoo()
    n_pairs = len(pairs.row)
    first = sp.coo_array(
        (np.ones(n_pairs), (np.arange(n_pairs), pairs.row)), shape=(n_pairs, n_groups)
    )
    second = sp.coo_array(
        (np.ones(n_pairs), (np.arange(n_pairs), pairs.col)), shape=(n_pairs, n_groups)
    )
    each, clusters = sp.eye_array(n_groups), sp.eye_array(k)
    # Variables: the x, group by group, and the f in units.
    whole = sp.kron(each, np.ones((1, k)))
    together = sp.kron(first + second, clusters)
    sizes = sp.hstack([sp.kron(totals[None, :], clusters), unit * clusters])
    rest = sp.coo_array(np.r_[np.zeros(n_groups * k), np.full(k, unit)][None, :])
    nothing = sp.coo_array((n_groups + n_pairs * k, k))
    allowed = np.isfinite(values)
    found = milp(
        -np.r_[_scaled(values, allowed).ravel(), np.zeros(k)],
        integrality=np.r_[np.ones(n_groups * k), np.full(k, float(same))],
        bounds=Bounds(0, np.r_[allowed.ravel().astype(float), np.full(k, np.inf)]),
        constraints=[
            LinearConstraint(
                sp.csc_array(sp.hstack([sp.vstack([whole, together]), nothing])),
                np.r_[np.ones(n_groups), np.full(n_pairs * k, -np.inf)],
                1,
            ),
            LinearConstraint(sp.csc_array(sizes), limits[0] - slack, limits[1] + slack),
            LinearConstraint(sp.csc_array(rest), others.sum(), others.sum()),
        ],
        options={"time_limit": MAX_SECONDS},
    )
    if found.x is None:
        raise ValueError(IMPOSSIBLE)
    return found.x[: n_groups * k].reshape(n_groups, k).argmax(axis=1)


def _scaled(values: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Return values between 0 and 1, so that tolerances of the solver fit them."""
    known = values[allowed]
    if not len(known):
        return np.zeros(values.shape)
    extent = float(np.ptp(known)) or 1.0
    return np.where(allowed, (values - known.min()) / extent, 0.0)
