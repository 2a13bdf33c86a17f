"""Two works of one data set: how far they agree, and which rows differ."""

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from maxmargin.app.works import Conflict, Works
from maxmargin.metrics.matching import match_labels

MAX_DIFFERENT = 200  # rows that are listed, of all and of each flow
N_FLOWS = 12


def compare_works(works: Works, first: str, second: str) -> dict[str, Any]:
    """Return the agreement of two works, and the rows that differ.

    The clusters of the second work are matched with those of the first, one to one, so
    that most rows agree. ``matched`` has the cluster of the first work for each of the
    second, None if there is none, and ``flows`` the rows that are in a cluster of the
    first and in another one of the second: both clusters, their number and some rows.
    """
    one, two = works.read(first), works.read(second)
    if one["dataset"] != two["dataset"]:
        raise Conflict("The two works have different data sets.")
    states = [works.clustering(one), works.clustering(two)]
    rows = [works.base(work)["rows"] for work in (one, two)]
    _, mine, theirs = np.intersect1d(rows[0], rows[1], return_indices=True)
    labels = [states[0].labels[mine], states[1].labels[theirs]]
    (ours, own), (others, codes) = (
        np.unique(each, return_inverse=True) for each in labels
    )
    partner = match_labels(codes, own)
    differ = partner[codes] != own
    return {
        "adjusted_rand_index": round(float(adjusted_rand_score(*labels)), 4),
        "rows": len(mine),
        "different": int(differ.sum()),
        "different_rows": mine[differ][:MAX_DIFFERENT].tolist(),
        "matched": [
            [int(h), int(ours[p]) if p < len(ours) else None]
            for h, p in zip(others, partner, strict=True)
        ],
        "flows": _flows(labels[0][differ], labels[1][differ], mine[differ]),
    }


def _flows(
    first: np.ndarray, second: np.ndarray, rows: np.ndarray
) -> list[dict[str, Any]]:
    """Return from which to which cluster rows go, most rows first."""
    pairs = np.column_stack([first, second])
    found, flow, counts = np.unique(
        pairs, axis=0, return_inverse=True, return_counts=True
    )
    flow = flow.reshape(-1)
    return [
        {
            "from": int(found[f, 0]),
            "to": int(found[f, 1]),
            "rows": int(counts[f]),
            "some": rows[flow == f][:MAX_DIFFERENT].tolist(),
        }
        for f in np.argsort(-counts, kind="stable")[:N_FLOWS].tolist()
    ]
