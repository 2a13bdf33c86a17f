"""Labels from decision values, within size limits."""

import numpy as np


def assign_within_limits(
    decisions: np.ndarray, weights: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Assign each sample to its best cluster as far as the size limits allow.

    Every sample starts in its best cluster. Then clusters above their maximum move the
    samples with the smallest loss to their best cluster below its maximum, and clusters
    below their minimum receive, from those above it, the samples with the smallest
    loss. This heuristic is for many samples; it is not optimal.
    """
    labels = decisions.argmax(axis=1)
    n_clusters = decisions.shape[1]
    sizes = np.bincount(labels, weights, minlength=n_clusters)
    while (sizes > limits[1]).any():
        giver = int(np.argmax(sizes - limits[1]))
        members = np.flatnonzero(labels == giver)
        room = sizes + weights[members, None] <= limits[1]
        room[:, giver] = False
        values = np.where(room, decisions[members], -np.inf)
        targets = values.argmax(axis=1)
        loss = decisions[members, giver] - values.max(axis=1)
        if not _shift(members, targets, loss, labels, sizes, weights, limits):
            raise ValueError(_IMPOSSIBLE)
    while (sizes < limits[0]).any():
        taker = int(np.argmax(limits[0] - sizes))
        others = np.flatnonzero((labels != taker) & (sizes > limits[0])[labels])
        loss = decisions[others, labels[others]] - decisions[others, taker]
        targets = np.full(len(others), taker)
        if not _shift(others, targets, loss, labels, sizes, weights, limits):
            raise ValueError(_IMPOSSIBLE)
    return labels


_IMPOSSIBLE = "balance cannot be met with these sample weights: widen the limits."


def _shift(samples, targets, loss, labels, sizes, weights, limits) -> int:
    """Move samples in the order of their loss while a size is outside its limits.

    No target exceeds its maximum and no source falls below its minimum. Returns the
    number of moves.
    """
    n_moves = 0
    for position in np.argsort(loss, kind="stable"):
        j, d = samples[position], targets[position]
        c = labels[j]
        outside = sizes[c] > limits[1, c] or sizes[d] < limits[0, d]
        fits = sizes[d] + weights[j] <= limits[1, d]
        spare = sizes[c] - weights[j] >= limits[0, c]
        if outside and fits and spare:
            labels[j] = d
            sizes[c] -= weights[j]
            sizes[d] += weights[j]
            n_moves += 1
    return n_moves
