"""Peers with a memory: smoothing with a half-life, temporal Leiden, CluStream."""

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans

from maxmargin.metrics import match_labels

PEERS = ("HL k-means", "HL Leiden", "temporal Leiden", "CluStream")


def keep_names(labels, ids, past):
    """Return labels that are matched with those of the past, a dict by object."""
    labels = np.unique(labels, return_inverse=True)[1]
    reference = np.array([past.get(one, -1) for one in ids.tolist()])
    size = 1 + max(labels.max(), max(past.values(), default=0))
    return match_labels(labels, reference, size)[labels]


class Smoothed:
    """Cluster rows that are averaged over time with a half-life in snapshots."""

    def __init__(self, n_clusters, seed, half_life=2.0, method="k-means"):
        self.n_clusters, self.seed, self.method = n_clusters, seed, method
        self.factor = 0.5 ** (1.0 / half_life)
        self.sums, self.masses, self.names = {}, {}, {}

    def partial_fit(self, X, ids, time):
        """Cluster the next snapshot."""
        X = X.toarray() if sp.issparse(X) else X
        for one in self.masses:
            self.masses[one] *= self.factor
            self.sums[one] = self.sums[one] * self.factor
        for one, row in zip(ids.tolist(), X, strict=True):
            self.sums[one] = self.sums.get(one, 0.0) + row
            self.masses[one] = self.masses.get(one, 0.0) + 1.0
        rows = np.array([self.sums[one] / self.masses[one] for one in ids.tolist()])
        if self.method == "k-means":
            means = KMeans(self.n_clusters, n_init=10, random_state=self.seed)
            labels = means.fit_predict(rows)
        else:
            import leidenalg

            partition = leidenalg.find_partition(
                similarity_graph(rows),
                leidenalg.ModularityVertexPartition,
                weights="weight",
                seed=self.seed,
            )
            labels = np.array(partition.membership)
        self.labels_ = keep_names(labels, ids, self.names)
        self.names.update(zip(ids.tolist(), self.labels_.tolist(), strict=True))
        return self


def similarity_graph(rows):
    """Return the graph of the positive inner products of rows of length one."""
    import igraph

    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    rows = rows / lengths
    similarity = np.triu(np.maximum(rows @ rows.T, 0.0), 1)
    similarity[similarity < 1e-3] = 0.0
    i, j = np.nonzero(similarity)
    graph = igraph.Graph(len(rows), np.column_stack([i, j]).tolist())
    graph.es["weight"] = similarity[i, j].tolist()
    return graph


def temporal_leiden(steps, seed, coupling=1.0):
    """Return the labels of all snapshots by `leidenalg.find_partition_temporal`.

    Unlike the others it sees all snapshots, the later ones too.
    """
    import leidenalg

    graphs = []
    for step in steps:
        rows = step.X.toarray() if sp.issparse(step.X) else step.X
        graph = similarity_graph(rows)
        graph.vs["id"] = step.ids.tolist()
        graphs.append(graph)
    members, _ = leidenalg.find_partition_temporal(
        graphs,
        leidenalg.ModularityVertexPartition,
        interslice_weight=coupling,
        vertex_id_attr="id",
        weights="weight",
        seed=seed,
    )
    return [np.array(one) for one in members]


class Stream:
    """CluStream of river: micro-clusters of a stream, then k-means of them."""

    N_FEATURES = 20  # of a random projection, since each row is a dict in Python

    def __init__(self, n_clusters, seed):
        from river import cluster

        self.seed = seed

        self.model = cluster.CluStream(
            n_macro_clusters=n_clusters,
            max_micro_clusters=max(10 * n_clusters, 50),
            time_window=1000,
            time_gap=100,
            seed=seed,
        )

    def partial_fit(self, X, ids, time):
        """Cluster the next snapshot."""
        rows = X.toarray() if sp.issparse(X) else X
        if rows.shape[1] > self.N_FEATURES:
            random = np.random.RandomState(self.seed)
            rows = rows @ random.randn(rows.shape[1], self.N_FEATURES)
        rows = [dict(enumerate(row.tolist())) for row in rows]
        for row in rows:
            self.model.learn_one(row)
        self.model.offline_processing_needed = True
        self.labels_ = np.array([self.model.predict_one(row) for row in rows])
        return self


def make_peer(name, n_clusters, seed):
    """Return a peer that takes one snapshot after another."""
    if name == "CluStream":
        return Stream(n_clusters, seed)
    method = "k-means" if name == "HL k-means" else "Leiden"
    return Smoothed(n_clusters, seed, method=method)
