"""Other labels of the same samples: other similarities, scales and methods.

No single notion of similarity suits all data. `other_labellings` clusters some of the
samples in each of the ways of a fixed list, with the same number of clusters; the
others get the label of the nearest clustered one.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, pairwise_distances_argmin
from sklearn.mixture import GaussianMixture

from maxmargin.rows.sample import draw_positions

NEAR_COPY = 0.95  # the agreement above which two labellings count as one
CLUSTERED_SAMPLES = 1000  # of many samples, or more if there are many clusters
CLUSTERED_PER_CLUSTER = 20
MAX_DENSE_COLUMNS = 5000  # sparse samples with more are not compared by column
N_COMPONENTS = 20  # of the columns, for mixtures


class Alternative(NamedTuple):
    """Labels that differ from those of a fit, and what they are."""

    labels: np.ndarray  # (n_samples,)
    description: str
    agreement: float  # adjusted Rand index with the labels of the fit
    score: float | None = None  # of the number of clusters, if it was scored

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return len(np.unique(self.labels))


def drop_near_copies(
    labels: np.ndarray, found: list[tuple[str, np.ndarray]]
) -> list[Alternative]:
    """Return the labellings that differ from ``labels`` and from those before."""
    kept: list[Alternative] = []
    for description, other in found:
        agreement = float(adjusted_rand_score(labels, other))
        copies = (adjusted_rand_score(one.labels, other) for one in kept)
        if agreement <= NEAR_COPY and all(value <= NEAR_COPY for value in copies):
            kept.append(Alternative(other, description, agreement))
    return kept


def other_labellings(
    clusterer: Any, X: Any, weights: np.ndarray
) -> list[tuple[str, np.ndarray]]:
    """Return labellings by other similarities, scales and methods, with their names.

    ``clusterer`` is a `MaxMarginClustering` with a number of clusters, whose other
    parameters hold for the graph and the kernels. ``X`` are the prepared samples.
    """
    n_samples, k = X.shape[0], int(clusterer.n_clusters)
    if k == 1 or n_samples < 2 * k:
        return []
    limit = max(CLUSTERED_SAMPLES, CLUSTERED_PER_CLUSTER * k)
    some = draw_positions(n_samples, limit, np.random.RandomState(0))
    found = []
    with warnings.catch_warnings():
        # Few distinct samples, or a mixture that ends early: labels all the same.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for scale, rows in _spaces(X):
            nearest = slice(None)
            if len(some) < n_samples:
                nearest = pairwise_distances_argmin(rows, rows[some])
            for name, method in _methods(clusterer, scale, sp.issparse(rows)):
                labels = np.asarray(method(rows[some], weights[some]))
                found.append((f"{name}{scale}", labels[nearest]))
    return found


def _spaces(X: Any) -> Iterator[tuple[str, Any]]:
    """Return the samples with their columns on several scales, and the scales."""
    if sp.issparse(X) and X.shape[1] > MAX_DENSE_COLUMNS:
        yield "", X
        return
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    yield "", X
    deviations = X.std(axis=0)
    X = X[:, deviations > 0]
    yield ", standardised columns", (X - X.mean(axis=0)) / deviations[deviations > 0]
    yield ", ranks of the columns", rankdata(X, axis=0) / len(X)


def _methods(
    clusterer: Any, scale: str, is_sparse: bool
) -> Iterator[tuple[str, Callable[[Any, np.ndarray], np.ndarray]]]:
    """Return the methods for a scale of the columns.

    Of the many combinations these differ most. Sizes are free, since labels that meet
    limits would differ for another reason.
    """
    k = int(clusterer.n_clusters)
    free = {"scale": False, "balance": "free", "init": None, "probability": False}

    def margin(kernel: str) -> Callable[[Any, np.ndarray], np.ndarray]:
        model = clone(clusterer).set_params(kernel=kernel, **free)
        return lambda X, weights: model.fit(X, sample_weight=weights).labels_

    def mixture(kind: str) -> Callable[[Any, np.ndarray], np.ndarray]:
        model = GaussianMixture(k, covariance_type=kind, reg_covar=1e-3, random_state=0)
        return lambda X, _: model.fit_predict(_components(X))

    means = KMeans(k, n_init=3, random_state=0)
    yield "neighbour graph", margin("neighbors")
    yield "k-means", lambda X, weights: means.fit(X, sample_weight=weights).labels_
    if not scale:
        yield "radial kernel", margin("rbf")
        yield "linear kernel", margin("linear")
    if is_sparse:
        return
    if "ranks" not in scale:
        yield "Ward", lambda X, _: AgglomerativeClustering(k).fit_predict(X)
    if scale:
        yield "mixture", mixture("full")
    if "standardised" in scale:
        yield "mixture without correlations", mixture("diag")
        yield "mixture of equal shapes", mixture("tied")


def _components(X: np.ndarray) -> np.ndarray:
    """Return the columns with unit variance, or the first principal components."""
    if X.shape[1] <= N_COMPONENTS:
        deviations = X.std(axis=0)
        return (X - X.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
    size = min(N_COMPONENTS, len(X) - 1)
    components = PCA(size, whiten=True, random_state=0).fit_transform(X)
    result: np.ndarray = components
    return result
