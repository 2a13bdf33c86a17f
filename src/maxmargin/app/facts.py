"""What the page shows about a state: sizes, profiles, doubtful rows, what moved."""

from typing import Any

import numpy as np

from maxmargin.app.clustering import Clustering
from maxmargin.app.levels import Levels
from maxmargin.app.limits import MAX_CLUSTERS
from maxmargin.report.descriptions import (
    feature_differences,
    summary_of,
)
from maxmargin.report.pictures import cluster_pictures, picture_columns
from maxmargin.report.results import agreement_with_classes
from maxmargin.selection import ClusterCountTable
from maxmargin.tables.samples import TableSamples

N_DOUBTFUL = 30
N_FLOWS = 12
N_OTHERS = 3  # next best numbers of clusters
N_SHOWN = 6  # levels that are shown beside each other


def facts_of(state: Clustering, samples: TableSamples) -> dict[str, Any]:
    """Return the sizes and profiles of the clusters, and the doubtful rows."""
    clusters = []
    for cluster in state.clusters:
        own = state.labels == cluster.id
        found = feature_differences(samples, own)
        profile = [
            {
                "name": one.label,
                "inside": one.values[0],
                "outside": one.values[1],
                "difference": round(one.difference, 3),
            }
            for one in found
        ]
        clusters.append(
            {
                "id": cluster.id,
                "size": int(own.sum()),
                "margin": _mean_margin(state, own),
                "summary": summary_of(samples, found),
                "profile": profile,
                "pictures": cluster_pictures(samples, own),
            }
        )
    given = np.zeros(len(state.labels), dtype=bool)
    given[state.corrections.rows] = True
    doubt = np.where(given, np.inf, state.margin)
    first = np.argsort(doubt, kind="stable")[:N_DOUBTFUL]
    doubtful = [
        {
            "row": int(i),
            "name": None if samples.id_name == "row" else str(samples.ids[i]),
            "cluster": int(state.labels[i]),
            "rival": int(state.rivals[i]),
            "margin": float(f"{state.margin[i]:.3g}"),  # of many rows all are small
        }
        for i in first
        if np.isfinite(doubt[i]) and state.margin[i] < 1
    ]
    mean = _mean_margin(state, np.ones(len(given), dtype=bool))
    facts = {"profiles": clusters, "doubtful": doubtful, "margin": mean}
    agreement = agreement_with_classes(samples, state.labels)
    return facts | {"picture": _picture_of(samples), "agreement": agreement}


def _picture_of(samples: TableSamples) -> dict[str, Any] | None:
    """Return the columns of rows that are pictures, and their width, else None."""
    found = picture_columns(samples)
    if found is None:
        return None
    names = samples.preprocessor.feature_names
    return {"columns": [names[j] for j in found.order], "width": found.shape[1]}


def number_facts(estimator: Any) -> dict[str, Any]:
    """Return which numbers of clusters there are, and why the one was chosen.

    ``shown`` are the numbers of the levels that stand out and those with the next best
    scores, as far as the tree has them.
    """
    levels = Levels.of(estimator)
    if levels is None:
        return {"most": 0, "shown": [], "scores": None, "best": None, "others": []}
    found = score_facts(estimator.count_table_)
    first = [len(levels.fitted), *found["others"][:N_OTHERS], *estimator.layers_]
    shown = [k for k in dict.fromkeys(first) if k <= min(levels.most, MAX_CLUSTERS)]
    most = min(levels.most, MAX_CLUSTERS)
    return {"most": most, "shown": sorted(shown[:N_SHOWN]), **found}


def score_facts(table: ClusterCountTable | None) -> dict[str, Any]:
    """Return the scores of numbers of clusters, the best number and the next best."""
    if table is None:
        return {"scores": None, "best": None, "others": []}
    scores = [[row.n_clusters, round(row.score, 4)] for row in table.rows]
    others = [row.n_clusters for row in table.maxima if row.n_clusters != table.best]
    return {"scores": scores, "best": table.best, "others": others}


def _mean_margin(state: Clustering, rows: np.ndarray) -> float | None:
    """Return the mean of some rows, None if there is no second cluster."""
    if len(state.clusters) < 2 or not rows.any():
        return None
    return round(float(state.margin[rows].mean()), 4)


def moves(before: Clustering, after: Clustering) -> dict[str, Any]:
    """Return the number of rows that moved, from which to which cluster."""
    moved = np.flatnonzero(before.labels != after.labels)
    pairs = np.column_stack([before.labels[moved], after.labels[moved]])
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:N_FLOWS]
    flows = [[int(found[i, 0]), int(found[i, 1]), int(counts[i])] for i in order]
    return {"moved": len(moved), "flows": flows}
