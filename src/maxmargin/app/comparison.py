"""Two works of one data set: how far they agree, and which rows differ."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from maxmargin.metrics.matching import match_labels

MAX_DIFFERENT = 200  # rows that are listed, of all and of each flow
N_FLOWS = 12


class Flow(NamedTuple):
    """Rows that are in one cluster of the first work and in another of the second."""

    start: int
    end: int  # as the second work numbers it
    rows: np.ndarray  # (n,), whether each shared row is one


@dataclass(frozen=True)
class Shared:
    """The rows that two works share, and their clusters in both.

    The clusters of the second work are matched with those of the first, one to one, so
    that most rows agree.
    """

    rows: np.ndarray  # positions among the rows of the first work
    here: np.ndarray
    there: np.ndarray
    partner: dict[int, int | None]  # of each cluster of the second work

    @staticmethod
    def of(
        first: np.ndarray,
        second: np.ndarray,
        first_rows: np.ndarray,
        second_rows: np.ndarray,
    ) -> "Shared":
        """Match the labels of two works, whose rows have positions in one table."""
        _, mine, theirs = np.intersect1d(first_rows, second_rows, return_indices=True)
        here, there = first[mine], second[theirs]
        ours, own = np.unique(here, return_inverse=True)
        others, codes = np.unique(there, return_inverse=True)
        found = [
            int(ours[p]) if p < len(ours) else None for p in match_labels(codes, own)
        ]
        partner = dict(zip(others.tolist(), found, strict=True))
        return Shared(mine, here, there, partner)

    @property
    def differ(self) -> np.ndarray:
        """Return True for each row whose clusters do not match."""
        same = np.zeros(len(self.rows), dtype=bool)
        for theirs, ours in self.partner.items():
            if ours is not None:
                same |= (self.there == theirs) & (self.here == ours)
        return ~same

    def flows(self) -> list[Flow]:
        """Return from which to which cluster rows go, most rows first."""
        differ = np.flatnonzero(self.differ)
        pairs = np.column_stack([self.here[differ], self.there[differ]])
        found, flow, counts = np.unique(
            pairs, axis=0, return_inverse=True, return_counts=True
        )
        flows = []
        for f in np.argsort(-counts, kind="stable")[:N_FLOWS].tolist():
            rows = np.zeros(len(self.rows), dtype=bool)
            rows[differ[flow.reshape(-1) == f]] = True
            flows.append(Flow(int(found[f, 0]), int(found[f, 1]), rows))
        return flows


def compare_shared(shared: Shared) -> dict[str, Any]:
    """Return the agreement of two works, and the rows that differ.

    ``matched`` has the cluster of the first work for each of the second, None if there
    is none, and ``flows`` the rows that are in a cluster of the first and in another
    one of the second: both clusters, their number and some rows.
    """
    differ = shared.differ
    agreement = float(adjusted_rand_score(shared.here, shared.there))
    return {
        "adjusted_rand_index": round(agreement, 4),
        "rows": len(shared.rows),
        "different": int(differ.sum()),
        "different_rows": shared.rows[differ][:MAX_DIFFERENT].tolist(),
        "matched": [list(pair) for pair in shared.partner.items()],
        "flows": [
            {
                "from": flow.start,
                "to": flow.end,
                "rows": int(flow.rows.sum()),
                "some": shared.rows[flow.rows][:MAX_DIFFERENT].tolist(),
            }
            for flow in shared.flows()
        ],
    }
