"""Fits and corrections of one table.

The first fit finds the clusters. Each correction is a constraint on the labels. A fit
with constraints changes the clusters where they contradict them, as
`SemiSupervisedMaxMargin` does with pairs: rows near those of the constraints follow,
and all others stay. Merged or divided clusters are what the next fit starts from.

Of more than `SEARCH_SAMPLES` rows a fixed part is fitted, in which a row is represented
by the nearest one. What does not depend on corrections is made once.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering, progress
from maxmargin.app.layout import graph_layout
from maxmargin.app.schemas import Settings
from maxmargin.app.state import Cluster, Constraints, State
from maxmargin.engine.options import SEARCH_SAMPLES
from maxmargin.neighbors.index import NeighborIndex
from maxmargin.plots.style import principal_plane
from maxmargin.rows.sample import draw_positions
from maxmargin.search.constraints import (
    make_constraints,
    satisfy_constraints,
    sums_of_groups,
)
from maxmargin.semi_supervised.pair_model import (
    Answers,
    PairSpace,
    fit_pairs,
    make_pair_space,
    other_clusterings,
    pair_graph,
)
from maxmargin.semi_supervised.propose import make_parts
from maxmargin.semi_supervised.questions import Parts
from maxmargin.smoothers.kernel import make_kernel
from maxmargin.smoothers.spectral_smoother import NeighborGraph
from maxmargin.tables.preprocessing import TableSamples

VECTORS_PER_CLUSTER = 3
MAX_GRAPH_ROWS = 150_000  # with more rows, the map is that of the principal components


@dataclass(frozen=True)
class Prior:
    """What fits with constraints use and corrections do not change."""

    space: PairSpace  # of the rows that are fitted
    clusterings: list[np.ndarray]  # by other similarities, with as many clusters


@dataclass
class Engine:
    """The rows of a table, and what is found out about them once.

    Attributes
    ----------
    samples : TableSamples
    settings : Settings
    n_clusters : int
        Of the first fit.
    part : ndarray
        The rows that fits with constraints use, in increasing order.
    nearest : ndarray of shape (n,)
        Position in ``part`` of the row that represents a row.
    parts : Parts
        Small groups of similar rows, about which questions are asked.
    """

    samples: TableSamples
    settings: Settings
    n_clusters: int = 0
    part: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    nearest: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    parts: Parts | None = None
    estimator: Any = None  # of the first fit
    _space: PairSpace | None = None
    _prior: Prior | None = None
    _scores: tuple[np.ndarray, np.ndarray] | None = None  # and their clusters

    @property
    def X(self) -> np.ndarray:
        """Return the samples."""
        return self.samples.X

    def first_fit(self) -> State:
        """Return the clusters without any constraint."""
        settings = self.settings
        self.estimator = make_estimator(settings)
        self.estimator.fit(self.X)
        labels = np.asarray(label_of(self.estimator, self.X), dtype=np.int64)
        n_clusters = int(labels.max()) + 1 if len(labels) else 0
        n_clusters = max(n_clusters, int(getattr(self.estimator, "n_clusters_", 0)))
        self.n_clusters = n_clusters
        decisions = decisions_of(self.estimator, self.X)
        clusters = tuple(Cluster(h) for h in range(n_clusters))
        return with_confidence(labels, labels, decisions, clusters, Constraints())

    def explore(self, state: State) -> tuple[State, dict[str, np.ndarray]]:
        """Find the parts and the maps of the rows.

        Returns the state, and the maps and what later fits need by name.
        """
        n_clusters, n_rows = len(state.clusters), len(self.X)
        random = np.random.RandomState(self.settings.seed)
        self.choose_part(random)
        maps = {"pca": principal_plane(self.X).positions}
        with progress.stage(0.0, 0.5, "neighbours"):
            graph = pair_graph(self.X[self.part], np.ones(len(self.part)), n_clusters)
            self._space = self._make_space(graph)
            n_vectors = min(max(VECTORS_PER_CLUSTER * n_clusters, 10), n_rows)
            enough = len(self.part) == n_rows and graph.vectors.shape[1] >= n_vectors
            if not enough and n_rows <= MAX_GRAPH_ROWS:
                graph = NeighborGraph(self.X, np.ones(n_rows), n_vectors)
        with progress.stage(0.5, 0.9, "map"):
            if n_rows <= MAX_GRAPH_ROWS:
                maps["graph"] = graph_layout(graph.with_vectors(n_vectors), random)
        with progress.stage(0.9, 1.0, "parts"):
            found = make_parts(self._space.features, n_clusters, random)
            of_rows = found.of_samples[self.nearest].astype(np.int32)
            self.parts = Parts(of_rows, self.part[found.typical])
        arrays = {name: scale_map(positions) for name, positions in maps.items()}
        arrays |= {"part": self.part, "nearest": self.nearest}
        arrays |= {"parts": self.parts.of_samples, "typical": self.parts.typical}
        arrays["n_clusters"] = np.array(self.n_clusters)
        return state.with_shares(self.parts), arrays

    def _make_space(self, graph: NeighborGraph) -> PairSpace:
        """Return the rows that are fitted as fits with constraints see them."""
        X = self.X[self.part]
        kernel = make_kernel("rbf", X, random=np.random.RandomState(0))
        return make_pair_space(X, graph, kernel)

    def choose_part(self, random: np.random.RandomState) -> None:
        """Choose the rows that fits with constraints use: all, or some at random."""
        n_rows = len(self.X)
        self.part = self.nearest = np.arange(n_rows)
        if n_rows > SEARCH_SAMPLES:
            self.part = draw_positions(n_rows, SEARCH_SAMPLES, random)
            nearest = NeighborIndex(self.X[self.part]).query(self.X, 1)[1]
            self.nearest = nearest[:, 0]

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Set what `explore` found from the arrays that it returned."""
        self.part, self.nearest = arrays["part"], arrays["nearest"]
        self.parts = Parts(arrays["parts"], arrays["typical"])
        self.n_clusters = int(arrays["n_clusters"])

    def prepare(self) -> Prior:
        """Return what fits with constraints use, made at the first call."""
        if self._prior is None:
            X, k = self.X[self.part], self.n_clusters
            if self._space is None:
                self._space = self._make_space(pair_graph(X, np.ones(len(X)), k))
            parameters = {"n_clusters": k, "scale": False}
            parameters["random_state"] = self.settings.seed
            others = other_clusterings(X, np.ones(len(X)), parameters) if k > 1 else []
            self._prior = Prior(self._space, others)
            if self.estimator is not None:
                self._score(np.asarray(label_of(self.estimator, self.X))[self.part], k)
        return self._prior

    def refit(self, state: State, constraints: Constraints) -> State:
        """Return the clusters with other constraints."""
        assert self.parts is not None
        ids, rows = state.ids, constraints.rows
        found = self._fit(state, constraints)
        base = np.searchsorted(ids, state.base)
        chosen, own = found.argmax(axis=1), base[self.part]
        follow = (chosen != own)[self.nearest] & (base == own[self.nearest])
        labels = ids[np.where(follow, chosen[self.nearest], base)]
        probabilities = found[self.nearest]
        labels[rows] = ids[resolve(constraints, ids, probabilities[rows])]
        if len(gone := np.setdiff1d(ids, labels)):
            raise ValueError(
                f"No row of cluster {gone[0]} would be left: merge it with another one."
            )
        after = with_confidence(
            labels, state.base, probabilities, state.clusters, constraints
        )
        after.confidence[rows] = 1.0
        after.confidence[list(constraints.unsure)] = 0.0
        return replace(after, shares=self.parts.means(probabilities))

    def _fit(self, state: State, constraints: Constraints) -> np.ndarray:
        """Return the probabilities of the clusters of the rows that are fitted."""
        features, ids = self.prepare().space.features, state.ids
        own = np.searchsorted(ids, state.base[self.part])
        scores = self._score(own, len(ids))
        together, apart = (
            self.nearest[np.array(pairs, dtype=np.int64).reshape(-1, 2)]
            for pairs in (constraints.together, constraints.apart)
        )
        rows = np.array(list(constraints.labels), dtype=np.int64)
        clusters = np.array(list(constraints.labels.values()), dtype=np.int64)
        answers = Answers(
            together, apart, self.nearest[rows], np.searchsorted(ids, clusters)
        )
        return fit_pairs(features, scores, answers).probabilities

    def _score(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """Return the scores of clusters before corrections, and of other clusterings.

        The others are left out if there were merged or divided clusters.
        """
        kept = self._scores
        same = kept is not None and kept[1].shape[2] == n_clusters
        if kept is None or not same or not np.array_equal(labels, kept[0]):
            prior = self.prepare()
            others = prior.clusterings if n_clusters == self.n_clusters else []
            weights = np.ones(len(labels))
            scores = prior.space.scores([labels, *others], n_clusters, weights)
            self._scores = kept = labels, scores
        return kept[1]


def make_estimator(settings: Settings) -> Any:
    """Return the estimator of the first fit."""
    if settings.method == "k-means":
        return KMeans(int(settings.clusters), n_init=10, random_state=settings.seed)
    if settings.method == "mixture":
        return GaussianMixture(
            int(settings.clusters), reg_covar=1e-3, random_state=settings.seed
        )
    return MaxMarginClustering(
        settings.clusters,
        kernel=settings.kernel,
        balance=settings.sizes(),
        scale=False,  # the preprocessor has done it
        random_state=settings.seed,
    )


def label_of(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return the labels of the rows that an estimator was fitted to."""
    found = getattr(estimator, "labels_", None)
    result: np.ndarray = estimator.predict(X) if found is None else found
    return result


def decisions_of(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return a value for each row and cluster, the largest for the likeliest one."""
    if isinstance(estimator, KMeans):
        return -np.square(estimator.transform(X))
    if isinstance(estimator, GaussianMixture):
        return estimator._estimate_weighted_log_prob(X)
    return as_columns(estimator.decision_function(X), int(estimator.n_clusters_))


def as_columns(decisions: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return decision values with a column for each cluster."""
    if decisions.ndim == 1:
        decisions = decisions[:, None]
    if decisions.shape[1] == 1 and n_clusters == 2:
        return np.hstack([-decisions, decisions])
    return decisions


def with_confidence(
    labels: np.ndarray,
    base: np.ndarray,
    decisions: np.ndarray,
    clusters: tuple[Cluster, ...],
    constraints: Constraints,
) -> State:
    """Return a state; confidence is the margin to the second cluster.

    It is divided by the median margin and at most 1.
    """
    ids = np.array([cluster.id for cluster in clusters], dtype=np.int64)
    n_rows, rows = len(labels), np.arange(len(labels))
    if len(ids) < 2:
        ones = np.ones(n_rows, np.float32)
        return State(labels, ones, np.full(n_rows, -1), clusters, constraints, base)
    positions = np.searchsorted(ids, labels)
    others = decisions.copy()
    others[rows, positions] = -np.inf
    second = others.argmax(axis=1)
    gaps = decisions[rows, positions] - others[rows, second]
    gaps = np.nan_to_num(gaps, nan=0.0, posinf=1.0, neginf=0.0)
    positive = gaps[gaps > 0]
    median = float(np.median(positive)) if len(positive) else 1.0
    confidence = np.clip(gaps / max(median, 1e-300), 0.0, 1.0).astype(np.float32)
    return State(labels, confidence, ids[second], clusters, constraints, base)


def resolve(
    constraints: Constraints, ids: np.ndarray, probabilities: np.ndarray
) -> np.ndarray:
    """Return the positions of the clusters of the rows that have constraints.

    Labels by the user are kept, and all pairs; else the most probable cluster counts.
    """
    rows = constraints.rows
    known = np.full(len(rows), -1)
    for row, cluster in constraints.labels.items():
        known[np.searchsorted(rows, row)] = np.searchsorted(ids, cluster)
    must, cannot = (
        np.searchsorted(rows, np.array(pairs, dtype=np.int64).reshape(-1, 2))
        for pairs in (constraints.together, constraints.apart)
    )
    links = make_constraints(known, must, cannot, rows)
    preferences = np.log(np.maximum(probabilities, np.finfo(float).tiny))
    found: np.ndarray = satisfy_constraints(sums_of_groups(preferences, links), links)
    return found[links.groups]


def scale_map(positions: np.ndarray) -> np.ndarray:
    """Return positions between -1 and 1, with equal units of both axes."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    extent = max(float((high - low).max()), np.finfo(float).tiny)
    return (2.0 * (positions - (low + high) / 2) / extent).astype(np.float32)
