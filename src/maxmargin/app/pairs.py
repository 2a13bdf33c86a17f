"""Questions whose answers help most: doubtful pairs of rows.

The question is whether the typical row of a cell and that of a cluster belong together:
first the cluster in which the row is, then others, until the answer is yes. An answer
about a large cell near a boundary moves many rows, so the cells come in the order of

    (number of rows) x (1 - mean confidence).

Such questions find groups that are in the wrong cluster, but most of them are answered
by yes. So by turns with them come single rows, the most doubtful one first, of which
about half are wrong.
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from maxmargin.app.state import State

MAX_ROWS = 2000  # single rows that are asked for
MAX_CLUSTERS = 4  # that a row is compared with


# A row, the clusters that are near, the number of rows like it, and the doubt.
Doubt = tuple[int, list[int], int, float]


class Question(NamedTuple):
    """A pair of rows, and why it is asked."""

    first: int  # the doubtful row
    second: int  # a typical row of a cluster
    cluster: int  # of the second row
    rows: int  # that are like the first one
    doubt: float  # one minus the mean confidence


def propose_pairs(state: State, number: int) -> list[Question]:
    """Return the most informative pairs that were not answered yet."""
    if len(state.clusters) < 2 or state.cells is None:
        return []
    answers = _Answers(state)
    centers = _centers(state)
    asked: set[int] = set()
    questions: list[Question] = []
    for row, near, size, doubt in _doubtful(state):
        if len(questions) == number:
            break
        if row in asked or doubt <= 0 or answers.settled(row, centers):
            continue
        for cluster in near:
            other = centers.get(cluster, row)
            if other != row and not answers.has(row, other):
                question = Question(row, other, cluster, size, round(doubt, 3))
                questions.append(question)
                asked.add(row)
                break
    return questions


class _Answers:
    """What the user has said about rows."""

    def __init__(self, state: State) -> None:
        constraints = state.constraints
        self.pairs = {*constraints.together, *constraints.apart}
        self.together = set(constraints.together)
        self.known = set(constraints.labels) | set(constraints.unsure)

    def has(self, row: int, other: int) -> bool:
        return (min(row, other), max(row, other)) in self.pairs

    def settled(self, row: int, centers: dict[int, int]) -> bool:
        """Return True if it is known where a row belongs."""
        if row in self.known:
            return True
        pairs = ((min(row, c), max(row, c)) for c in centers.values())
        return any(pair in self.together for pair in pairs)


def _doubtful(state: State) -> Iterator[Doubt]:
    """Yield the typical rows of cells and single rows by turns."""
    kinds = [_doubtful_cells(state), _doubtful_rows(state)]
    constraints = state.constraints
    if (len(constraints.together) + len(constraints.apart)) % 2:
        kinds.reverse()
    for doubts in zip_longest(*kinds):
        yield from (doubt for doubt in doubts if doubt is not None)


def _doubtful_cells(state: State) -> Iterator[Doubt]:
    """Yield the cells with the most doubt in all."""
    assert state.cells is not None
    of_rows, typical = state.cells
    confidence = state.confidence.astype(float)
    sizes = state.cells.sizes
    doubts = 1.0 - np.bincount(of_rows, confidence, len(typical)) / np.maximum(sizes, 1)
    votes = _votes(state)
    for c in np.argsort(-sizes * doubts, kind="stable"):
        order = state.ids[np.argsort(-votes[c], kind="stable")[:MAX_CLUSTERS]]
        near = dict.fromkeys([int(state.labels[typical[c]]), *order.tolist()])
        yield int(typical[c]), list(near), int(sizes[c]), float(doubts[c])


def _doubtful_rows(state: State) -> Iterator[Doubt]:
    """Yield the rows with the least confidence."""
    confidence = state.confidence.astype(float)
    for i in np.argsort(confidence, kind="stable")[:MAX_ROWS]:
        near = dict.fromkeys([int(state.labels[i]), int(state.rivals[i])])
        yield int(i), list(near), 1, 1.0 - float(confidence[i])


def _centers(state: State) -> dict[int, int]:
    """Return the typical row of the largest cell of each cluster.

    A typical row that has left the others of its cell does not count.
    """
    assert state.cells is not None
    of_rows, typical = state.cells
    same = state.labels == state.labels[typical][of_rows]
    followers = np.bincount(of_rows, same, len(typical))
    centers: dict[int, int] = {}
    for c in np.argsort(-followers, kind="stable"):
        if 2 * followers[c] >= state.cells.sizes[c]:
            centers.setdefault(int(state.labels[typical[c]]), int(typical[c]))
    return centers


def _votes(state: State) -> np.ndarray:
    """Return how many rows of a cell have a cluster as their first or second one."""
    assert state.cells is not None
    ids = state.ids
    votes = np.zeros((len(state.cells.typical), len(ids)))
    for clusters in (state.labels, state.rivals):
        known = np.isin(clusters, ids)
        positions = np.searchsorted(ids, clusters[known])
        np.add.at(votes, (state.cells.of_rows[known], positions), 1.0)
    return votes
