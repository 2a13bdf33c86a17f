"""What losses come from: the encoding or the search, and how much a table can tell."""

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

from benchmarks.mixed.methods import prepare
from benchmarks.mixed.tables import CENTERS, DRAWS, load, remove_cells
from maxmargin import MaxMarginClustering
from maxmargin.tables import TableEncoder

N_SEEDS = 5  # of k-means, whose index varies between them
N_NEIGHBORS = 10


def indicators(frame: pd.DataFrame) -> np.ndarray:
    """Return standardised numbers and the indicators of categories."""
    numbers, categories = prepare(frame)
    if not categories.shape[1]:
        return numbers.to_numpy()
    return pd.concat([numbers, pd.get_dummies(categories)], axis=1).to_numpy(float)


def kmeans_index(X: np.ndarray, labels: np.ndarray, n_clusters: int) -> float:
    """Return the mean index of k-means over seeds."""
    runs = [
        KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(X)
        for seed in range(N_SEEDS)
    ]
    return float(np.mean([adjusted_rand_score(labels, run) for run in runs]))


def diagnose(name: str) -> list[float]:
    """Return the indices of both searches on both encodings, and our islands."""
    frame, labels = load(name)
    k = len(set(labels))
    found: list[float] = []
    encodings = TableEncoder().fit_transform(frame), indicators(frame)
    for X in encodings:
        own = MaxMarginClustering(k, scale=False, random_state=0).fit_predict(X)
        found += [adjusted_rand_score(labels, own), kmeans_index(X, labels, k)]
    rows = np.unique(encodings[0].round(9), axis=0)
    graph = kneighbors_graph(rows, min(N_NEIGHBORS, len(rows) - 1))
    return [*found, connected_components(graph, directed=False)[0]]


def attainable(name: str) -> float:
    """Return the index with a fifth of the cells removed if the densities are known."""
    frame, labels = load(name)
    draws = [remove_cells(frame, seed) for seed in DRAWS]
    found = [adjusted_rand_score(labels, likeliest(name, gaps)) for gaps in draws]
    return float(np.mean(found))


def likeliest(name: str, gaps: pd.DataFrame) -> np.ndarray:
    """Return the likeliest group of each row of a generated table."""
    if name == "carrier":  # column c is the group, d is it in nine of ten rows
        return gaps["c"].fillna(gaps["d"]).fillna("p").to_numpy()
    X = gaps[["a", "b"]].to_numpy(float)
    return np.nansum((X[:, None] - CENTERS) ** 2, axis=2).argmin(axis=1)
