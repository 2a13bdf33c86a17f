"""`propose_pairs`: the pairs of samples that are worth a question."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import entr
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.classification.given_labels import check_pairs
from maxmargin.classification.pair_model import pair_features
from maxmargin.clustering.base import validate_samples
from maxmargin.clustering.model import indicators
from maxmargin.clustering.parameters import Options, check_integer
from maxmargin.clustering.preparation import prepare_rows
from maxmargin.graph.neighbors import NeighborIndex
from maxmargin.graph.random_walk import RandomWalk
from maxmargin.graph.scaled_graph import scaled_graph
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.sample import draw_positions
from maxmargin.search.constraints import make_constraints

N_PARTS = 60
PARTS_PER_CLUSTER = 4
MAX_ROWS = 10_000  # rows to choose from, drawn at random
WALK_LENGTH = 10.0  # for labels without probabilities


def propose_pairs(
    estimator: Any,
    X: Any,
    n_pairs: int = 10,
    *,
    must_link: Any = None,
    cannot_link: Any = None,
    random_state: Any = None,
) -> np.ndarray:
    """Propose pairs of samples; the answers whether they belong together teach most.

    The samples are divided into small parts. With the mean probabilities ``p_a`` of the
    clusters in part a, samples of two parts are together with the probability
    ``s = p_a' p_b``. The typical samples of those parts are proposed for which the
    entropy of ``s``, times the geometric mean of the sizes, is largest: the answer is
    open, and concerns many samples. No sample is in more pairs than necessary.

    Parameters
    ----------
    estimator : object
        A fitted `SemiSupervisedMaxMargin` or `MaxMarginClustering`. Probabilities are
        those of ``predict_proba``; if there are none, the shares of the clusters among
        near samples.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        The samples, at most 10,000 of which, drawn at random, are considered.
    n_pairs : int, default=10
        The number of pairs to ask at once. Few pairs and a new fit after each answer
        learn more than many at once.
    must_link, cannot_link : array-like of shape (n_known, 2), default=None
        Pairs that are known; these, and what follows from them, are not proposed.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples that are considered, and of the parts.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2)
        Row numbers, the most informative pair first. There are fewer if no more are
        open.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SemiSupervisedMaxMargin, propose_pairs
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SemiSupervisedMaxMargin(3, random_state=0).fit(X, np.full(150, -1))
    >>> pairs = propose_pairs(model, X, 5, random_state=0)
    >>> same = y[pairs[:, 0]] == y[pairs[:, 1]]  # a person would answer
    >>> model = model.fit(
    ...     X, np.full(150, -1), must_link=pairs[same], cannot_link=pairs[~same]
    ... )
    """
    check_is_fitted(estimator)
    check_integer("n_pairs", n_pairs)
    if estimator.kernel == "precomputed":
        raise ValueError(
            "propose_pairs needs the features of samples: a precomputed kernel has "
            "none."
        )
    X = validate_samples(estimator, X, reset=False)
    n_samples = X.shape[0]
    known = [
        check_pairs("must_link", must_link, n_samples),
        check_pairs("cannot_link", cannot_link, n_samples),
    ]
    random = check_random_state(random_state)
    rows = draw_positions(n_samples, MAX_ROWS, random)
    with single_threaded_libraries():
        prepared, kernel = _prepare(estimator, X[rows])
        memberships = _memberships(estimator, X[rows], prepared)
        n_clusters = memberships.shape[1]
        features, _ = pair_features(prepared, np.ones(len(rows)), kernel, n_clusters)
        medoids, parts = _typical_samples(features, n_clusters, random)
    sizes = parts.sum(axis=1)
    shares = (parts @ memberships) / sizes[:, None]
    first, second = np.triu_indices(len(medoids), 1)
    together = np.clip(np.einsum("nk,nk->n", shares[first], shares[second]), 0.0, 1.0)
    values = (entr(together) + entr(1.0 - together)) * np.sqrt(
        sizes[first] * sizes[second]
    )
    order = np.argsort(-values, kind="stable")
    candidates = np.column_stack([rows[medoids[first]], rows[medoids[second]]])[order]
    return _choose(candidates, known, n_samples, n_pairs)


def _prepare(estimator, X):
    """Return samples as the estimator compares them, and a radial kernel."""
    options = Options.of(estimator, X)
    preparation = prepare_rows(X, ArraySource(X, np.ones(X.shape[0])), options)
    prepared = preparation.rows(X)
    prepared = prepared if sp.issparse(X) else np.asarray(prepared[:])
    radial = Options(n_clusters=2, kernel="rbf")
    return prepared, radial.make_kernel(prepared, np.random.RandomState(0))


def _memberships(estimator, X, prepared) -> np.ndarray:
    """Return the probabilities of the clusters of samples (n x k)."""
    if hasattr(estimator, "predict_proba"):
        try:
            return estimator.predict_proba(X)
        except ValueError:  # without labels or pairs there are none
            pass
    labels = np.unique(estimator.predict(X), return_inverse=True)[1]
    walk = RandomWalk(scaled_graph(NeighborIndex(prepared)), WALK_LENGTH)
    return walk.spread(indicators(labels, labels.max() + 1))


def _typical_samples(features, n_clusters, random):
    """Return a typical sample of each part, and the indicators of the parts."""
    n_samples = len(features)
    n_parts = max(N_PARTS, PARTS_PER_CLUSTER * n_clusters)
    n_parts = min(n_parts, max(n_samples // 2, 2))
    means = KMeans(n_parts, n_init=1, random_state=random).fit(features)
    distances = means.transform(features)
    distances[means.labels_[:, None] != np.arange(n_parts)] = np.inf
    entries = (np.ones(n_samples), (means.labels_, np.arange(n_samples)))
    parts = sp.csr_array(entries, shape=(n_parts, n_samples))
    return distances.argmin(axis=0), parts


def _choose(candidates, known, n_samples: int, n_pairs: int) -> np.ndarray:
    """Return the first candidates that are open, each sample in as few as possible."""
    constraints = make_constraints(np.full(n_samples, -1), *known)
    groups = constraints.groups[candidates]
    open_ = groups[:, 0] != groups[:, 1]
    apart = constraints.apart[groups[:, 0], groups[:, 1]]
    open_ &= np.asarray(apart).ravel() == 0
    candidates = candidates[open_]
    n_different = max(len(np.unique(candidates)), 1)
    limit = -(-2 * n_pairs // n_different)
    used = np.zeros(n_samples, dtype=int)
    chosen = []
    for i, j in candidates:
        if used[i] < limit and used[j] < limit:
            used[[i, j]] += 1
            chosen.append((i, j))
        if len(chosen) == n_pairs:
            break
    return np.array(chosen, dtype=np.int64).reshape(-1, 2)
