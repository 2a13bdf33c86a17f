"""Questions about pairs of samples, in the order of what an answer can move.

The samples are divided into small parts. With the mean probabilities ``p_ah`` of the
clusters in part a, about

    n_a (1 - max_h p_ah)

of its ``n_a`` samples are in a wrong cluster, and the parts come in this order. The
question is whether the typical sample of the part belongs together with that of a
cluster, the one in the part with most samples of it: first with the most probable
cluster, then with others, until the answer is yes. If the typical sample of a part is
apart from those of all k clusters, two of these must belong together, since there are k
classes: then the clusters that share most doubtful samples are asked about first.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.search.constraints import Constraints


class Parts(NamedTuple):
    """The part of each sample, and the typical sample of each part."""

    of_samples: np.ndarray  # (n,)
    typical: np.ndarray  # (m,)

    @property
    def sizes(self) -> np.ndarray:
        """Return the numbers of samples."""
        return np.bincount(self.of_samples, minlength=len(self.typical))

    def means(self, memberships: np.ndarray) -> np.ndarray:
        """Return the mean memberships of the parts (m x k)."""
        columns = [
            np.bincount(self.of_samples, column, len(self.typical))
            for column in memberships.T
        ]
        return np.stack(columns, axis=1) / np.maximum(self.sizes, 1)[:, None]


class Question(NamedTuple):
    """A pair of samples, and why it is asked."""

    first: int  # the doubtful sample
    second: int  # the typical sample of a cluster
    cluster: int  # position of that cluster
    rows: int  # in the part of the first sample
    doubt: float  # one minus the mean probability of the part's cluster


def ask(
    parts: Parts, shares: np.ndarray, constraints: Constraints, number: int
) -> list[Question]:
    """Return the questions whose answers are not known, the best one first.

    Parameters
    ----------
    parts : Parts
    shares : ndarray of shape (n_parts, n_clusters)
        Mean probabilities of the clusters in each part.
    constraints : Constraints
        Given labels and pairs of all samples.
    number : int
        The largest number of questions. No part has a second question before all have
        one.
    """
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
