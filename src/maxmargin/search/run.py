"""One run: from a smoother and starting labels to a local optimum."""

from typing import Any

import numpy as np

from maxmargin.search.balance import Balance
from maxmargin.search.descent import (
    gain_tolerance,
    repeat_rounds,
    steepest_descent,
    stochastic_descent,
    sweep_moves,
)
from maxmargin.search.exchange import repair_moves, swap_moves
from maxmargin.search.result import OnIteration, SearchResult
from maxmargin.search.shaking import shake
from maxmargin.search.state import State, new_state


def run_search(
    smoother: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    balance: Balance,
    random: np.random.RandomState,
    *,
    search: str = "shaking",
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Search from the given labels until no single move improves the objective.

    On the plain sum (``balance.power`` is 0) this is the algorithm of the paper as
    printed. On other objectives, the labels are brought within the size limits, if only
    so that no cluster is empty; sweeps of single moves follow, and swaps where the
    limits bind.
    """
    state = new_state(smoother, weights, balance.limits, labels, balance.power)
    return search_state(
        state,
        balance,
        random,
        search=search,
        max_iter=max_iter,
        on_iteration=on_iteration,
    )


def search_state(
    state: State,
    balance: Balance,
    random: np.random.RandomState,
    *,
    search: str = "shaking",
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Search from the labels of a state, in place, as `run_search` does."""
    limit: dict[str, Any] = {"max_iter": max_iter, "on_iteration": on_iteration}
    stages = []
    if search == "shaking":
        keep_start = balance.power > 0 and len(state.sizes) == 2
        stages.append(
            shake(
                state,
                balance.targets,
                first_round=int(keep_start),
                on_iteration=on_iteration,
            )
        )
    if balance.power > 0 and repair_moves(state) < 0:
        raise ValueError(
            "balance cannot be met with these sample weights: widen the limits."
        )
    if search == "steepest":
        stages.append(steepest_descent(state, **limit))
    elif search == "stochastic" or balance.power > 0:
        order = random.permutation(len(state.labels)) if balance.power > 0 else None
        stages.append(stochastic_descent(state, order=order, **limit))
    if balance.bounded:
        stages.append(_swap_descent(state, **limit))
    return _joined(stages)


def _swap_descent(
    state: State, max_iter: int, on_iteration: OnIteration | None
) -> SearchResult:
    """Alternate swaps with single moves until neither improves the objective."""
    order = np.arange(len(state.labels))
    tolerance = gain_tolerance(state)

    def one_round() -> tuple[int, bool]:
        moved = swap_moves(state, order, tolerance)
        moved += sweep_moves(state, order, tolerance)
        return moved, moved == 0

    return repeat_rounds(state, one_round, max_iter, on_iteration)


def _joined(stages: list[SearchResult]) -> SearchResult:
    """Join the records of the stages of one run."""
    history = stages[0].history
    for stage in stages[1:]:
        history += stage.history[1:]
    return SearchResult(
        stages[-1].labels,
        stages[-1].objective,
        history,
        sum(stage.n_moves for stage in stages),
        stages[-1].converged,
    )
