"""Local search by single moves (Algorithms 1 and 2), and by swaps within size limits.

The names follow the paper, which minimises; here the objective is maximised.
"""

from collections.abc import Callable

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.objective import share
from maxmargin.search.state import (
    OnIteration,
    SearchResult,
    State,
    best_target,
    join_gain,
    joining_gain,
    leave_gain,
    leaving_gain,
    move,
    objective_of,
)

# The gain of a move relative to the objective below which it is rounding error.
TOLERANCE = 1e-12


@compiled
def sweep_moves(state, order, tolerance):
    """Move each sample in turn to its best cluster; return the number of moves."""
    n_moves = 0
    for j in order:
        d, gain = best_target(state, j)
        if gain > tolerance:
            move(state, j, d)
            n_moves += 1
    return n_moves


@compiled
def steepest_moves(state, n_moves, tolerance):
    """Make the best single move up to ``n_moves`` times; return their number.

    The best cluster to join is kept for each sample, with its gain.
    """
    labels, weights, sizes = state.labels, state.weights, state.sizes
    n_samples = labels.shape[0]
    diagonal = np.diag(state.smoother).copy()
    targets = np.empty(n_samples, dtype=np.int64)
    joins = np.empty(n_samples)
    for j in range(n_samples):
        targets[j], joins[j] = _best_join(state, j)
    for count in range(n_moves):
        best = -1
        best_gain = tolerance
        for j in range(n_samples):
            c = labels[j]
            if sizes[c] - weights[j] < state.limits[0, c]:
                continue
            gain = joins[j] + leaving_gain(
                state.within[c],
                sizes[c],
                state.objective,
                diagonal[j],
                state.scores[c, j],
                weights[j],
            )
            if gain > best_gain:
                best, best_gain = j, gain
        if best < 0:
            return count
        c = labels[best]
        d = targets[best]
        move(state, best, d)
        joins[best] = np.inf  # it has joined d: search again
        _update_joins(state, c, d, diagonal, targets, joins)
    return n_moves


@compiled
def _best_join(state, j):
    """Return the best other cluster of sample j, and the gain of joining it."""
    best = 0
    best_gain = -np.inf
    for d in range(state.sizes.shape[0]):
        full = state.sizes[d] + state.weights[j] > state.limits[1, d]
        if d != state.labels[j] and not full:
            gain = join_gain(state, j, d)
            if gain > best_gain:
                best, best_gain = d, gain
    return best, best_gain


@compiled
def _update_joins(state, c, d, diagonal, targets, joins):
    """Update the best cluster to join for each sample after a move between c and d.

    The gains of joining other clusters are the same as before, so that all k clusters
    are compared only if the best one is c or d and its gain has decreased.
    """
    labels, weights, sizes = state.labels, state.weights, state.sizes
    for j in range(labels.shape[0]):
        again = False
        for h in (c, d):
            join = -np.inf
            if h != labels[j] and sizes[h] + weights[j] <= state.limits[1, h]:
                join = joining_gain(
                    state.within[h],
                    sizes[h],
                    state.objective,
                    diagonal[j],
                    state.scores[h, j],
                    weights[j],
                )
            if h == targets[j] and join < joins[j]:
                again = True
            elif h == targets[j] or join > joins[j]:
                targets[j], joins[j] = h, join
            elif join == joins[j]:
                targets[j] = min(h, targets[j])
        if again:
            targets[j], joins[j] = _best_join(state, j)


@compiled
def repair_moves(state):
    """Move samples with the smallest loss until every size is within its limits.

    First out of clusters above their maximum, then into clusters below their minimum.
    Returns the number of moves, or -1 if the weights allow no further move.
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

    The other cluster must stay within its own limits.
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
def swap_changes(state, i, j):
    """Return the changes of ``within`` when samples i and j swap clusters.

    With ``a`` the cluster of i, ``b`` that of j and ``T = scores``,
    ``within[a]`` becomes ``W_a - 2 T_ai + S_ii + 2 (T_aj - S_ij) + S_jj``, and
    ``within[b]`` likewise.
    """
    a = state.labels[i]
    b = state.labels[j]
    own = state.smoother[i, i] + state.smoother[j, j] - 2.0 * state.smoother[i, j]
    change_a = own + 2.0 * (state.scores[a, j] - state.scores[a, i])
    change_b = own + 2.0 * (state.scores[b, i] - state.scores[b, j])
    return change_a, change_b


@compiled
def swap_gain(state, i, j):
    """Return the change of the objective when samples i and j swap clusters."""
    a = state.labels[i]
    b = state.labels[j]
    change_a, change_b = swap_changes(state, i, j)
    shift = state.weights[j] - state.weights[i]
    return (
        share(state.within[a] + change_a, state.sizes[a] + shift, state.objective)
        - share(state.within[a], state.sizes[a], state.objective)
        + share(state.within[b] + change_b, state.sizes[b] - shift, state.objective)
        - share(state.within[b], state.sizes[b], state.objective)
    )


@compiled
def _swap_allowed(state, i, j):
    """Return True if the sizes stay within their limits when i and j swap."""
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
    """Swap each sample in turn with its best partner; return the number of moves.

    If the weights of two samples are equal, a swap changes no size. With the root 1 the
    objective is then linear in the sums: the shares of a sum of one suffice.
    """
    n_moves = 0
    units = np.empty(len(state.sizes))
    for i in order:
        partner = -1
        best_gain = tolerance
        for h in range(len(units)):
            units[h] = share(1.0, state.sizes[h], state.objective)
        for j in range(state.labels.shape[0]):
            if state.labels[j] == state.labels[i] or not _swap_allowed(state, i, j):
                continue
            if state.objective.root == 1.0 and state.weights[i] == state.weights[j]:
                change_a, change_b = swap_changes(state, i, j)
                gain = change_a * units[state.labels[i]]
                gain += change_b * units[state.labels[j]]
            else:
                gain = swap_gain(state, i, j)
            if gain > best_gain:
                partner, best_gain = j, gain
        if partner >= 0:
            a = state.labels[i]
            move(state, i, state.labels[partner])
            move(state, partner, a)
            n_moves += 2
    return n_moves


def stochastic_descent(
    state: State,
    *,
    order: np.ndarray | None = None,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Run Algorithm 1 of Pahikkala et al. on the state, in place.

    Each round visits every sample, in the given order (by default as they come), and
    moves it to the cluster that gains most, until a round moves none.
    """
    if order is None:
        order = np.arange(len(state.labels))
    tolerance = gain_tolerance(state)

    def one_round() -> tuple[int, bool]:
        moved = sweep_moves(state, order, tolerance)
        return moved, moved == 0

    return repeat_rounds(state, one_round, max_iter, on_iteration)


def steepest_descent(
    state: State,
    *,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Run Algorithm 2 of Pahikkala et al. on the state, in place.

    Each step makes the one move that gains most, until none gains. A round, for the
    history and for ``max_iter``, is as many steps as there are samples.
    """
    n_steps = len(state.labels)
    tolerance = gain_tolerance(state)

    def one_round() -> tuple[int, bool]:
        moved = steepest_moves(state, n_steps, tolerance)
        return moved, moved < n_steps

    return repeat_rounds(state, one_round, max_iter, on_iteration)


def swap_descent(
    state: State, max_iter: int = 1000, on_iteration: OnIteration | None = None
) -> SearchResult:
    """Alternate swaps with single moves until neither improves the objective."""
    order = np.arange(len(state.labels))
    tolerance = gain_tolerance(state)

    def one_round() -> tuple[int, bool]:
        moved = swap_moves(state, order, tolerance)
        moved += sweep_moves(state, order, tolerance)
        return moved, moved == 0

    return repeat_rounds(state, one_round, max_iter, on_iteration)


def gain_tolerance(state: State) -> float:
    """Return the gain below which a move is rounding error."""
    return TOLERANCE * max(abs(objective_of(state)), np.finfo(float).tiny)


def repeat_rounds(
    state: State,
    one_round: Callable[[], tuple[int, bool]],
    max_iter: int,
    on_iteration: OnIteration | None,
) -> SearchResult:
    """Repeat a round, which returns (moves, done), and record the objective."""
    history = [objective_of(state)]
    n_moves = 0
    done = False
    while not done and len(history) <= max_iter:
        moved, done = one_round()
        n_moves += moved
        history.append(objective_of(state))
        if on_iteration is not None:
            on_iteration(len(history) - 1, history[-1])
    return SearchResult(state.labels, history[-1], tuple(history), n_moves, done)
