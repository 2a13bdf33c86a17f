"""One run of a search, from starting labels to a local optimum."""

from typing import Any

import numpy as np

from maxmargin.search.balance import Balance
from maxmargin.search.descent import (
    repair_moves,
    steepest_descent,
    stochastic_descent,
    swap_descent,
)
from maxmargin.search.shaking import shake
from maxmargin.search.state import OnIteration, SearchResult, State, new_state


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

    With power 0 and no size limits this is the algorithm of the paper as printed. Else
    labels outside the size limits are repaired, which also fills empty clusters. With a
    positive power sweeps of single moves follow, and swaps if the sizes are limited.
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
    if repair_moves(state) < 0:
        raise ValueError(
            "balance cannot be met with these sample weights: widen the limits."
        )
    if search == "steepest":
        stages.append(steepest_descent(state, **limit))
    elif search == "stochastic" or balance.power > 0:
        order = random.permutation(len(state.labels)) if balance.power > 0 else None
        stages.append(stochastic_descent(state, order=order, **limit))
    if balance.bounded:
        stages.append(swap_descent(state, **limit))
    return _join_stages(stages)


def _join_stages(stages: list[SearchResult]) -> SearchResult:
    """Join the results of the stages of one run."""
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
