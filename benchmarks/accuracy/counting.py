"""The methods that find the number of clusters. The argument for it is not used."""

import numpy as np

from benchmarks.accuracy.methods import Method

NEIGHBORS = 15  # of the graph of Leiden


def auto(X, n_clusters, seed):
    """Cluster with the number that MaxMarginClustering estimates."""
    from maxmargin import MaxMarginClustering

    return MaxMarginClustering("auto", random_state=seed).fit_predict(X)


def silhouette(X, n_clusters, seed):
    """Cluster by k-means at the best silhouette, on at most 1000 samples."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    size = min(1000, len(X))
    fits = [
        KMeans(k, n_init=2, random_state=seed).fit_predict(X)
        for k in range(2, min(30, int(np.sqrt(size))) + 1)
    ]
    return max(
        fits,
        key=lambda labels: silhouette_score(
            X, labels, sample_size=size, random_state=seed
        ),
    )


def hdbscan(X, n_clusters, seed):
    """Cluster by density, with scikit-learn's defaults."""
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(copy=False).fit_predict(X)


def leiden(X, n_clusters, seed):
    """Maximise the modularity of the symmetric graph of 15 nearest neighbours."""
    import igraph
    import leidenalg
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(X, NEIGHBORS)
    graph = graph.maximum(graph.T).tocoo()
    once = graph.row < graph.col
    edges = np.column_stack([graph.row[once], graph.col[once]])
    found = leidenalg.find_partition(
        igraph.Graph(n=len(X), edges=edges),
        leidenalg.ModularityVertexPartition,
        seed=seed,
    )
    return np.array(found.membership)


def evoc(X, n_clusters, seed):
    """Cluster with EVoC, with its defaults."""
    from evoc import EVoC

    rows = np.ascontiguousarray(X, dtype=np.float32)
    return EVoC(random_state=seed).fit_predict(rows)


COUNTING = {
    "auto": Method('MaxMarginClustering("auto")', auto, seeds=2, finds_number=True),
    "silhouette": Method("k-means, silhouette", silhouette, 1, finds_number=True),
    "hdbscan": Method("HDBSCAN", hdbscan, seeds=1, finds_number=True),
    "leiden": Method("Leiden", leiden, finds_number=True, package="leidenalg"),
    "evoc": Method("EVoC", evoc, finds_number=True, package="evoc"),
}
