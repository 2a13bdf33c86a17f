"""Fits and corrections of one table.

The first fit finds the clusters. Each correction is a constraint on the labels. A fit
with constraints goes on from where it was: *anchors*, the sure rows, keep their
cluster, unless the user said something of them. A row moves if its label in the fit
with the new constraint differs from that in the fit without it: so what a correction
does not concern stays, whatever the size of the table.

Of more than `SEARCH_SAMPLES` rows a fixed part is fitted, in which a row is represented
by the nearest one.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin, progress
from maxmargin.app.cells import make_cells
from maxmargin.app.layout import graph_layout
from maxmargin.app.schemas import Settings
from maxmargin.app.state import Cluster, Constraints, State
from maxmargin.clustering.parameters import SEARCH_SAMPLES
from maxmargin.graph.spectral_smoother import NeighborGraph, scale_rows
from maxmargin.kernels.degrees_of_freedom import auto_degrees
from maxmargin.plots.style import principal_plane
from maxmargin.search.constraints import (
    make_constraints,
    satisfy_constraints,
    sums_of_groups,
)
from maxmargin.tables.preprocessing import TableSamples

VECTORS_PER_CLUSTER = 3
GROUPS_PER_CLUSTER = 3  # at least
SURE = 0.5  # confidence of rows that keep their cluster
MAX_GRAPH_ROWS = 150_000  # with more rows, the map is that of the principal components


@dataclass
class Engine:
    """The rows of a table, and what is found out about them once.

    Attributes
    ----------
    samples : TableSamples
    settings : Settings
    part : ndarray
        The rows that fits with constraints use, in increasing order.
    nearest : ndarray of shape (n,)
        Position in ``part`` of the row that represents a row.
    """

    samples: TableSamples
    settings: Settings
    part: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    nearest: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    estimator: Any = None  # of the first fit
    latest: State | None = None
    _warm: SemiSupervisedMaxMargin | None = None

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
        decisions = decisions_of(self.estimator, self.X)
        clusters = tuple(Cluster(h) for h in range(n_clusters))
        return with_confidence(labels, decisions, clusters, Constraints())

    def explore(self, state: State) -> tuple[State, dict[str, np.ndarray]]:
        """Find the cells and the maps of the rows.

        Returns the state with its cells, and the maps and what later fits need by name.
        """
        n_clusters = len(state.clusters)
        random = np.random.RandomState(self.settings.seed)
        n_rows = len(self.X)
        maps = {"pca": principal_plane(self.X).positions}
        if n_rows <= MAX_GRAPH_ROWS:
            n_vectors = max(VECTORS_PER_CLUSTER * n_clusters, 10)
            with progress.stage(0.0, 0.5, "neighbours"):
                graph = NeighborGraph(self.X, np.ones(n_rows), n_vectors)
            with progress.stage(0.5, 0.9, "map"):
                maps["graph"] = graph_layout(graph, random)
            features = scale_rows(graph.vectors, 1.0)
        else:
            features = self.X
        with progress.stage(0.9, 1.0, "groups"):
            n_groups = max(GROUPS_PER_CLUSTER * n_clusters, int(np.sqrt(n_rows)))
            groups = find_groups(features, n_groups, random)
            cells = make_cells(groups, state.labels, state.confidence)
            self.choose_part(cells.typical, random)
        arrays = {name: scale_map(positions) for name, positions in maps.items()}
        arrays |= {"part": self.part, "nearest": self.nearest}
        return replace(state, cells=cells), arrays

    def choose_part(self, typical: np.ndarray, random: np.random.RandomState) -> None:
        """Choose the rows that later fits use: all, or typical ones and others."""
        n_rows = len(self.X)
        if n_rows <= SEARCH_SAMPLES:
            self.part = self.nearest = np.arange(n_rows)
            return
        from maxmargin.graph.neighbors import NeighborIndex

        some = typical[: SEARCH_SAMPLES // 2]
        rest = np.setdiff1d(np.arange(n_rows), some)
        more = random.choice(rest, SEARCH_SAMPLES - len(some), replace=False)
        self.part = np.sort(np.concatenate([some, more]))
        nearest = NeighborIndex(self.X[self.part]).query(self.X, 1)[1]
        self.nearest = nearest[:, 0]

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Set what `explore` found from the arrays that it returned."""
        self.part, self.nearest = arrays["part"], arrays["nearest"]

    def prepare(self) -> None:
        """Fit the anchors of the latest state, which makes the smoother."""
        state = self.latest
        if self._warm is None and state is not None and len(state.clusters) > 1:
            self._fit(state, *anchors_of(state), state.constraints)

    def refit(self, state: State, constraints: Constraints) -> State:
        """Return the clusters with other constraints, from where they were."""
        ids = state.ids
        before = self._fit(state, *anchors_of(state), state.constraints)
        rows = constraints.rows
        given = ids[resolve(state, constraints, self._decide(rows, len(ids)))]
        labels = state.labels.copy()
        labels[rows] = given
        resolved = replace(state, labels=labels, constraints=constraints)
        after = self._fit(state, *anchors_of(resolved), constraints)
        labels = np.where(before == after, state.labels, after)
        labels[rows] = given
        decisions = self._decide(np.arange(len(labels)), len(ids))
        found = with_confidence(labels, decisions, state.clusters, constraints)
        found.confidence[rows] = 1.0
        return replace(found, cells=state.cells)

    def _fit(
        self, state: State, rows: np.ndarray, labels: np.ndarray, said: Constraints
    ) -> np.ndarray:
        """Return the labels of all rows, given those of some of them."""
        ids = state.ids
        y = np.full(len(self.part), -1)
        y[self.nearest[rows]] = np.searchsorted(ids, labels)
        for position in missing_classes(y, len(ids)):
            y[self._spare(state, int(ids[position]), y)] = position
        weights = np.ones(len(y))
        weights[self.nearest[list(said.unsure)]] = 1e-6
        if self._warm is None:
            degrees = min(auto_degrees(len(y)), len(y) / 5)
            self._warm = SemiSupervisedMaxMargin(
                degrees_of_freedom=max(float(degrees), 2.0),
                scale=False,
                warm_start=True,
                random_state=self.settings.seed,
            )
        self._warm.fit(self.X[self.part], y, weights)
        if len(self.part) == len(self.X):
            return ids[self._warm.labels_]
        return ids[self._decide(np.arange(len(self.X)), len(ids)).argmax(axis=1)]

    def _decide(self, rows: np.ndarray, n_clusters: int) -> np.ndarray:
        """Return the decision values of some rows in the last fit."""
        if len(rows) == 0:
            return np.empty((0, n_clusters))
        assert self._warm is not None
        values = self._warm.decision_function(self.X[rows])
        return as_columns(values, n_clusters)

    def _spare(self, state: State, cluster: int, y: np.ndarray) -> int:
        """Return the surest row of a cluster without a constraint."""
        own = np.flatnonzero((state.labels[self.part] == cluster) & (y < 0))
        if len(own) == 0:
            raise ValueError(
                f"No row of cluster {cluster} would be left: merge it with another one."
            )
        return int(own[state.confidence[self.part[own]].argmax()])


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
        return State(labels, ones, np.full(n_rows, -1), clusters, constraints)
    positions = np.searchsorted(ids, labels)
    others = decisions.copy()
    others[rows, positions] = -np.inf
    second = others.argmax(axis=1)
    gaps = decisions[rows, positions] - others[rows, second]
    gaps = np.nan_to_num(gaps, nan=0.0, posinf=1.0, neginf=0.0)
    positive = gaps[gaps > 0]
    median = float(np.median(positive)) if len(positive) else 1.0
    confidence = np.clip(gaps / max(median, 1e-300), 0.0, 1.0).astype(np.float32)
    return State(labels, confidence, ids[second], clusters, constraints)


def find_groups(
    features: np.ndarray, n_groups: int, random: np.random.RandomState
) -> np.ndarray:
    """Return small groups of similar rows, at most so many."""
    n_rows = len(features)
    drawn = random.choice(n_rows, min(n_rows, 20_000), replace=False)
    n_groups = min(n_groups, len(np.unique(features[drawn], axis=0)))
    model = KMeans(n_groups, n_init=1, max_iter=30, random_state=random)
    return model.fit(features[drawn]).predict(features).astype(np.int32)


def anchors_of(state: State) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows whose labels a fit is given, and these labels.

    They are the rows with a constraint, and the sure rows. The sure rows of a cell have
    the label of its typical row, if the user said where that belongs: so a cell follows
    its typical row. A row that is only known to be apart from some row is none, since
    nothing says where it belongs.
    """
    assert state.cells is not None
    constraints, labels = state.constraints, state.labels.copy()
    of_rows, typical = state.cells
    known = set(constraints.labels)
    known |= {row for pair in constraints.together for row in pair}
    given = np.array(sorted(known), dtype=np.int64)
    sure = state.confidence >= SURE
    sure[typical] = True
    leads = np.isin(typical, given)
    follow = sure & leads[of_rows]
    labels[follow] = state.labels[typical][of_rows[follow]]
    labels[given] = state.labels[given]
    apart = {row for pair in constraints.apart for row in pair} - known
    home = labels == labels[typical][of_rows]
    for row in apart:
        others = labels[of_rows == of_rows[row]]
        home[row] = np.bincount(others).argmax() == labels[row]
    strays = np.array([row for row in apart if not home[row]], dtype=np.int64)
    chosen = np.setdiff1d(np.union1d(np.flatnonzero(sure), given), strays)
    return chosen, labels[chosen]


def resolve(
    state: State, constraints: Constraints, decisions: np.ndarray
) -> np.ndarray:
    """Return the positions of the clusters of the rows that have constraints.

    Labels by the user are kept, and labels that agree with all pairs. The rows of a
    pair that the labels contradict, with all that belong together with them, get the
    clusters of the largest decision values that meet all pairs.
    """
    rows, ids = constraints.rows, state.ids
    free = np.isin(rows, find_wrong(state, constraints))
    known = np.where(free, -1, np.searchsorted(ids, state.labels[rows]))
    for row, cluster in constraints.labels.items():
        known[np.searchsorted(rows, row)] = np.searchsorted(ids, cluster)
    must, cannot = (
        np.searchsorted(rows, np.array(pairs, dtype=np.int64).reshape(-1, 2))
        for pairs in (constraints.together, constraints.apart)
    )
    links = make_constraints(known, must, cannot, rows)
    found: np.ndarray = satisfy_constraints(sums_of_groups(decisions, links), links)
    return found[links.groups]


def find_wrong(state: State, constraints: Constraints) -> np.ndarray:
    """Return the rows of pairs that the labels contradict, which must be free.

    Rows that belong together are one side of a pair. The side with fewer rows is free,
    since more answers speak for the other one; both are if they have as many. Rows with
    a label by the user are not.
    """
    rows, labels = constraints.rows, state.labels
    pairs = np.searchsorted(rows, np.array(constraints.together).reshape(-1, 2))
    ones = np.ones(len(pairs))
    links = coo_array((ones, (pairs[:, 0], pairs[:, 1])), shape=2 * (len(rows),))
    _, sides = connected_components(links, directed=False)
    sizes = np.bincount(sides, minlength=1)
    violated = [p for p in constraints.apart if labels[p[0]] == labels[p[1]]]
    wrong: set[int] = set()
    for first, second in violated:
        one, two = sides[np.searchsorted(rows, [first, second])]
        wrong |= {int(s) for s in (one, two) if sizes[s] == min(sizes[one], sizes[two])}
    wrong |= {  # a new pair joins two clusters: all of its side
        int(sides[np.searchsorted(rows, first)])
        for first, second in constraints.together
        if labels[first] != labels[second]
    }
    found = rows[np.isin(sides, sorted(wrong))]
    return np.setdiff1d(found, np.array(list(constraints.labels), dtype=np.int64))


def missing_classes(y: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the classes without a label."""
    return np.setdiff1d(np.arange(n_classes), y)


def scale_map(positions: np.ndarray) -> np.ndarray:
    """Return positions between -1 and 1, with equal units of both axes."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    extent = max(float((high - low).max()), np.finfo(float).tiny)
    return (2.0 * (positions - (low + high) / 2) / extent).astype(np.float32)
