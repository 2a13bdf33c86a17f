"""The objective, the state of a search, the single moves, and the result record.

For indicators ``z_h`` of the clusters, a symmetric positive semidefinite matrix ``S``
(the smoother) and the cluster sizes ``n_h``, a search maximises

    sum_h  z_h' S z_h / n_h^p      with a power p between 0 and 1.

- ``p = 0`` is the plain sum. The one-against-all least-squares objective, equation (13)
  of Pahikkala et al., is ``Q = const - 4 sum_h z_h' S z_h``, because the indicators add
  up to one. It is largest when one cluster takes all, so sizes must be limited.
- ``p = 1`` is the objective of k-means in the space of the smoother: no size is
  preferred, and a single outlier makes a good cluster.
- Powers between them mildly prefer balanced sizes.

Moving sample ``j`` from cluster ``c`` to ``d`` changes ``z_c' S z_c`` by
``S_jj - 2 (S z_c)_j``, ``z_d' S z_d`` by ``S_jj + 2 (S z_d)_j``, and two rows of the
stored scores ``S z_h`` by row ``j`` of ``S``. So a move is evaluated in O(1) and made
in O(n).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.objective import Objective, share, total_share

# Called after each round of a search with (round, objective); if there are several
# starts, after each of them with (start, objective, "start").
OnIteration = Callable[..., None]


@dataclass(frozen=True)
class SearchResult:
    """The result of one run.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
    objective : float
        The objective of ``labels``, larger is better.
    history : tuple of float
        The objective at the start and after each round.
    n_moves : int
        Number of moves; a sample may move several times.
    converged : bool
        False if the run ended at its maximum number of rounds.
    prior : ndarray of shape (n_samples, n_clusters) or None
        Added to the indicators of the clusters in the objective.
    """

    labels: np.ndarray
    objective: float
    history: tuple[float, ...]
    n_moves: int
    converged: bool
    prior: np.ndarray | None = field(default=None, kw_only=True)

    @property
    def n_iter(self) -> int:
        """Return the number of rounds."""
        return len(self.history) - 1


class State(NamedTuple):
    """A labelling and what is needed to evaluate the next move in O(1).

    The first four fields are constant, the others are buffers that a move updates in
    place.
    """

    smoother: np.ndarray  # (n, n), the matrix S
    weights: np.ndarray  # (n,), the sample weights
    limits: np.ndarray  # (2, k), smallest and largest size of each cluster
    objective: Objective
    labels: np.ndarray  # (n,), the cluster of each sample
    scores: np.ndarray  # (k, n), row h is S z_h
    within: np.ndarray  # (k,), z_h' S z_h
    sizes: np.ndarray  # (k,), the total weight of each cluster


def new_state(
    smoother: np.ndarray,
    weights: np.ndarray,
    limits: np.ndarray,
    labels: np.ndarray,
    objective: Objective,
) -> State:
    """Build the state of a labelling; the labels are copied."""
    n_clusters = limits.shape[1]
    indicators = np.zeros((n_clusters, len(labels)))
    indicators[labels, np.arange(len(labels))] = 1.0
    scores = indicators @ smoother
    return State(
        smoother,
        weights,
        limits,
        objective,
        np.array(labels, dtype=np.int64),
        scores,
        np.einsum("hi,hi->h", indicators, scores),
        indicators @ weights,
    )


@compiled
def objective_of(state):
    """Return the objective."""
    return total_share(state.within, state.sizes, state.objective)


@compiled
def leaving_gain(within, size, objective, own, score, weight):
    """Return the change of the objective when a sample leaves its cluster.

    ``within`` and ``size`` are those of the cluster, ``own = S_jj``, ``score`` is
    ``(S z_c)_j``. Numbers are cheaper to hand over in a loop than a `State`.
    """
    rest = size - weight
    if rest <= 1e-12 * size:  # the last sample, up to rounding
        return -share(within, size, objective)
    change = own - 2.0 * score
    return share(within + change, rest, objective) - share(within, size, objective)


@compiled
def joining_gain(within, size, objective, own, score, weight):
    """Return the change of the objective when a sample joins a cluster."""
    change = own + 2.0 * score
    return share(within + change, size + weight, objective) - share(
        within, size, objective
    )


@compiled
def leave_gain(state, j):
    """Return the change of the objective when sample j leaves its cluster."""
    c = state.labels[j]
    return leaving_gain(
        state.within[c],
        state.sizes[c],
        state.objective,
        state.smoother[j, j],
        state.scores[c, j],
        state.weights[j],
    )


@compiled
def join_gain(state, j, d):
    """Return the change of the objective when sample j joins cluster d."""
    return joining_gain(
        state.within[d],
        state.sizes[d],
        state.objective,
        state.smoother[j, j],
        state.scores[d, j],
        state.weights[j],
    )


@compiled
def best_target(state, j):
    """Return the best other cluster for sample j and the gain of moving there.

    Moves that break a size limit are not considered; if no move is possible the gain is
    minus infinity.
    """
    c = state.labels[j]
    best = c
    best_gain = -np.inf
    weight = state.weights[j]
    if state.sizes[c] - weight < state.limits[0, c]:
        return best, best_gain
    own = state.smoother[j, j]
    leave = leave_gain(state, j)
    within, sizes, scores, limits = (
        state.within,
        state.sizes,
        state.scores,
        state.limits,
    )
    for d in range(sizes.shape[0]):
        if d == c or sizes[d] + weight > limits[1, d]:
            continue
        gain = leave + joining_gain(
            within[d], sizes[d], state.objective, own, scores[d, j], weight
        )
        if gain > best_gain:
            best = d
            best_gain = gain
    return best, best_gain


@compiled
def move(state, j, d):
    """Move sample j to cluster d and update the state."""
    c = state.labels[j]
    row = state.smoother[j]
    old = state.scores[c]
    new = state.scores[d]
    state.within[c] += row[j] - 2.0 * old[j]
    state.within[d] += row[j] + 2.0 * new[j]
    state.sizes[c] -= state.weights[j]
    state.sizes[d] += state.weights[j]
    state.labels[j] = d
    for i in range(row.shape[0]):
        old[i] -= row[i]
        new[i] += row[i]
