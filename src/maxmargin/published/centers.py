"""Centres of each class, which span the functions of a reduced classifier."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin.engine.checks import check_integer, check_positive
from maxmargin.rows.sample import group_equal_rows
from maxmargin.smoothers.landmarks import center_rows, find_centers
from maxmargin.smoothers.leader import Leaders, find_leaders, leader_centers

# n_centers="auto": one centre for this many distinct samples, and their largest number.
SAMPLES_PER_CENTER = 10
MAX_AUTO_CENTERS = 300


class Group(NamedTuple):
    """The distinct samples of a class and their total weights.

    Their order depends on their values alone. So the centres do not depend on the order
    of the rows, and a sample of weight 3 is the same as three equal samples.
    """

    X: Any  # dense or CSR; sample numbers if the kernel is precomputed
    weights: np.ndarray


def make_group(X, weights: np.ndarray) -> Group:
    """Return the distinct samples with their total weights."""
    first, groups = group_equal_rows(X)
    return Group(X[first], np.bincount(groups, weights, minlength=len(first)))


def split_by_size(n_centers: int, sizes: np.ndarray) -> np.ndarray:
    """Split a number of centres among classes in proportion to their sizes.

    It is the largest remainder method: each class gets the integer part of its share,
    and the classes with the largest remainders one more. A class without a centre gets
    one of the class that has most.
    """
    shares = n_centers * sizes / sizes.sum()
    counts = np.floor(shares).astype(int)
    order = np.argsort(counts - shares, kind="stable")
    counts[order[: n_centers - counts.sum()]] += 1
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
) -> tuple[Any, np.ndarray | None]:
    """Return at most ``counts[h]`` centres of each class h, and the radii of leaders.

    If radii are given, leader clustering decides on the number of centres instead.
    """
    found, used = [], []
    for h, group in enumerate(groups):
        if kind != "leader":
            found.append(find_centers(kind, *group, int(counts[h]), random))
            continue
        if radii is None:
            rows = center_rows(group.weights, random)  # a subsample of many samples
            leaders = find_leaders(group.X[rows], group.weights[rows], int(counts[h]))
        else:
            leaders = Leaders(leader_centers(*group, radii[h]), radii[h])
        found.append(leaders.centers.astype(group.X.dtype))
        used.append(leaders.radius)
    sparse = sp.issparse(found[0])
    points = sp.vstack(found, "csr") if sparse else np.concatenate(found)
    return points, np.array(used) if used else None


def check_counts(n_centers, n_samples: int, sizes: np.ndarray) -> np.ndarray:
    """Return the number of centres of each class."""
    if isinstance(n_centers, str) and n_centers == "auto":
        n_centers = -(-n_samples // SAMPLES_PER_CENTER)
        n_centers = max(min(n_centers, MAX_AUTO_CENTERS), len(sizes))
    if np.ndim(n_centers) == 0:
        check_integer("n_centers", n_centers)
        if n_centers < len(sizes):
            raise ValueError(
                f"n_centers={n_centers} is less than the number of classes, "
                f"{len(sizes)}: use at least one for each."
            )
        return split_by_size(int(n_centers), sizes)
    counts = _check_values("n_centers", n_centers, len(sizes))
    for count in counts:
        check_integer("n_centers", count)
    return np.array(counts)


def check_radii(radius, n_classes: int) -> np.ndarray | None:
    """Return the radius of each class, or ``None`` for ``radius="auto"``."""
    if isinstance(radius, str) and radius == "auto":
        return None
    radii = (
        [radius] * n_classes
        if np.ndim(radius) == 0
        else _check_values("radius", radius, n_classes)
    )
    for value in radii:
        check_positive("radius", value)
    return np.array(radii, dtype=np.float64)


def _check_values(name: str, values, n_classes: int) -> list:
    """Return the values as a list; raise an error if there is not one a class."""
    values = list(values)
    if len(values) != n_classes:
        raise ValueError(
            f"{name} has {len(values)} values for {n_classes} classes: give one value "
            "for each class, or one number."
        )
    return values


def check_points(points, n_features: int):
    """Return given centres as an array of points."""
    points = check_array(points, accept_sparse="csr", input_name="centers")
    if points.shape[1] != n_features:
        raise ValueError(
            f"centers has {points.shape[1]} features and X has {n_features}: give "
            "points with the features of X."
        )
    return points
