"""Fits and corrections of one table.

The first fit finds the clusters. Corrections are labels and pairs of rows, and each
further fit is that of `SemiSupervisedMaxMargin`, which changes the clusters where these
contradict them: rows near the corrected ones follow, and all others stay. Merged or
divided clusters are what the next fit starts from.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin, progress
from maxmargin.app.alternatives import Alternatives
from maxmargin.app.clustering import Cluster, Clustering, Corrections
from maxmargin.app.costs import Costs, first_fit_costs
from maxmargin.app.levels import Levels
from maxmargin.app.schemas import Settings
from maxmargin.plots.neighbor_map import neighbor_map
from maxmargin.plots.style import principal_plane
from maxmargin.questions import Parts, find_parts
from maxmargin.tables.samples import TableSamples

MAX_GRAPH_ROWS = 150_000  # with more rows, the map is that of the principal components


@dataclass
class Engine:
    """The rows of a table, and what is found out about them once.

    Attributes
    ----------
    samples : TableSamples
    settings : Settings
    parts : Parts
        Small groups of similar rows, about which questions are asked.
    estimator : object
        Of the first fit.
    model : SemiSupervisedMaxMargin
        Of the other fits; it keeps what does not depend on corrections.
    levels : Levels or None
        Of the tree of the first fit, None if it has none.
    alternatives : Alternatives or None
        Other labellings, None before they are asked for.
    """

    samples: TableSamples
    settings: Settings
    parts: Parts | None = None
    estimator: Any = None
    levels: Levels | None = None
    alternatives: Alternatives | None = None
    model: SemiSupervisedMaxMargin = field(init=False)

    def __post_init__(self) -> None:
        """Make the model of fits with corrections."""
        self.model = make_corrected(self.settings).set_params(warm_start=True)

    @property
    def X(self) -> np.ndarray:
        """Return the samples."""
        return self.samples.X

    @property
    def has_map(self) -> bool:
        """Return True if there is a map of the neighbour graph."""
        return self.samples.n_rows <= MAX_GRAPH_ROWS

    def costs(self, clusters: int | str, on_all: bool = False) -> Costs:
        """Return the costs of the steps of the first fit."""
        n_rows, n_columns = self.X.shape
        return first_fit_costs(n_rows, n_columns, clusters, self.has_map, on_all)

    def first_fit(self) -> Clustering:
        """Return the clusters without any correction."""
        self.estimator = make_estimator(self.settings)
        self.estimator.fit(self.X)
        self.levels = Levels.of(self.estimator)
        labels = label_of(self.estimator, self.X)
        ids = np.unique(labels)  # a cluster may be empty
        decisions = decisions_of(self.estimator, self.X)[:, ids]
        clusters = tuple(Cluster(int(h)) for h in ids)
        return with_margins(labels, labels, decisions, clusters, Corrections())

    def explore(
        self, clustering: Clustering
    ) -> tuple[Clustering, dict[str, np.ndarray]]:
        """Find the parts and the maps of the rows.

        Returns the clustering, and the maps and what later fits need by name.
        """
        maps = {"pca": principal_plane(self.X).positions}
        share = self.costs(len(clustering.clusters)).share_of_map
        with progress.stage(0.0, share, "map"):
            if self.has_map:
                random = np.random.RandomState(self.settings.seed)
                n_clusters = len(clustering.clusters)
                maps["graph"] = neighbor_map(self.X, n_clusters, random)
        middle = share + (1.0 - share) / 3
        with progress.stage(share, middle, "parts"):
            model = self.fit(clustering.base, Corrections())
        with progress.stage(middle, 1.0, "parts"):
            self.parts = find_parts(model, self.X, self.settings.seed)
        arrays = {name: scale_map(positions) for name, positions in maps.items()}
        arrays["parts"] = self.parts.of_samples.astype(np.int32)
        arrays["typical"] = self.parts.typical
        if self.levels is not None:
            arrays |= self.levels.arrays()
        return clustering.with_shares(self.parts), arrays

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Set what `explore` found from the arrays that it returned."""
        self.parts = Parts(arrays["parts"], arrays["typical"])
        self.levels = Levels.from_arrays(arrays)

    def prepare(self) -> None:
        """Make what the first correction needs: a pair that changes nothing does so."""
        if self.estimator is not None and self.parts is not None:
            labels = label_of(self.estimator, self.X)
            pair = np.flatnonzero(labels == np.bincount(labels).argmax())[:2].tolist()
            self.fit(labels, Corrections(together=((pair[0], pair[-1]),)))

    def fit(
        self, base: np.ndarray, corrections: Corrections
    ) -> SemiSupervisedMaxMargin:
        """Return the model of clusters with corrections."""
        self.model.set_params(init=base)
        given = corrections.given(len(base))
        fitted: SemiSupervisedMaxMargin = self.model.fit(
            self.X, given, **corrections.links()
        )
        return fitted

    def refit(self, before: Clustering, corrections: Corrections) -> Clustering:
        """Return the clusters with other corrections."""
        rows = corrections.rows
        model = self.fit(before.base, corrections)
        labels = np.asarray(model.transduction_)
        gone = np.setdiff1d(before.labels, labels)
        if len(gone):
            raise ValueError(
                f"No row of cluster {gone[0]} would be left: merge it with another one."
            )
        after = self._with_shares(model, before, labels, corrections)
        after.margin[rows] = 1.0
        after.margin[list(corrections.unsure)] = 0.0
        return after

    def level(self, before: Clustering, n_clusters: int) -> Clustering:
        """Return the clusters of another level of the tree, without corrections."""
        if self.levels is None:
            raise ValueError("Only the maximum margin method has other levels.")
        return self._relabelled(before, self.levels.labels_at(n_clusters))

    def find_alternatives(self) -> Alternatives:
        """Return other labellings, which are found once."""
        if self.alternatives is None:
            if self.settings.method != "maxmargin":
                raise ValueError("Only the maximum margin method has alternatives.")
            if self.estimator is None:
                self.first_fit()
            self.alternatives = Alternatives.of(self.estimator, self.X)
        return self.alternatives

    def alternative(self, before: Clustering, number: int) -> Clustering:
        """Return the clusters of another labelling, without corrections."""
        found = self.find_alternatives().labels
        if number >= len(found):
            raise ValueError(f"There are {len(found)} labellings to choose from.")
        return self._relabelled(before, found[number])

    def _relabelled(self, before: Clustering, labels: np.ndarray) -> Clustering:
        """Return other clusters without corrections.

        Clusters of the first fit that there still are keep their names.
        """
        assert self.levels is not None
        known = tuple(c for c in before.clusters if c.id in self.levels.fitted)
        start = replace(before, base=labels, clusters=known)
        start = start.with_clusters(np.unique(labels))
        if len(start.clusters) < 2:
            ones = np.zeros((len(labels), 1))
            return with_margins(labels, labels, ones, start.clusters, Corrections())
        model = self.fit(labels, Corrections())
        return self._with_shares(model, start, labels, Corrections())

    def _with_shares(
        self,
        model: SemiSupervisedMaxMargin,
        before: Clustering,
        labels: np.ndarray,
        corrections: Corrections,
    ) -> Clustering:
        """Return a clustering with margins and shares by the strengths of a model."""
        assert self.parts is not None
        probabilities = np.zeros((len(labels), len(before.clusters)))
        columns = np.searchsorted(before.ids, model.classes_)
        probabilities[:, columns] = model.label_distributions_
        after = with_margins(
            labels, before.base, probabilities, before.clusters, corrections
        )
        return replace(after, shares=self.parts.means(probabilities))


def make_estimator(settings: Settings) -> Any:
    """Return the estimator of the first fit."""
    if settings.method == "k-means":
        return KMeans(int(settings.clusters), n_init=10, random_state=settings.seed)
    if settings.method == "mixture":
        return GaussianMixture(
            int(settings.clusters), reg_covar=1e-3, random_state=settings.seed
        )
    return make_clusterer(settings).set_params(balance=settings.sizes())


def make_clusterer(settings: Settings) -> MaxMarginClustering:
    """Return a clusterer of some of the rows; the preprocessor has scaled them."""
    return MaxMarginClustering(
        settings.clusters,
        kernel=settings.kernel,
        scale=False,
        random_state=settings.seed,
    )


def make_corrected(settings: Settings) -> SemiSupervisedMaxMargin:
    """Return the estimator of fits with corrections."""
    return SemiSupervisedMaxMargin(scale=False, random_state=settings.seed)


def label_of(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return the labels of the rows that an estimator was fitted to."""
    found = getattr(estimator, "labels_", None)
    return np.asarray(estimator.predict(X) if found is None else found, dtype=np.int64)


def decisions_of(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return a value for each row and cluster, the largest for the likeliest one."""
    if isinstance(estimator, KMeans):
        return -np.square(estimator.transform(X))
    if isinstance(estimator, GaussianMixture):
        return np.log(np.maximum(estimator.predict_proba(X), np.finfo(float).tiny))
    return np.asarray(estimator.decision_function(X))


def with_margins(
    labels: np.ndarray,
    base: np.ndarray,
    decisions: np.ndarray,
    clusters: tuple[Cluster, ...],
    corrections: Corrections,
) -> Clustering:
    """Return a clustering with the margins of the rows to the second cluster.

    They are divided by their median and at most 1.
    """
    ids = np.array([cluster.id for cluster in clusters], dtype=np.int64)
    n_rows, rows = len(labels), np.arange(len(labels))
    if len(ids) < 2:
        ones, none = np.ones(n_rows, np.float32), np.full(n_rows, -1)
        return Clustering(labels, ones, none, clusters, corrections, base)
    positions = np.searchsorted(ids, labels)
    others = decisions.copy()
    others[rows, positions] = -np.inf
    second = others.argmax(axis=1)
    gaps = decisions[rows, positions] - others[rows, second]
    gaps = np.nan_to_num(gaps, nan=0.0, posinf=1.0, neginf=0.0)
    margin = relative_margins(np.maximum(gaps, 0.0))
    return Clustering(labels, margin, ids[second], clusters, corrections, base)


def relative_margins(gaps: np.ndarray) -> np.ndarray:
    """Return gaps between decision values relative to their median, at most 1."""
    positive = gaps[gaps > 0]
    median = float(np.median(positive)) if len(positive) else 1.0
    return np.clip(gaps / max(median, 1e-300), 0.0, 1.0).astype(np.float32)


def scale_map(positions: np.ndarray) -> np.ndarray:
    """Return positions between -1 and 1, with equal units of both axes."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    extent = max(float((high - low).max()), np.finfo(float).tiny)
    return (2.0 * (positions - (low + high) / 2) / extent).astype(np.float32)
