"""What there is to say about clusters, as numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import silhouette_samples

from maxmargin.plots.projection import margins, principal_plane
from maxmargin.selection.stability import cluster_stability

SAMPLES = 2000  # rows looked at for silhouettes and stability
MAPPED = 1500  # rows drawn
BORDER_ROWS = 20_000  # rows among which those at the boundary are looked for
TELLING = 6  # features named for each cluster
AT_BORDER = 10  # rows named


@dataclass(frozen=True)
class Telling:
    """A feature that sets a cluster apart."""

    name: str
    here: float  # mean in the cluster, in the units of the file
    elsewhere: float
    difference: float  # of the two, in standard deviations of all rows


@dataclass(frozen=True)
class BorderRow:
    """A row near the boundary of two clusters."""

    name: str
    cluster: int
    other: int
    margin: float  # in shares of the median


@dataclass(frozen=True)
class Facts:
    """All that the page shows."""

    sizes: np.ndarray
    positions: np.ndarray  # (m, 2), of some rows
    position_labels: np.ndarray
    position_margins: np.ndarray  # in shares of the median
    position_names: list[str]
    variance: np.ndarray  # shares of the two axes
    silhouettes: list[np.ndarray]  # of some rows of each cluster, falling
    stability: np.ndarray
    telling: list[list[Telling]]
    border: list[BorderRow]


def gather(
    estimator: Any,
    X: np.ndarray,
    labels: np.ndarray,
    names: Sequence[str],
    ids: np.ndarray,
    original: Callable[[np.ndarray], np.ndarray],
    random: np.random.RandomState,
) -> Facts:
    """Compute what the page shows, from random rows where there are many."""
    n_clusters = int(estimator.n_clusters_)
    sizes = np.bincount(labels, minlength=n_clusters)
    some = _draw(len(X), SAMPLES, random)
    gaps = margins(estimator.decision_function(X[some]))
    middle = max(float(np.median(gaps)), np.finfo(float).tiny)
    mapped = some if len(some) <= MAPPED else np.sort(some[_draw(len(some), MAPPED,
                                                                random)])  # fmt: skip
    positions, variance = principal_plane(X[some])
    on_map = np.isin(some, mapped)
    return Facts(
        sizes,
        positions[on_map],
        labels[some][on_map],
        (gaps / middle)[on_map],
        [str(name) for name in ids[some][on_map]],
        variance,
        _silhouettes(X[some], labels[some], n_clusters),
        _stability(estimator, X[some], labels[some], n_clusters, random),
        [_telling(X, labels == h, names, original) for h in range(n_clusters)],
        _border(estimator, X, labels, ids, middle, random),
    )


def _draw(n_rows: int, limit: int, random: np.random.RandomState) -> np.ndarray:
    if n_rows <= limit:
        return np.arange(n_rows)
    return np.sort(random.choice(n_rows, limit, replace=False))


def _silhouettes(
    X: np.ndarray, labels: np.ndarray, n_clusters: int
) -> list[np.ndarray]:
    n_present = len(np.unique(labels))
    if not 2 <= n_present < len(labels):
        return [np.empty(0)] * n_clusters
    values = silhouette_samples(X, labels)
    return [np.sort(values[labels == h])[::-1] for h in range(n_clusters)]


def _stability(
    estimator: Any,
    X: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
    random: np.random.RandomState,
) -> np.ndarray:
    result = np.full(n_clusters, np.nan)
    if len(X) < 4 * n_clusters:
        return result

    def again(part: np.ndarray, seed: int) -> np.ndarray:
        fresh = clone(estimator).set_params(n_clusters=n_clusters, random_state=seed)
        found: np.ndarray = fresh.fit(X[part]).labels_
        return found

    values = cluster_stability(again, labels, random)
    result[: len(values)] = values
    return result


def _telling(
    X: np.ndarray,
    own: np.ndarray,
    names: Sequence[str],
    original: Callable[[np.ndarray], np.ndarray],
) -> list[Telling]:
    """Return the features whose means differ most inside and outside a cluster."""
    n_own = int(own.sum())
    if n_own in (0, len(X)):
        return []
    spread = X.std(axis=0)
    inside = own.astype(float) @ X / n_own
    outside = (X.sum(axis=0) - inside * n_own) / (len(X) - n_own)
    difference = np.divide(
        inside - outside, spread, out=np.zeros(len(spread)), where=spread > 0
    )
    here, elsewhere = original(np.stack([inside, outside]))
    order = np.argsort(-np.abs(difference))[:TELLING]
    return [
        Telling(
            names[j], float(here[j]), float(elsewhere[j]), float(difference[j])
        )
        for j in order
        if difference[j] != 0
    ]  # fmt: skip


def _border(
    estimator: Any,
    X: np.ndarray,
    labels: np.ndarray,
    ids: np.ndarray,
    middle: float,
    random: np.random.RandomState,
) -> list[BorderRow]:
    """Return the rows with the smallest margin."""
    some = _draw(len(X), BORDER_ROWS, random)
    decisions = estimator.decision_function(X[some])
    if decisions.shape[1] < 2:
        return []
    gaps = margins(decisions)
    rows = []
    for i in np.argsort(gaps, kind="stable")[:AT_BORDER]:
        first, second = np.argsort(-decisions[i], kind="stable")[:2]
        own = int(labels[some[i]])
        other = int(second if own == first else first)
        rows.append(BorderRow(str(ids[some[i]]), own, other, float(gaps[i] / middle)))
    return rows
