"""Shaking: clusters claim samples from each other, fewer each round (Algorithm 3)."""

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.state import OnIteration, SearchResult, State, objective_of

LAST_ROUND = 20  # the paper's s
DECAY = 2.0  # the factor by which claims decrease from round to round in the paper


@compiled
def claim(state, d, n_claims, gains):
    """Move up to ``n_claims`` samples to cluster d, the best one each time.

    The next sample is the one whose move to d gains most (or loses least) in the plain
    sum, ``argmax_j (S z_d)_j - (S z_c)_j + S_jj`` over samples of other clusters c.
    ``gains`` is a buffer for these numbers, updated after each move: a move from c to d
    adds ``S_ij`` to all of them, and once more to those of the members of c.

    This loop is bound by memory, so the scores of d, which are not used meanwhile, are
    computed at the end: the sum of the scores of all clusters does not change.
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


def intensities(decay: float | str = DECAY, last_round: int = LAST_ROUND) -> np.ndarray:
    """Return the share ``a_i`` of the target sizes that is claimed in each round.

    A factor q is exponential, ``a_i = q^-i``, with as many rounds as end at the share
    ``2^-s`` of the paper, s being the last round. ``"linear"`` is ``a_i = 1 - i / s``.
    """
    if isinstance(decay, str):
        return 1.0 - np.arange(last_round + 1) / last_round
    last = int(np.ceil(last_round * np.log(DECAY) / np.log(decay) - 1e-9))
    powers: np.ndarray = float(decay) ** -np.arange(last + 1.0)
    return powers


def shake(
    state: State,
    targets: np.ndarray,
    *,
    first_round: int = 0,
    decay: float | str = DECAY,
    last_round: int = LAST_ROUND,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Run Algorithm 3 of Pahikkala et al. on the state, in place.

    In round ``i`` each cluster ``d`` in turn claims
    ``targets[d] a_i + targets[d] - sizes[d]`` samples, with ``a_i = 2^-i`` equation
    (14) with the equal shares ``n / k`` of the paper replaced by the target sizes.
    Sizes end near the targets. With weights, a sample counts as the mean weight.
    ``decay`` is the speed at which ``a_i`` decreases, see `intensities`, and
    ``last_round`` the s of the paper.

    With two equal clusters, round 0 moves all samples to the first cluster and all to
    the second, so that the start is lost; ``first_round=1`` keeps it.
    """
    gains = np.empty(len(state.labels))
    unit = state.weights.mean()
    history = [objective_of(state)]
    n_moves = 0
    for intensity in intensities(decay, last_round)[first_round:]:
        for d in range(len(state.sizes)):
            excess = targets[d] * intensity + targets[d] - state.sizes[d]
            if excess >= unit:
                n_moves += claim(state, d, int(excess / unit), gains)
        history.append(objective_of(state))
        if on_iteration is not None:
            on_iteration(len(history) - 1, history[-1])
    return SearchResult(state.labels, history[-1], tuple(history), n_moves, True)
