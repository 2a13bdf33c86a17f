"""What the page shows about a state: sizes, profiles, doubtful rows, what moved."""

from typing import Any

import numpy as np

from maxmargin.app.clustering import Clustering
from maxmargin.report.results import feature_differences
from maxmargin.tables.preprocessing import TableSamples

N_DOUBTFUL = 30
N_FLOWS = 12


def facts_of(state: Clustering, samples: TableSamples) -> dict[str, Any]:
    """Return the sizes and profiles of the clusters, and the doubtful rows."""
    clusters = []
    for cluster in state.clusters:
        own = state.labels == cluster.id
        profile = [
            {
                "name": one.name,
                "inside": float(one.inside),
                "outside": float(one.outside),
                "difference": round(float(one.difference), 3),
            }
            for one in feature_differences(samples, own)
        ]
        size = int(own.sum())
        mean = float(state.confidence[own].mean()) if size else 0.0
        about = {"id": cluster.id, "size": size, "confidence": round(mean, 4)}
        clusters.append({**about, "profile": profile})
    given = np.zeros(len(state.labels), dtype=bool)
    given[state.corrections.rows] = True
    doubt = np.where(given, np.inf, state.confidence)
    first = np.argsort(doubt, kind="stable")[:N_DOUBTFUL]
    doubtful = [
        {
            "row": int(i),
            "cluster": int(state.labels[i]),
            "rival": int(state.rivals[i]),
            "confidence": round(float(state.confidence[i]), 3),
        }
        for i in first
        if np.isfinite(doubt[i]) and state.confidence[i] < 1
    ]
    mean = float(state.confidence.mean()) if len(state.labels) else 0.0
    return {"profiles": clusters, "doubtful": doubtful, "confidence": round(mean, 4)}


def moves(before: Clustering, after: Clustering) -> dict[str, Any]:
    """Return the number of rows that moved, from which to which cluster."""
    moved = np.flatnonzero(before.labels != after.labels)
    pairs = np.column_stack([before.labels[moved], after.labels[moved]])
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:N_FLOWS]
    flows = [[int(found[i, 0]), int(found[i, 1]), int(counts[i])] for i in order]
    return {"moved": len(moved), "flows": flows}
