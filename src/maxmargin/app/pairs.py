"""Questions whose answers help most: doubtful pairs of rows.

The rows of a small group that belong to one cluster are a *cell*. A cell is doubtful if
its rows are close to a boundary, and an answer about the middle of a large cell moves
many rows. So the question is whether the middle of a cell and the middle of a cluster
belong together: first of its own cluster, then of the rival, in the order of

    (number of rows of the cell) x (1 - their mean confidence).

When the cells are answered, single rows follow, the most doubtful one first.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.app.state import State

MAX_ROWS = 2000  # single rows that are asked for


class Question(NamedTuple):
    """A pair of rows, and why it is asked."""

    first: int  # the doubtful row
    second: int  # a typical row of a cluster
    cluster: int  # of the second row
    rows: int  # that are like the first one
    doubt: float  # one minus the mean confidence


def propose_pairs(state: State, groups: np.ndarray, number: int) -> list[Question]:
    """Return the most informative pairs that were not answered yet."""
    if len(state.clusters) < 2:
        return []
    labels, confidence = state.labels, state.confidence.astype(float)
    cells, inverse = np.unique(
        np.column_stack([groups, labels]), axis=0, return_inverse=True
    )
    inverse = inverse.ravel()
    sizes = np.bincount(inverse)
    doubts = 1.0 - np.bincount(inverse, confidence) / sizes
    middles = _middles(inverse, confidence)
    centers = _centers(cells, sizes, middles)
    rivals = _rivals(state, inverse, len(cells))
    answered = _answered(state)
    settled = set(state.constraints.labels) | set(state.constraints.unsure)
    # The cells first, then single rows.
    doubtful = [
        (int(middles[c]), int(rivals[c]), int(sizes[c]), float(doubts[c]))
        for c in np.argsort(-sizes * doubts, kind="stable")
    ]
    unsure = np.argsort(confidence, kind="stable")[: MAX_ROWS + number]
    doubtful += [
        (int(i), int(state.rivals[i]), 1, 1.0 - float(confidence[i])) for i in unsure
    ]
    questions: list[Question] = []
    asked = set()
    for row, rival, size, doubt in doubtful:
        if len(questions) == number:
            break
        if row in settled or row in asked or doubt <= 0:
            continue
        for cluster in (int(labels[row]), rival):
            other = centers.get(cluster, row)
            pair = (min(row, other), max(row, other))
            if other != row and pair not in answered:
                question = Question(row, other, cluster, size, round(doubt, 3))
                questions.append(question)
                asked.add(row)
                break
    return questions


def _middles(inverse: np.ndarray, confidence: np.ndarray) -> np.ndarray:
    """Return the surest row of each cell, a typical one."""
    order = np.argsort(-confidence, kind="stable")
    _, first = np.unique(inverse[order], return_index=True)
    return order[first]


def _centers(
    cells: np.ndarray, sizes: np.ndarray, middles: np.ndarray
) -> dict[int, int]:
    """Return the middle of the largest cell of each cluster."""
    centers: dict[int, int] = {}
    for c in np.argsort(-sizes, kind="stable"):
        centers.setdefault(int(cells[c, 1]), int(middles[c]))
    return centers


def _rivals(state: State, inverse: np.ndarray, n_cells: int) -> np.ndarray:
    """Return the second cluster of most rows of each cell."""
    ids = state.ids
    known = state.rivals >= 0
    votes = np.zeros((n_cells, len(ids)))
    positions = np.searchsorted(ids, state.rivals[known])
    np.add.at(votes, (inverse[known], np.minimum(positions, len(ids) - 1)), 1.0)
    return np.where(votes.any(axis=1), ids[votes.argmax(axis=1)], -1)


def _answered(state: State) -> set[tuple[int, int]]:
    return {*state.constraints.together, *state.constraints.apart}
