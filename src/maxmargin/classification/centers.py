"""The points that span a reduced classifier, class by class."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin.clustering.parameters import check_integer, check_positive
from maxmargin.kernels.landmarks import center_rows, find_centers
from maxmargin.kernels.leader import Leaders, find_leaders, leader_centers
from maxmargin.rows.sample import group_equal_rows

# With n_centers="auto" there is a centre for so many samples, up to a limit.
SAMPLES_PER_CENTER = 10
MAX_AUTO_CENTERS = 300


class Group(NamedTuple):
    """The distinct samples of a class, and the total weight of those equal to each.

    Their order depends on their values alone, so that centres do not depend on the
    order of the rows, and a sample of weight 3 is the same as three equal samples.
    """

    X: Any  # dense or CSR, or numbers of the samples
    weights: np.ndarray


def make_group(X, weights: np.ndarray) -> Group:
    """Merge equal samples."""
    first, groups = group_equal_rows(X)
    return Group(X[first], np.bincount(groups, weights, minlength=len(first)))


def share_out(n_centers: int, sizes: np.ndarray) -> np.ndarray:
    """Split a number of centres among classes by their sizes, one each at least.

    Each class gets the whole part of its share, and those with the largest rests one
    more; where a class had none it gets its one nevertheless, from the largest.
    """
    shares = n_centers * sizes / sizes.sum()
    counts = np.floor(shares).astype(int)
    rests = np.argsort(counts - shares, kind="stable")
    counts[rests[: n_centers - counts.sum()]] += 1
    while (counts == 0).any() and counts.max() > 1:
        counts[counts.argmax()] -= 1
        counts[counts.argmin()] += 1
    return np.maximum(counts, 1)


def class_centers(
    kind: str,
    groups: list[Group],
    counts: np.ndarray,
    radii: np.ndarray | None,
    random: np.random.RandomState,
):
    """Return the centres of all classes and, of leader clustering, the radii.

    There are at most ``counts`` centres, unless radii are given for leader clustering:
    then as many as they yield.
    """
    found, used = [], []
    for h, group in enumerate(groups):
        if kind == "leader":
            leaders = (
                _leaders(group, int(counts[h]), random)
                if radii is None
                else Leaders(leader_centers(*group, radii[h]), radii[h])
            )
            found.append(leaders.centers.astype(group.X.dtype))
            used.append(leaders.radius)
        else:
            found.append(find_centers(kind, *group, int(counts[h]), random))
    sparse = sp.issparse(found[0])
    points = sp.vstack(found, "csr") if sparse else np.concatenate(found)
    return points, np.array(used) if used else None


def _leaders(group: Group, count: int, random: np.random.RandomState) -> Leaders:
    """Find the radius for a number of centres, on a part if there are many samples."""
    rows = center_rows(group.weights, random)
    return find_leaders(group.X[rows], group.weights[rows], count)


def check_counts(n_centers, n_samples: int, sizes: np.ndarray) -> np.ndarray:
    """Return how many centres each class gets."""
    if isinstance(n_centers, str) and n_centers == "auto":
        wish = -(-n_samples // SAMPLES_PER_CENTER)
        n_centers = max(min(wish, MAX_AUTO_CENTERS), len(sizes))
    if np.ndim(n_centers) == 0:
        check_integer("n_centers", n_centers)
        if n_centers < len(sizes):
            raise ValueError(
                f"n_centers={n_centers} is less than the number of classes, "
                f"{len(sizes)}: each needs one at least."
            )
        return share_out(int(n_centers), sizes)
    counts = _for_each_class("n_centers", n_centers, len(sizes))
    for count in counts:
        check_integer("n_centers", count)
    return np.array(counts)


def check_radii(radius, n_classes: int) -> np.ndarray | None:
    """Return the radius of each class, or ``None`` where they are to be found."""
    if isinstance(radius, str) and radius == "auto":
        return None
    radii = (
        [radius] * n_classes
        if np.ndim(radius) == 0
        else _for_each_class("radius", radius, n_classes)
    )
    for value in radii:
        check_positive("radius", value)
    return np.array(radii, dtype=np.float64)


def _for_each_class(name: str, values, n_classes: int) -> list:
    values = list(values)
    if len(values) != n_classes:
        raise ValueError(
            f"{name} has {len(values)} values for {n_classes} classes: give one for "
            "each, or one for all."
        )
    return values


def check_points(points, n_features: int):
    """Return given centres as an array of points."""
    points = check_array(points, accept_sparse="csr", input_name="centers")
    if points.shape[1] != n_features:
        raise ValueError(
            f"centers have {points.shape[1]} features and the samples {n_features}."
        )
    return points
