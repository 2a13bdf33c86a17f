"""Search with given labels and pairwise wishes, by the moves of the other searches.

**Given labels.** A sample whose cluster is given is no sample of the search: what it
adds to the scores ``S z_h``, to ``z_h' S z_h`` and to the sizes stays in the state, and
its row goes. Every move on such a state is evaluated exactly, and none moves it.

**Must-link.** A group is one sample (`search.links`).

**Cannot-link.** A sample with such a link cannot join a cluster that holds a partner,
unless the partner leaves: moving it from c to d takes along the chain of samples of c
and d that links join to it, all of which change sides (an interchange of Kempe). The
chain of a sample without a partner in d is the sample alone. The few linked samples
and the many others are searched in turn, the ones given while the others move.
"""

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.balance import Balance
from maxmargin.search.descent import gain_tolerance
from maxmargin.search.links import Links, merge_groups
from maxmargin.search.result import OnIteration, SearchResult
from maxmargin.search.run import search_state
from maxmargin.search.state import State, move, new_state, objective


def partial_state(
    smoother: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    labels: np.ndarray,
    free: np.ndarray,
    power: float,
) -> State:
    """Build the state of the samples that are free, the others being given."""
    whole = new_state(smoother, weights, limits, labels, power)
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
    links: Links,
    labels: np.ndarray,
    balance: Balance,
    random: np.random.RandomState,
    *,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Search from labels of the groups until no move that is allowed gains.

    Parameters
    ----------
    smoother : ndarray of shape (n_samples, n_samples)
    weights : ndarray of shape (n_samples,)
    links : Links
    labels : ndarray of shape (n_groups,)
        Where to start; they must meet the links, as those of `meet_links` do.
    balance, random, max_iter, on_iteration
        As for `run_search`.

    Returns
    -------
    result : SearchResult
        With the labels of the samples.
    """
    n_groups = len(links.labels)
    smoother, weights = merge_groups(smoother, weights, links.groups, n_groups)
    labels = np.array(labels)
    linked = links.linked
    loose = ~links.fixed & ~linked
    history: tuple[float, ...] = ()
    n_moves = 0

    def state_of(free: np.ndarray) -> State:
        return partial_state(
            smoother, weights, balance.limits, labels, free, balance.power
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
            moved = chain_moves(state, *_chains(links), gain_tolerance(state))
            labels[linked] = state.labels
        n_moves += run.n_moves + moved
        if moved == 0 or len(history) > max_iter:
            break
    value = run.objective if moved == 0 else objective(state)
    return SearchResult(
        labels[links.groups], value, history, n_moves, converged and moved == 0
    )


def _chains(links: Links) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what is blocked to linked groups, and their partners among them (CSR)."""
    linked = links.linked
    among = links.apart[linked][:, linked].tocsr()
    n_clusters = int(links.labels.max(initial=0)) + 1
    blocked = links.blocked(n_clusters)[linked]
    return blocked, among.indptr.astype(np.int64), among.indices.astype(np.int64)


@compiled
def chain_moves(state, blocked, starts, partners, tolerance):
    """Move each sample with its chain to its best cluster; return how many moved.

    ``blocked`` tells which clusters are closed to a sample (those beyond its columns
    are open); ``partners[starts[j]:starts[j + 1]]`` may not share a cluster with j.
    """
    chain = np.empty(state.labels.shape[0], np.int64)
    n_moves = 0
    for j in range(state.labels.shape[0]):
        c = state.labels[j]
        before = objective(state)
        best = -1
        best_gain = tolerance
        for d in range(state.sizes.shape[0]):
            if d == c:
                continue
            length = _chain(state.labels, j, d, blocked, starts, partners, chain)
            if length == 0:
                continue
            _change_sides(state, chain, length, c, d)
            gain = objective(state) - before
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
    """Fill in the samples that change sides with j; return their number.

    It is 0 if one of them is barred from the other side.
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
