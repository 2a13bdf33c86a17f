"""Descent by single moves: in sweeps (Algorithm 1) or the best one first (Algorithm 2).

Both names follow the paper, which minimises; here the objective is maximised.
"""

from collections.abc import Callable

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.result import OnIteration, SearchResult
from maxmargin.search.state import State, best_target, move, objective

# A move must gain more than rounding does, relative to the objective.
TOLERANCE = 1e-12


@compiled
def sweep_moves(state, order, tolerance):
    """Move each sample in turn to its best cluster; return how many moved."""
    n_moves = 0
    for j in order:
        d, gain = best_target(state, j)
        if gain > tolerance:
            move(state, j, d)
            n_moves += 1
    return n_moves


@compiled
def steepest_moves(state, n_moves, tolerance):
    """Make the best single move up to ``n_moves`` times; return how many were made."""
    for count in range(n_moves):
        best = -1
        best_d = -1
        best_gain = tolerance
        for j in range(state.labels.shape[0]):
            d, gain = best_target(state, j)
            if gain > best_gain:
                best, best_d, best_gain = j, d, gain
        if best < 0:
            return count
        move(state, best, best_d)
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


def gain_tolerance(state: State) -> float:
    """Return the gain below which a move is rounding."""
    return TOLERANCE * max(abs(objective(state)), np.finfo(float).tiny)


def repeat_rounds(
    state: State,
    one_round: Callable[[], tuple[int, bool]],
    max_iter: int,
    on_iteration: OnIteration | None,
) -> SearchResult:
    """Repeat a round, which returns (moves, done), and keep the record."""
    history = [objective(state)]
    n_moves = 0
    done = False
    while not done and len(history) <= max_iter:
        moved, done = one_round()
        n_moves += moved
        history.append(objective(state))
        if on_iteration is not None:
            on_iteration(len(history) - 1, history[-1])
    return SearchResult(state.labels, history[-1], tuple(history), n_moves, done)
