"""The assignment of samples to clusters within size limits.

Given the value ``v_ih`` of sample i in cluster h, the labels maximise

    sum_i w_i v_i,l(i)     subject to     low_h <= n_h <= high_h,

a transport problem. With a price for each cluster, each sample takes the cluster with
the largest ``v_ih - price_h``; prices for which the sizes are nearly met are found
cluster by cluster. What is left is moved along shortest paths between clusters, where
the length of an edge is the smallest loss of a sample that changes from one to the
other. For equal weights the result is optimal, as in any method of successive shortest
paths: no cycle of moves has a negative length. With unequal weights, which make the
problem NP-hard, samples are moved one by one in the order of their loss.
"""

import numpy as np

from maxmargin.compiled import compiled

ROUNDING = 1e-9  # of a size, relative to the total weight
IMPOSSIBLE = (
    "balance cannot be met, because samples that are equal or linked, and those with "
    "much weight, stay whole: widen the limits."
)
PRICE_ROUNDS = 6  # changes of the price of each cluster, in the mean
# Compiled loops assume that there is no NaN, which infinities may lead to.
NEVER = 1e300


def assign_within_limits(
    decisions: np.ndarray, weights: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Return the best labels within size limits.

    Parameters
    ----------
    decisions : ndarray of shape (n_samples, n_clusters)
        The values of samples in clusters; -inf stands for a very small one.
    weights : ndarray of shape (n_samples,)
    limits : ndarray of shape (2, n_clusters)
        The smallest and the largest total weight of each cluster.
    """
    labels = decisions.argmax(axis=1)
    sizes = np.bincount(labels, weights, minlength=decisions.shape[1])
    if (sizes >= limits[0]).all() and (sizes <= limits[1]).all():
        return labels
    values = finite_values(decisions)
    if (weights == weights[0]).all():
        low, high = whole_limits(limits, weights[0], len(weights))
        prices = find_prices(values, low, high, PRICE_ROUNDS * len(low))
        labels = (values - prices).argmax(axis=1)
        if not move_along_paths(values, labels, low, high):
            raise ValueError(IMPOSSIBLE)
        return labels
    return assign_in_order(values, weights, limits)


def whole_limits(
    limits: np.ndarray, weight: float, n_samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return size limits as numbers of samples of one weight."""
    rounding = ROUNDING * n_samples
    low = np.ceil(np.maximum(limits[0] / weight, 0.0) - rounding)
    high = np.floor(np.minimum(limits[1] / weight, n_samples) + rounding)
    return low.astype(np.int64), high.astype(np.int64)


def finite_values(decisions: np.ndarray) -> np.ndarray:
    """Return values in which an empty cluster is worse than all others, but usable."""
    there = np.isfinite(decisions)
    if there.all():
        return np.ascontiguousarray(decisions, dtype=np.float64)
    known = decisions[there]
    worst = known.min() - 10.0 * max(float(np.ptp(known)), 1.0) if len(known) else 0.0
    return np.where(there, decisions, worst)


@compiled
def find_prices(values, low, high, n_steps):
    """Return prices of the clusters for which the sizes are nearly within limits.

    In each step the cluster that is furthest outside gets the price at which it just
    meets its limit, given the prices of the others.
    """
    n_samples, k = values.shape
    prices = np.zeros(k)
    labels = np.empty(n_samples, dtype=np.int64)
    gaps = np.empty(n_samples)
    for _ in range(n_steps):
        sizes = np.zeros(k, dtype=np.int64)
        for i in range(n_samples):
            labels[i] = 0
            for h in range(1, k):
                best = values[i, labels[i]] - prices[labels[i]]
                if values[i, h] - prices[h] > best:
                    labels[i] = h
            sizes[labels[i]] += 1
        worst, outside = -1, 0
        for h in range(k):
            distance = max(sizes[h] - high[h], low[h] - sizes[h])
            if distance > outside:
                worst, outside = h, distance
        if worst < 0:
            break
        above = sizes[worst] > high[worst]
        count = 0
        for i in range(n_samples):
            if (labels[i] == worst) != above:
                continue
            other = -NEVER
            for h in range(k):
                if h != worst:
                    other = max(other, values[i, h] - prices[h])
            gaps[count] = abs(values[i, worst] - prices[worst] - other)
            count += 1
        step = np.partition(gaps[:count], outside - 1)[outside - 1]
        prices[worst] += step if above else -step
    return prices


@compiled
def cheapest_moves(values, chain, a, loss, mover):
    """Find the sample of cluster a that loses least by each other cluster.

    ``chain`` has the first sample of each cluster, and the next one of each sample.
    """
    k = values.shape[1]
    for b in range(k):
        loss[a, b] = NEVER
        mover[a, b] = -1
    first, following, _ = chain
    i = first[a]
    while i >= 0:
        own = values[i, a]
        for b in range(k):
            if b != a and own - values[i, b] < loss[a, b]:
                loss[a, b] = own - values[i, b]
                mover[a, b] = i
        i = following[i]


@compiled
def put_first(chain, i, a):
    """Put sample i at the front of the chain of cluster a."""
    first, following, previous = chain
    following[i], previous[i] = first[a], -1
    if first[a] >= 0:
        previous[first[a]] = i
    first[a] = i


@compiled
def take_out(chain, i, a):
    """Take sample i out of the chain of cluster a."""
    first, following, previous = chain
    if previous[i] >= 0:
        following[previous[i]] = following[i]
    else:
        first[a] = following[i]
    if following[i] >= 0:
        previous[following[i]] = previous[i]


@compiled
def shortest_path(loss, sizes, low, high, before):
    """Return the end of the best path of moves, and its start.

    Leaving a cluster above its maximum, and joining one below its minimum, count more
    than any loss. ``before`` gets the previous cluster on the path to each. The end is
    -1 if no path improves.
    """
    k = len(sizes)
    largest = 0.0
    for a in range(k):
        for b in range(k):
            if loss[a, b] < NEVER:
                largest = max(largest, abs(loss[a, b]))
    penalty = 4.0 * k * largest if largest > 0.0 else 1.0
    lengths = np.empty(k)
    for a in range(k):
        before[a] = -1
        lengths[a] = NEVER
        if sizes[a] > high[a]:
            lengths[a] = -penalty
        elif sizes[a] > low[a]:
            lengths[a] = 0.0
    tolerance = 1e-13 * penalty
    for _ in range(k):
        changed = False
        for a in range(k):
            if lengths[a] == NEVER:
                continue
            for b in range(k):
                length = lengths[a] + loss[a, b]
                if length < lengths[b] - tolerance:
                    lengths[b] = length
                    before[b] = a
                    changed = True
        if not changed:
            break
    end, best = -1, -tolerance
    for b in range(k):
        if before[b] < 0 or sizes[b] >= high[b]:
            continue
        length = lengths[b] - (penalty if sizes[b] < low[b] else 0.0)
        if length < best:
            end, best = b, length
    return end


@compiled
def move_along_paths(values, labels, low, high):
    """Move samples along shortest paths until the sizes are within limits, in place.

    Returns False if no path leads there.
    """
    n_samples, k = values.shape
    sizes = np.zeros(k, dtype=np.int64)
    for i in range(n_samples):
        sizes[labels[i]] += 1
    chain = (
        np.full(k, -1),
        np.full(n_samples, -1),
        np.full(n_samples, -1),
    )
    for i in range(n_samples):
        put_first(chain, i, labels[i])
    loss = np.empty((k, k))
    mover = np.empty((k, k), dtype=np.int64)
    before = np.empty(k, dtype=np.int64)
    for a in range(k):
        cheapest_moves(values, chain, a, loss, mover)
    for _ in range(4 * n_samples):
        b = shortest_path(loss, sizes, low, high, before)
        if b < 0:
            break
        touched = np.zeros(k, dtype=np.bool_)
        touched[b] = True
        for _ in range(k):
            a = before[b]
            if a < 0:
                break
            i = mover[a, b]
            take_out(chain, i, a)
            put_first(chain, i, b)
            sizes[a] -= 1
            sizes[b] += 1
            labels[i] = b
            touched[a] = True
            b = a
        for a in range(k):
            if touched[a]:
                cheapest_moves(values, chain, a, loss, mover)
    for h in range(k):
        if sizes[h] < low[h] or sizes[h] > high[h]:
            return False
    return True


def assign_in_order(
    decisions: np.ndarray, weights: np.ndarray, limits: np.ndarray
) -> np.ndarray:
    """Return good labels within size limits, by moves in the order of their loss.

    Every sample starts in its best cluster. Clusters above their maximum move samples
    to their best cluster below its maximum, and clusters below their minimum receive
    some from those above it.
    """
    labels = decisions.argmax(axis=1)
    sizes = np.bincount(labels, weights, minlength=decisions.shape[1])
    while (sizes > limits[1]).any():
        giver = int(np.argmax(sizes - limits[1]))
        members = np.flatnonzero(labels == giver)
        room = sizes + weights[members, None] <= limits[1]
        room[:, giver] = False
        values = np.where(room, decisions[members], -np.inf)
        targets = values.argmax(axis=1)
        loss = decisions[members, giver] - values.max(axis=1)
        if not _shift(members, targets, loss, labels, sizes, weights, limits):
            raise ValueError(IMPOSSIBLE)
    while (sizes < limits[0]).any():
        taker = int(np.argmax(limits[0] - sizes))
        others = np.flatnonzero((labels != taker) & (sizes > limits[0])[labels])
        loss = decisions[others, labels[others]] - decisions[others, taker]
        targets = np.full(len(others), taker)
        if not _shift(others, targets, loss, labels, sizes, weights, limits):
            raise ValueError(IMPOSSIBLE)
    return labels


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
