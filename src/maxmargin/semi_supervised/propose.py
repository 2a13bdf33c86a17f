"""`propose_pairs`: the pairs of samples that are worth a question."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.clustering.base import validate_samples
from maxmargin.engine.checks import check_integer
from maxmargin.engine.options import Options
from maxmargin.engine.preparation import prepare_rows
from maxmargin.resources import single_threaded_libraries
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.sample import draw_positions
from maxmargin.search.constraints import make_constraints
from maxmargin.semi_supervised.given_labels import check_pairs
from maxmargin.semi_supervised.pair_model import PairSpace, make_pair_space, pair_graph
from maxmargin.semi_supervised.questions import Parts, ask

N_PARTS = 100
PARTS_PER_CLUSTER = 4
PART_SAMPLES = 20_000  # from which the parts are found
MAX_ROWS = 10_000  # rows to choose from, drawn at random


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

    The samples are divided into small parts. With the mean probabilities ``p_ah`` of
    the clusters in part a, about ``n_a (1 - max_h p_ah)`` of its samples are in a wrong
    cluster. The typical samples of the parts with most of them are proposed, each with
    the typical sample of the most probable cluster of which it is not known whether it
    is together with it.

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
    links = [
        check_pairs("must_link", must_link, n_samples),
        check_pairs("cannot_link", cannot_link, n_samples),
    ]
    constraints = make_constraints(np.full(n_samples, -1), *links)
    random = check_random_state(random_state)
    rows = draw_positions(n_samples, MAX_ROWS, random)
    with single_threaded_libraries():
        space = _space_of(estimator, X[rows])
        memberships = _memberships(estimator, X[rows], space)
        parts = make_parts(space.features, memberships.shape[1], random)
    known = constraints._replace(groups=constraints.groups[rows])
    questions = ask(parts, parts.means(memberships), known, n_pairs)
    found = [(rows[one.first], rows[one.second]) for one in questions]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def make_parts(
    features: np.ndarray, n_clusters: int, random: np.random.RandomState
) -> Parts:
    """Divide samples into small parts; the typical sample is nearest to the mean."""
    n_samples = len(features)
    drawn = draw_positions(n_samples, PART_SAMPLES, random)
    n_parts = max(N_PARTS, PARTS_PER_CLUSTER * n_clusters)
    distinct = len(np.unique(features[drawn], axis=0))
    n_parts = max(min(n_parts, n_samples // 2, distinct), 1)
    means = KMeans(n_parts, n_init=1, max_iter=30, random_state=random)
    means.fit(features[drawn])
    of_samples = means.predict(features)
    offsets = features - means.cluster_centers_[of_samples]
    order = np.argsort(np.einsum("nm,nm->n", offsets, offsets), kind="stable")
    numbers, first = np.unique(of_samples[order], return_index=True)
    return Parts(np.searchsorted(numbers, of_samples), order[first])


def _space_of(estimator, X) -> PairSpace:
    """Return the samples as the estimator compares them."""
    options = Options.of(estimator, X)
    weights = np.ones(X.shape[0])
    prepared = prepare_rows(X, ArraySource(X, weights), options).rows(X)
    prepared = prepared if sp.issparse(X) else np.asarray(prepared[:])
    radial = Options(n_clusters=2, kernel="rbf")
    kernel = radial.make_kernel(prepared, np.random.RandomState(0))
    graph = pair_graph(prepared, weights, _count_clusters(estimator))
    return make_pair_space(prepared, graph, kernel)


def _count_clusters(estimator) -> int:
    """Return the number of clusters of a fitted estimator."""
    classes = getattr(estimator, "classes_", None)
    return int(estimator.n_clusters_) if classes is None else len(classes)


def _memberships(estimator, X, space: PairSpace) -> np.ndarray:
    """Return the probabilities of the clusters of samples (n x k)."""
    if hasattr(estimator, "predict_proba"):
        try:
            return estimator.predict_proba(X)
        except ValueError:  # without labels or pairs there are none
            pass
    labels = np.unique(estimator.predict(X), return_inverse=True)[1]
    return space.memberships(labels, int(labels.max()) + 1)
