"""Shaking: clusters claim samples from each other, fewer each round (Algorithm 3)."""

import numpy as np

from maxmargin.search.compiled import compiled
from maxmargin.search.result import OnIteration, SearchResult
from maxmargin.search.state import State, move, objective

LAST_ROUND = 20  # the paper's s


@compiled
def claim(state, d, n_claims, gains):
    """Let cluster d take up to ``n_claims`` samples, the cheapest one each time.

    The next sample is the one whose move to d gains most (or loses least) in the plain
    sum, ``argmax_j (S z_d)_j - (S z_c)_j + S_jj`` over samples of other clusters c.
    ``gains`` is a buffer for these numbers, kept up to date along the way: a move from
    c to d adds ``S_ij`` to all of them, and once more to those of the members of c.
    """
    labels = state.labels
    n_samples = labels.shape[0]
    top = -np.inf
    for i in range(n_samples):
        c = labels[i]
        if c == d:
            gains[i] = -np.inf
        else:
            gains[i] = state.scores[d, i] - state.scores[c, i] + state.smoother[i, i]
        top = max(top, gains[i])
    for count in range(n_claims):
        if top == -np.inf:
            return count
        j = 0
        while gains[j] != top:
            j += 1
        c = labels[j]
        row = state.smoother[j]
        gains[j] = -np.inf
        top = -np.inf
        for i in range(n_samples):
            gains[i] += row[i] + row[i] if labels[i] == c else row[i]
            top = max(top, gains[i])
        move(state, j, d)
    return n_claims


def shake(
    state: State,
    targets: np.ndarray,
    *,
    first_round: int = 0,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Run Algorithm 3 of Pahikkala et al. on the state, in place.

    In round ``i`` each cluster ``d`` in turn claims
    ``targets[d] / 2^i + targets[d] - sizes[d]`` samples, equation (14) with the equal
    shares ``n / k`` of the paper replaced by the sizes wished for. Sizes end near the
    targets. With weights, a sample counts as much as the mean weight.

    With two equal clusters, round 0 lets the first take all and the second take all
    back, so that every start ends alike; ``first_round=1`` keeps the start.
    """
    gains = np.empty(len(state.labels))
    unit = state.weights.mean()
    history = [objective(state)]
    n_moves = 0
    for i in range(first_round, LAST_ROUND + 1):
        for d in range(len(state.sizes)):
            wanted = targets[d] / 2.0**i + targets[d] - state.sizes[d]
            if wanted >= unit:
                n_moves += claim(state, d, int(wanted / unit), gains)
        history.append(objective(state))
        if on_iteration is not None:
            on_iteration(len(history) - 1, history[-1])
    return SearchResult(state.labels, history[-1], tuple(history), n_moves, True)
