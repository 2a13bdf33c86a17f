"""Shaking: clusters claim samples from each other, fewer each round (Algorithm 3)."""

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.result import OnIteration, SearchResult
from maxmargin.search.state import State, objective

LAST_ROUND = 20  # the paper's s


@compiled
def claim(state, d, n_claims, gains):
    """Let cluster d take up to ``n_claims`` samples, the cheapest one each time.

    The next sample is the one whose move to d gains most (or loses least) in the plain
    sum, ``argmax_j (S z_d)_j - (S z_c)_j + S_jj`` over samples of other clusters c.
    ``gains`` is a buffer for these numbers, kept up to date along the way: a move from
    c to d adds ``S_ij`` to all of them, and once more to those of the members of c.

    This loop is bound by memory, so the scores of d, which nothing asks for meanwhile,
    are filled in at the end: the scores of all clusters add up to the same as before.
    """
    labels = state.labels
    scores = state.scores
    n_samples = labels.shape[0]
    total = np.zeros(n_samples)
    for h in range(scores.shape[0]):
        for i in range(n_samples):
            total[i] += scores[h, i]
    top = -np.inf
    for i in range(n_samples):
        c = labels[i]
        if c == d:
            gains[i] = -np.inf
        else:
            gains[i] = scores[d, i] - scores[c, i] + state.smoother[i, i]
        top = max(top, gains[i])
    count = 0
    while count < n_claims and top > -np.inf:
        j = 0
        while gains[j] != top:
            j += 1
        c = labels[j]
        row = state.smoother[j]
        old = scores[c]
        state.within[c] += row[j] - 2.0 * old[j]
        # 2 (S z_d)_j + S_jj, of which the first is gains_j + (S z_c)_j - S_jj
        state.within[d] += 2.0 * (top + old[j]) - row[j]
        state.sizes[c] -= state.weights[j]
        state.sizes[d] += state.weights[j]
        labels[j] = d
        gains[j] = -np.inf
        top = -np.inf
        for i in range(n_samples):
            old[i] -= row[i]
            gains[i] += row[i] + row[i] if labels[i] == c else row[i]
            top = max(top, gains[i])
        count += 1
    for i in range(n_samples):
        rest = total[i]
        for h in range(scores.shape[0]):
            if h != d:
                rest -= scores[h, i]
        scores[d, i] = rest
    return count


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
