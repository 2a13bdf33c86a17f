r"""How much each cell looks like the cells of each label.

The groups of features, such as colour and texture, count as independent: the
probability of a label is proportional to the product of its probabilities by each
group. A part of the sky seen through branches has the texture of the branches, but its
colour tells.

The density of a label at the features x of a cell in one group is

.. math:: p_h(x) = \sum_i s_{ih} \exp(-\|A (x - x_i)\|^2 / 2 w^2), \quad w = 1/2,

with shares s of the cells i in the label that sum to 1. A measures distances in
deviations within the labels: it whitens W, the mean of their covariances, and
multiplies each principal axis by :math:`\sqrt{b / (b + 1)}`, where b is the variance of
the means of the labels along it. So axes along which the labels do not differ do not
count.

A cell that looks like no label may have any: a uniform density is added to that of each
label, and the densities are multiplied by :math:`\min(1, t(x) / t)` with

.. math:: t(x) = \sum_h \exp(-\|V (x - m_h)\|^2 / 2),

the means m of the labels, the map V that whitens W, and the median t over all cells: a
meadow is unlike both the sky and an elk, along axes that do not separate these.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp
from sklearn.metrics.pairwise import rbf_kernel

WIDTH = 0.5  # of the densities, in deviations within a label
NOISE = 9.0  # added to the variances within labels, the square of 3 in L*a*b*
UNIFORM_SHARE = 0.1  # of the uniform density, as a share of the median density
MAX_EXAMPLES = 1000  # cells from which densities are computed


def choose_examples(
    given: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return cells of each label, and their shares, of shape (n_examples, n_labels).

    Cells with a stroke, in ``given``, make half of a label, the cells that have it in
    ``labels`` the other half, so that strokes are not outnumbered. A half has evenly
    spaced ones of its cells if they are too many.
    """
    n_labels = given.max() + 1
    largest = max(MAX_EXAMPLES // (2 * n_labels), 1)
    rows, shares = [], []
    for part in (given, labels):
        for label in range(n_labels):
            some = np.flatnonzero(part == label)
            some = some[:: -(-len(some) // largest)]
            share = np.zeros((len(some), n_labels))
            share[:, label] = 0.5 * weights[some] / weights[some].sum()
            rows.append(some)
            shares.append(share)
    return np.concatenate(rows), np.concatenate(shares)


def whitening_map(examples: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the map V of a group from its features of examples, transposed."""
    n_labels = shares.shape[1]
    means = shares.T @ examples
    within = NOISE * np.eye(examples.shape[1])
    for mean, share in zip(means, shares.T, strict=True):
        centred = examples - mean
        within += centred.T @ (centred * share[:, None]) / n_labels
    variances, axes = np.linalg.eigh(within)
    return axes / np.sqrt(variances)


def label_densities(
    features: np.ndarray, rows: np.ndarray, shares: np.ndarray
) -> np.ndarray:
    """Return the density of each label at each cell, by one group of features."""
    places = features @ whitening_map(features[rows], shares)
    means = shares.T @ places[rows]
    between = means.var(axis=0)
    scaled = places * (np.sqrt(between / (between + 1)) / WIDTH)
    density = rbf_kernel(scaled, scaled[rows], gamma=0.5) @ shares
    uniform = UNIFORM_SHARE * np.median(density.sum(axis=1)) / len(means)
    typical = rbf_kernel(places, means, gamma=0.5).sum(axis=1)
    typical = np.minimum(1.0, typical / np.median(typical))
    return density * typical[:, None] + uniform + np.finfo(float).tiny


def label_likeness(
    features: np.ndarray,
    groups: Sequence[slice],
    given: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    """Return the logarithm of the probability of each label for each cell.

    ``given`` has the labels of cells with strokes, -1 for others, and ``labels`` those
    of all cells as far as they are known.
    """
    rows, shares = choose_examples(given, labels, weights)
    result = np.zeros((len(features), shares.shape[1]))
    for group in groups:
        result += np.log(label_densities(features[:, group], rows, shares))
    return result - logsumexp(result, axis=1, keepdims=True)
