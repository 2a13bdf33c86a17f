"""Decision values, and labels from them under size limits."""

import numpy as np


def decision_terms(
    within: np.ndarray, sizes: np.ndarray, power: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the factors and offsets that make decision values of fitted values."""
    filled = sizes > 0
    shares = np.where(filled, sizes, 1.0) / sizes.mean()
    factors = np.where(filled, 2.0 / shares**power, 0.0)
    offsets = -power * within / (sizes.mean() * shares ** (power + 1))
    return factors, np.where(filled, offsets, -np.inf)


def assign_within_limits(
    decisions: np.ndarray, weights: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Give each sample its best cluster as far as the size limits allow.

    Every sample starts in its best cluster. Then clusters that are too large give up
    the samples that lose least by going to their best cluster with room, and clusters
    that are too small take, from those that can spare them, the samples that lose
    least by coming. This is for many samples, where their order costs little.
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
    """Move samples in the order of their loss while it brings sizes nearer to limits.

    Stops a target at its upper limit and a source at its lower one, and stops for good
    when neither side is outside its limits any more. Returns the number of moves.
    """
    n_moves = 0
    for position in np.argsort(loss, kind="stable"):
        j, d = samples[position], targets[position]
        c = labels[j]
        wanted = sizes[c] > limits[1, c] or sizes[d] < limits[0, d]
        fits = sizes[d] + weights[j] <= limits[1, d]
        spare = sizes[c] - weights[j] >= limits[0, c]
        if wanted and fits and spare:
            labels[j] = d
            sizes[c] -= weights[j]
            sizes[d] += weights[j]
            n_moves += 1
    return n_moves
