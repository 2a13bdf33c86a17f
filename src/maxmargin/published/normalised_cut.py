"""Normalised cuts of Shi and Malik (2000) on the similarities of all samples.

With similarities K, weights w and degrees ``d = K w`` a cut into A and B costs

    Ncut(A, B) = cut(A, B) / vol(A) + cut(A, B) / vol(B),

where ``vol(A) = sum_{i in A} w_i d_i`` and ``cut(A, B) = sum_{i in A, j in B} w_i w_j
K_ij``. Relaxed to real values y it is minimised by the second solution of
``K W y = m D y``, the one with the second largest m. So samples are ordered by y, and
of all places to cut this order the one with the smallest cost is taken. More than two
clusters are found by cutting parts again: the part whose own cut costs least comes
next.

The similarities are those of features Z, ``K = Z Z'``. Then the eigenvectors come from
a matrix with one row and column for each feature, and with the sum ``p`` of ``w_i z_i``
over one side, ``cut = vol - |p|^2``.

J. Shi, J. Malik: Normalized cuts and image segmentation. IEEE Transactions on Pattern
Analysis and Machine Intelligence 22(8), 2000.
"""

from typing import NamedTuple

import numpy as np


class Cut(NamedTuple):
    """A cut into two parts."""

    labels: np.ndarray  # (n,), 0 and 1
    cost: float


def normalised_cut(
    features: np.ndarray,
    weights: np.ndarray,
    n_clusters: int = 2,
    *,
    at_zero: bool = False,
) -> np.ndarray:
    """Return the labels of normalised cuts into ``n_clusters`` parts.

    With ``at_zero`` the order is cut where y changes its sign, which Shi and Malik also
    name, in place of the best place.
    """
    labels = np.zeros(len(weights), dtype=np.int64)
    cuts = {0: cut_in_two(features, weights, at_zero=at_zero)}
    for new in range(1, n_clusters):
        part = min(cuts, key=lambda h: cuts[h].cost)
        members = np.flatnonzero(labels == part)
        labels[members[cuts[part].labels == 1]] = new
        for h in (part, new):
            rows = np.flatnonzero(labels == h)
            cuts[h] = cut_in_two(features[rows], weights[rows], at_zero=at_zero)
    return labels


def cut_in_two(
    features: np.ndarray, weights: np.ndarray, *, at_zero: bool = False
) -> Cut:
    """Return the best normalised cut in the order of the second eigenvector.

    A part that is a single sample cannot be cut: its cost is infinite.
    """
    labels = np.zeros(len(weights), dtype=np.int64)
    if len(weights) < 2:
        return Cut(labels, np.inf)
    degrees = check_node_degrees(features @ (features.T @ weights))
    values = second_values(features, weights, degrees)
    order = np.argsort(values, kind="stable")
    mass = weights[order]
    volumes = np.cumsum(mass * degrees[order])
    sums = np.cumsum(mass[:, None] * features[order], axis=0)
    cuts = volumes[:-1] - np.einsum("im,im->i", sums[:-1], sums[:-1])
    costs = cuts / volumes[:-1] + cuts / (volumes[-1] - volumes[:-1])
    place = int(np.argmin(costs))
    if at_zero:
        place = int(np.clip((values <= 0).sum() - 1, 0, len(costs) - 1))
    labels[order[place + 1 :]] = 1
    return Cut(labels, float(costs[place]))


def second_values(
    features: np.ndarray, weights: np.ndarray, degrees: np.ndarray
) -> np.ndarray:
    """Return the second solution y of ``K W y = m D y``.

    With ``u = (W D)^1/2 y`` the problem is symmetric, and u comes from the eigenvectors
    v of ``Z' W D^-1 Z``: ``y = D^-1 Z v``. A kernel of rank one has no second solution
    but zero: the samples differ in their only feature.
    """
    if features.shape[1] == 1:
        only: np.ndarray = features[:, 0]
        return only
    scaled = features / np.sqrt(degrees)[:, None]
    _, vectors = np.linalg.eigh((scaled * weights[:, None]).T @ scaled)
    values: np.ndarray = scaled @ vectors[:, -2] / np.sqrt(degrees)
    return values


def check_node_degrees(degrees: np.ndarray) -> np.ndarray:
    """Return degrees, which must be positive."""
    if degrees.min() <= 0:
        raise ValueError(
            "Normalised cuts need a kernel without negative values, because they are "
            "similarities: use kernel='rbf' or init='k-means'."
        )
    return degrees
