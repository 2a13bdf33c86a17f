"""Moves for labellings with size limits: repair broken limits, swap two samples."""

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.state import join_gain, leave_gain, move, share


@compiled
def repair_moves(state):
    """Move samples, the cheapest first, until every size is within its limits.

    First clusters that are too large give, then clusters that are too small take.
    Returns the number of moves, or -1 when the weights allow no further step.
    """
    n_moves = 0
    while True:
        giver = int(np.argmax(state.sizes - state.limits[1]))
        taker = int(np.argmax(state.limits[0] - state.sizes))
        if state.sizes[giver] > state.limits[1, giver]:
            taker = -1
        elif state.sizes[taker] < state.limits[0, taker]:
            giver = -1
        else:
            return n_moves
        j, d = _cheapest(state, giver, taker)
        if j < 0:
            return -1
        move(state, j, d)
        n_moves += 1


@compiled
def _cheapest(state, giver, taker):
    """Return the best move out of ``giver``, or into ``taker``; -1 stands for any.

    The other side must stay within its own limits.
    """
    best = -1
    best_d = -1
    best_gain = -np.inf
    for j in range(state.labels.shape[0]):
        c = state.labels[j]
        weight = state.weights[j]
        if giver >= 0 and c != giver:
            continue
        if giver < 0 and state.sizes[c] - weight < state.limits[0, c]:
            continue
        leave = leave_gain(state, j)
        for d in range(state.sizes.shape[0]):
            if d == c or (taker >= 0 and d != taker):
                continue
            if taker < 0 and state.sizes[d] + weight > state.limits[1, d]:
                continue
            gain = leave + join_gain(state, j, d)
            if gain > best_gain:
                best, best_d, best_gain = j, d, gain
    return best, best_d


@compiled
def swap_gain(state, i, j):
    """Return how the objective changes when samples i and j change places.

    With ``a`` the cluster of i, ``b`` that of j and ``T = scores``,
    ``within[a]`` becomes ``W_a - 2 T_ai + S_ii + 2 (T_aj - S_ij) + S_jj``, and
    ``within[b]`` likewise.
    """
    a = state.labels[i]
    b = state.labels[j]
    own = state.smoother[i, i] + state.smoother[j, j] - 2.0 * state.smoother[i, j]
    change_a = own + 2.0 * (state.scores[a, j] - state.scores[a, i])
    change_b = own + 2.0 * (state.scores[b, i] - state.scores[b, j])
    shift = state.weights[j] - state.weights[i]
    return (
        share(state.within[a] + change_a, state.sizes[a] + shift, state.power)
        - share(state.within[a], state.sizes[a], state.power)
        + share(state.within[b] + change_b, state.sizes[b] - shift, state.power)
        - share(state.within[b], state.sizes[b], state.power)
    )


@compiled
def _swap_allowed(state, i, j):
    """Tell whether the sizes stay within their limits when i and j change places."""
    shift = state.weights[j] - state.weights[i]
    if shift == 0.0:
        return True
    a = state.labels[i]
    b = state.labels[j]
    size_a = state.sizes[a] + shift
    size_b = state.sizes[b] - shift
    return (
        state.limits[0, a] <= size_a <= state.limits[1, a]
        and state.limits[0, b] <= size_b <= state.limits[1, b]
    )


@compiled
def swap_moves(state, order, tolerance):
    """Swap each sample in turn with its best partner; return how many were moved."""
    n_moves = 0
    for i in order:
        partner = -1
        best_gain = tolerance
        for j in range(state.labels.shape[0]):
            if state.labels[j] == state.labels[i] or not _swap_allowed(state, i, j):
                continue
            gain = swap_gain(state, i, j)
            if gain > best_gain:
                partner, best_gain = j, gain
        if partner >= 0:
            a = state.labels[i]
            move(state, i, state.labels[partner])
            move(state, partner, a)
            n_moves += 2
    return n_moves
