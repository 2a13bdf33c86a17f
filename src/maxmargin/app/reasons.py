"""Why one of two labellings may be better: figures that both are asked for alike."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestNeighbors

from maxmargin.app.comparison import Shared
from maxmargin.report.descriptions import deciding_columns
from maxmargin.report.pictures import cluster_pictures
from maxmargin.tables.samples import TableSamples
from maxmargin.texts.keywords import typical_texts

N_NEAREST = 10
N_FLOWS = 6  # groups of rows that differ, the largest ones
MAX_POOL = 10_000  # rows among which the nearest ones are looked for
MAX_ASKED = 2000  # rows whose nearest ones and silhouettes are looked at
MAX_OF_FLOW = 200
N_TEXTS = 2  # typical ones of the rows that differ


class Nearest(NamedTuple):
    """Rows, and the rows that are nearest to each of them."""

    rows: np.ndarray
    nearest: np.ndarray  # (rows, N_NEAREST)

    def share_in(self, labels: np.ndarray) -> float:
        """Return the share of the nearest rows that are in the cluster of their row."""
        own = labels[self.rows][:, None]
        return round(float((labels[self.nearest] == own).mean()), 4)


def reasons_of(samples: TableSamples, shared: Shared) -> dict[str, Any]:
    """Return what speaks for each of two labellings of the same rows.

    ``samples`` has the rows of the first work. Of both labellings, the first one first:
    the share of links between near rows that lead to another cluster, the mean
    silhouette and the number of clusters; of the largest groups of rows that differ, in
    which clusters the nearest rows are, and what they have in the columns in which the
    two clusters differ most.
    """
    random = np.random.RandomState(0)
    own = shared.rows
    flows = shared.flows()[:N_FLOWS]
    parts = [_draw(np.flatnonzero(flow.rows), MAX_OF_FLOW, random) for flow in flows]
    asked = _draw(np.arange(len(own)), MAX_ASKED, random)
    pool = _draw(np.arange(len(own)), MAX_POOL, random)
    pool = np.unique(np.concatenate([pool, asked, *parts]))
    metric = "euclidean" if samples.texts is None else "cosine"
    index = NearestNeighbors(metric=metric).fit(samples.X[own[pool]])

    def nearest_to(rows: np.ndarray) -> Nearest:
        number = min(N_NEAREST + 1, len(pool))
        found = pool[index.kneighbors(samples.X[own[rows]], number, False)]
        others = found != rows[:, None]
        others[others.all(axis=1), -1] = False  # it is not among rows that are equal
        return Nearest(rows, found[others].reshape(len(rows), -1))

    labellings = (shared.here, shared.there)
    links = nearest_to(asked)
    return {
        "links": [round(1.0 - links.share_in(labels), 4) for labels in labellings],
        "silhouette": [
            _silhouette(samples.X[own[asked]], labels[asked], metric)
            for labels in labellings
        ],
        "clusters": [len(np.unique(labels)) for labels in labellings],
        "flows": [
            {
                "from": flow.start,
                "to": flow.end,
                "rows": int(flow.rows.sum()),
                "nearest": [nearest_to(part).share_in(each) for each in labellings],
                **_about(samples, shared, flow.rows, part),
            }
            for flow, part in zip(flows, parts, strict=True)
        ],
    }


def _about(
    samples: TableSamples, shared: Shared, rows: np.ndarray, part: np.ndarray
) -> dict[str, Any]:
    """Return what rows that differ look like beside the clusters they are between."""
    here, there = shared.here[part[0]], shared.there[part[0]]
    groups = [shared.here == here, shared.there == there, rows]
    # Beside rows of which both labellings say the same, if there are any.
    both = [group & ~rows for group in groups[:2]]
    groups[:2] = [b if b.any() else g for b, g in zip(both, groups[:2], strict=True)]
    masks = [_of_samples(samples, shared.rows[group]) for group in groups]
    pictures = [cluster_pictures(samples, mask)[:1] for mask in masks]
    return {
        "columns": [one._asdict() for one in deciding_columns(samples, *masks)],
        "pictures": [one for found in pictures for one in found],
        "texts": _texts(samples, shared.rows[rows]),
    }


def _texts(samples: TableSamples, rows: np.ndarray) -> list[str]:
    """Return typical texts of some rows, none if the rows are no texts."""
    if samples.texts is None:
        return []
    texts = [samples.texts[i] for i in rows.tolist()]
    return typical_texts(texts, np.zeros(len(rows), dtype=int), n_texts=N_TEXTS)[0]


def _of_samples(samples: TableSamples, rows: np.ndarray) -> np.ndarray:
    found = np.zeros(samples.n_rows, dtype=bool)
    found[rows] = True
    return found


def _silhouette(X: Any, labels: np.ndarray, metric: str) -> float | None:
    """Return the mean silhouette, None if there is no second cluster."""
    if not 2 <= len(np.unique(labels)) < len(labels):
        return None
    return round(float(silhouette_score(X, labels, metric=metric)), 4)


def _draw(rows: np.ndarray, limit: int, random: np.random.RandomState) -> np.ndarray:
    if len(rows) <= limit:
        return rows
    return np.sort(random.choice(rows, limit, replace=False))
