"""Cells: small groups of similar rows of one cluster, each with a typical row.

A cell is what one answer of the user can move: its typical row holds it in its cluster,
and where that row goes with certainty, the others follow.
"""

from typing import NamedTuple

import numpy as np


class Cells(NamedTuple):
    """The cell of each row, and the typical row of each cell."""

    of_rows: np.ndarray  # (n,)
    typical: np.ndarray  # (m,)

    @property
    def sizes(self) -> np.ndarray:
        """Return the numbers of rows."""
        return np.bincount(self.of_rows, minlength=len(self.typical))

    def refine(self, labels: np.ndarray, confidence: np.ndarray) -> "Cells":
        """Return cells that lie within clusters; typical rows stay typical."""
        kept = np.zeros(len(labels))
        kept[self.typical] = 2.0
        return make_cells(self.of_rows, labels, confidence + kept)


def make_cells(groups: np.ndarray, labels: np.ndarray, confidence: np.ndarray) -> Cells:
    """Return the cells of groups within clusters; the surest row is the typical one."""
    parts = np.column_stack([groups, labels])
    _, inverse = np.unique(parts, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    order = np.argsort(-confidence, kind="stable")
    _, first = np.unique(inverse[order], return_index=True)
    return Cells(inverse.astype(np.int32), order[first].astype(np.int32))
