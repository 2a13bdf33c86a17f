"""Search with given labels and pairwise constraints.

**Given labels.** A sample with a given label is not part of the state: its contribution
to the scores ``S z_h``, to ``z_h' S z_h`` and to the sizes is kept, and its row is
removed. Moves on such a state are evaluated exactly, and none moves the sample.

**Must-link.** A group is one sample (`search.constraints`).

**Cannot-link.** A sample with such a link cannot join a cluster that has a partner,
unless the partner leaves: moving it from c to d also moves the chain of samples of c
and d that links connect to it, all of which change sides (a Kempe interchange). The
chain of a sample without a partner in d is the sample alone. The few linked samples and
the many others are searched in turn, the former fixed while the latter move.
"""

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.balance import Balance
from maxmargin.search.constraints import Constraints, merge_groups
from maxmargin.search.descent import gain_tolerance
from maxmargin.search.objective import Objective
from maxmargin.search.runs import search_state
from maxmargin.search.state import (
    OnIteration,
    SearchResult,
    State,
    move,
    new_state,
    objective_of,
)


def partial_state(
    smoother: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    labels: np.ndarray,
    free: np.ndarray,
    objective: Objective,
) -> State:
    """Build the state of the free samples, with the labels of the others fixed."""
    whole = new_state(smoother, weights, limits, labels, objective)
    if free.all():
        return whole
    return whole._replace(
        smoother=np.ascontiguousarray(smoother[np.ix_(free, free)]),
        weights=weights[free],
        labels=whole.labels[free],
        scores=np.ascontiguousarray(whole.scores[:, free]),
    )


def constrained_search(
    smoother: np.ndarray,
    weights: np.ndarray,
    constraints: Constraints,
    labels: np.ndarray,
    balance: Balance,
    random: np.random.RandomState,
    *,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Search from labels of the groups until no allowed move improves the objective.

    Parameters
    ----------
    smoother : ndarray of shape (n_samples, n_samples)
    weights : ndarray of shape (n_samples,)
    constraints : Constraints
    labels : ndarray of shape (n_groups,)
        Starting labels; they must meet the constraints, see `satisfy_constraints`.
    balance, random, max_iter, on_iteration
        As for `run_search`.

    Returns
    -------
    result : SearchResult
        With the labels of the samples.
    """
    n_groups = len(constraints.labels)
    smoother, weights = merge_groups(smoother, weights, constraints.groups, n_groups)
    labels = np.array(labels)
    linked = constraints.linked
    loose = ~constraints.fixed & ~linked
    history: tuple[float, ...] = ()
    n_moves = 0

    def state_of(free: np.ndarray) -> State:
        return partial_state(
            smoother, weights, balance.limits, labels, free, balance.objective
        )

    while True:
        run = search_state(
            state_of(loose),
            balance,
            random,
            search="stochastic",
            max_iter=max_iter,
            on_iteration=on_iteration,
        )
        labels[loose] = run.labels
        history += run.history[1:] if history else run.history
        moved, converged = 0, run.converged
        if linked.any():
            state = state_of(linked)
            moved = chain_moves(state, *_chains(constraints), gain_tolerance(state))
            labels[linked] = state.labels
        n_moves += run.n_moves + moved
        if moved == 0 or len(history) > max_iter:
            break
    value = run.objective if moved == 0 else objective_of(state)
    return SearchResult(
        labels[constraints.groups], value, history, n_moves, converged and moved == 0
    )


def _chains(constraints: Constraints) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the clusters forbidden to linked groups, and their partners (CSR)."""
    linked = constraints.linked
    among = constraints.apart[linked][:, linked].tocsr()
    n_clusters = int(constraints.labels.max(initial=0)) + 1
    blocked = constraints.blocked(n_clusters)[linked]
    return blocked, among.indptr.astype(np.int64), among.indices.astype(np.int64)


@compiled
def chain_moves(state, blocked, starts, partners, tolerance):
    """Move each sample with its chain to its best cluster; return the number of moves.

    ``blocked`` is True for clusters forbidden to a sample (those beyond its columns are
    allowed); ``partners[starts[j]:starts[j + 1]]`` may not share a cluster with j.
    """
    chain = np.empty(state.labels.shape[0], np.int64)
    n_moves = 0
    for j in range(state.labels.shape[0]):
        c = state.labels[j]
        before = objective_of(state)
        best = -1
        best_gain = tolerance
        for d in range(state.sizes.shape[0]):
            if d == c:
                continue
            length = _chain(state.labels, j, d, blocked, starts, partners, chain)
            if length == 0:
                continue
            _change_sides(state, chain, length, c, d)
            gain = objective_of(state) - before
            if not _within_limits(state, c) or not _within_limits(state, d):
                gain = -np.inf
            _change_sides(state, chain, length, c, d)
            if gain > best_gain:
                best, best_gain = d, gain
        if best >= 0:
            length = _chain(state.labels, j, best, blocked, starts, partners, chain)
            _change_sides(state, chain, length, c, best)
            n_moves += length
    return n_moves


@compiled
def _chain(labels, j, d, blocked, starts, partners, chain):
    """Collect the samples that change sides with j; return their number.

    It is 0 if one of them is forbidden on the other side.
    """
    c = labels[j]
    member = np.zeros(labels.shape[0], np.bool_)
    chain[0] = j
    member[j] = True
    length = 1
    position = 0
    while position < length:
        i = chain[position]
        side = d if labels[i] == c else c
        if side < blocked.shape[1] and blocked[i, side]:
            return 0
        for e in range(starts[i], starts[i + 1]):
            other = partners[e]
            if labels[other] == side and not member[other]:
                member[other] = True
                chain[length] = other
                length += 1
        position += 1
    return length


@compiled
def _change_sides(state, chain, length, c, d):
    for position in range(length):
        i = chain[position]
        move(state, i, d if state.labels[i] == c else c)


@compiled
def _within_limits(state, h):
    return state.limits[0, h] <= state.sizes[h] <= state.limits[1, h]
