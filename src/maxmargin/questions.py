"""Questions about pairs of samples, in the order of what an answer can move.

The samples are divided into small parts, in the order that `propose_pairs` describes.
The question is whether the typical sample of a part belongs together with that of a
cluster, the one in the part with most samples of it: first with the most probable
cluster, then with others, until the answer is yes. If the typical sample of a part is
apart from those of all k clusters, two of these must belong together, since there are k
classes: then the clusters that share most doubtful samples are asked about first.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin import progress
from maxmargin.clustering.samples import validate_samples
from maxmargin.engine.checks import check_integer
from maxmargin.rows.sample import draw_positions
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.search.constraints import (
    Constraints,
    TooFewClustersError,
    make_constraints,
)
from maxmargin.semi_supervised.given_labels import check_pairs
from maxmargin.semi_supervised.pair_model import PairSpace, make_pair_space, pair_graph
from maxmargin.semi_supervised.parts import Parts, divide
from maxmargin.semi_supervised.semi_supervised import SemiSupervisedMaxMargin
from maxmargin.smoothers.kernel import make_kernel

__all__ = [
    "Parts",
    "Question",
    "TooFewClustersError",
    "ask",
    "find_parts",
    "propose_pairs",
]

MAX_ROWS = 10_000  # rows to choose from, drawn at random


class Question(NamedTuple):
    """A pair of samples, and why it is asked."""

    first: int  # the doubtful sample
    second: int  # the typical sample of a cluster
    cluster: int  # position of that cluster
    rows: int  # in the part of the first sample
    doubt: float  # one minus the mean probability of the part's cluster


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
        A fitted :class:`~maxmargin.SemiSupervisedMaxMargin` or
        :class:`~maxmargin.MaxMarginClustering`. Probabilities are
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
        Seed of the samples that are considered, and of the parts. An estimator with
        ``warm_start`` keeps these for the next call.

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
    with single_threaded_libraries():
        drawn = _kept_parts(estimator, X, random_state)
        rows, parts = drawn.rows, drawn.parts
        memberships = _memberships(estimator, X, drawn)
    constraints = _constraints(X.shape[0], None, must_link, cannot_link)
    known = constraints._replace(groups=constraints.groups[rows])
    questions = _ask(parts, parts.means(memberships), known, n_pairs)
    pairs = [(question.first, question.second) for question in questions]
    return rows[np.array(pairs, dtype=np.int64).reshape(-1, 2)]


class _Drawn(NamedTuple):
    """The rows that are considered, and their parts."""

    rows: np.ndarray  # (m,)
    space: PairSpace  # of these rows
    parts: Parts  # of these rows


def _kept_parts(estimator: Any, X: Any, random_state: Any) -> _Drawn:
    """Return rows and parts; a warm start keeps them."""

    def make() -> _Drawn:
        random = check_random_state(random_state)
        rows = draw_positions(X.shape[0], MAX_ROWS, random)
        space = _space_of(estimator, X[rows])
        return _Drawn(
            rows, space, divide(space.features, _count_clusters(estimator), random)
        )

    if not isinstance(estimator, SemiSupervisedMaxMargin):
        return make()
    key = f"{random_state} {_count_clusters(estimator)}"
    drawn: _Drawn = estimator._keep("parts", X, np.ones(1), key, make)
    return drawn


def find_parts(estimator: Any, X: Any, random_state: Any = None) -> Parts:
    """Divide samples into small parts, as a fitted estimator compares them.

    Parameters
    ----------
    estimator : object
        A fitted :class:`~maxmargin.SemiSupervisedMaxMargin` or
        :class:`~maxmargin.MaxMarginClustering`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    random_state : int, RandomState instance or None, default=None
        Seed of the parts, and of the 10,000 samples that they are found from if there
        are more.

    Returns
    -------
    parts : Parts
    """
    check_is_fitted(estimator)
    X = validate_samples(estimator, X, reset=False)
    random = check_random_state(random_state)
    rows = draw_positions(X.shape[0], MAX_ROWS, random)
    with single_threaded_libraries():
        with progress.stage(0.0, 0.5):
            space = _space_of(estimator, X[rows])
        found = divide(space.features, _count_clusters(estimator), random)
        of_samples = found.of_samples
        if len(rows) < X.shape[0]:
            prepared = estimator._preparation.lazily(X)
            of_samples = of_samples[space.index.query(prepared, 1)[1][:, 0]]
    return Parts(of_samples, rows[found.typical])


def ask(
    parts: Parts,
    shares: np.ndarray,
    number: int,
    *,
    labels: Any = None,
    must_link: Any = None,
    cannot_link: Any = None,
) -> list[Question]:
    """Return the questions whose answers are not known, the best one first.

    Parameters
    ----------
    parts : Parts
    shares : ndarray of shape (n_parts, n_clusters)
        Mean probabilities of the clusters in each part.
    number : int
        The largest number of questions. No part has a second question before all have
        one.
    labels : array-like of shape (n_samples,), default=None
        Known clusters, -1 where a cluster is not known.
    must_link, cannot_link : array-like of shape (n_known, 2), default=None
        Known pairs.

    Returns
    -------
    questions : list of Question
    """
    known = _constraints(len(parts.of_samples), labels, must_link, cannot_link)
    return _ask(parts, shares, known, number)


def _constraints(
    n_samples: int, labels: Any, must_link: Any, cannot_link: Any
) -> Constraints:
    """Return what is known of the samples."""
    return make_constraints(
        np.full(n_samples, -1) if labels is None else np.asarray(labels),
        check_pairs("must_link", must_link, n_samples),
        check_pairs("cannot_link", cannot_link, n_samples),
    )


def _ask(
    parts: Parts, shares: np.ndarray, constraints: Constraints, number: int
) -> list[Question]:
    """Return the questions that constraints leave open."""
    sizes, doubts = parts.sizes, 1.0 - shares.max(axis=1)
    references = _references(sizes, shares)
    known = _Known(parts, constraints, references)
    order = np.argsort(-sizes * doubts, kind="stable")
    order = order[sizes[order] > 0]
    open_clusters = {
        a: [
            h
            for h in np.argsort(-shares[a], kind="stable").tolist()
            if h in references and known.is_open(a, references[h])
        ]
        for a in order.tolist()
        if not known.settled(a)
    }
    asked: list[tuple[int, int]] = []  # part and cluster
    if not all(open_clusters.values()):
        asked += [
            (references[g], h)
            for g, h in _near_clusters(sizes, shares)
            if g in references
            and h in references
            and known.is_open(references[g], references[h])
        ][:1]
    for round_ in range(shares.shape[1]):
        asked += [
            (a, hs[round_]) for a, hs in open_clusters.items() if round_ < len(hs)
        ]
    return [
        Question(
            int(parts.typical[a]),
            int(parts.typical[references[h]]),
            h,
            int(sizes[a]),
            round(float(doubts[a]), 3),
        )
        for a, h in asked[:number]
    ]


class _Known:
    """What is known about the typical samples of parts."""

    def __init__(
        self, parts: Parts, constraints: Constraints, references: dict[int, int]
    ) -> None:
        self.groups = constraints.groups[parts.typical]
        self.labels = constraints.labels
        self.apart = constraints.apart
        self.of_clusters = {int(self.groups[a]) for a in references.values()}

    def settled(self, a: int) -> bool:
        """Return True if it is known to which cluster a part belongs."""
        group = int(self.groups[a])
        return group in self.of_clusters or self.labels[group] >= 0

    def is_open(self, a: int, b: int) -> bool:
        """Return True if nothing says whether two parts belong together."""
        one, two = int(self.groups[a]), int(self.groups[b])
        labels = self.labels[[one, two]]
        return one != two and self.apart[one, two] == 0 and not (labels >= 0).all()


def _references(sizes: np.ndarray, shares: np.ndarray) -> dict[int, int]:
    """Return the part with most samples of each cluster, which is the largest there."""
    n_clusters = shares.shape[1]
    own = shares.argmax(axis=1)[:, None] == np.arange(n_clusters)
    counts = sizes[:, None] * shares * own
    best = counts.argmax(axis=0)
    return {h: int(best[h]) for h in range(n_clusters) if counts[best[h], h] > 0}


def _near_clusters(sizes: np.ndarray, shares: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of clusters, those first that share most samples."""
    common = shares.T @ (sizes[:, None] * shares)
    lengths = np.sqrt(np.maximum(np.diagonal(common), np.finfo(float).tiny))
    first, second = np.triu_indices(len(common), 1)
    values = common[first, second] / (lengths[first] * lengths[second])
    order = np.argsort(-values, kind="stable")
    return list(zip(first[order].tolist(), second[order].tolist(), strict=True))


def _space_of(estimator: Any, X: Any) -> PairSpace:
    """Return the samples as the estimator compares them."""
    prepared = estimator._preparation(X)
    kernel = make_kernel("rbf", prepared, random=np.random.RandomState(0))
    graph = pair_graph(prepared, np.ones(X.shape[0]), _count_clusters(estimator))
    return make_pair_space(prepared, graph, kernel)


def _count_clusters(estimator: Any) -> int:
    """Return the number of clusters of a fitted estimator."""
    classes = getattr(estimator, "classes_", None)
    return int(estimator.n_clusters_) if classes is None else len(classes)


def _memberships(estimator: Any, X: Any, drawn: _Drawn) -> np.ndarray:
    """Return the probabilities of the clusters of the drawn rows (m x k)."""
    rows, space = drawn.rows, drawn.space
    if isinstance(estimator, SemiSupervisedMaxMargin):
        known = estimator.label_distributions_
        if known is not None and estimator._is_fitted_to(X):
            return known[rows]
    if hasattr(estimator, "predict_proba"):
        try:
            return estimator.predict_proba(X[rows])
        except ValueError:  # without labels or pairs there are none
            pass
    labels = np.unique(estimator.predict(X[rows]), return_inverse=True)[1]
    return space.memberships(labels, int(labels.max()) + 1)
