"""Given labels and pairwise constraints, on groups of samples that must stay together.

A group acts as one sample: the objective depends on the labels through ``z_h' S z_h``
and ``w' z_h`` alone, and where ``z_h`` is constant on groups, ``z_h = M' u_h``, these
are ``u_h' (M S M') u_h`` and ``(M w)' u_h``.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from maxmargin.rows.sample import indicators
from maxmargin.search.runs import plus_plus_labels

# Steps of the backtracking search for labels that meet all cannot-links.
MAX_STEPS = 100_000
MAX_PASSES = 10  # over all links, of which most are right after the first


class TooFewClustersError(ValueError):
    """No labels with so few clusters meet all pairs of samples that are apart.

    Such pairs prove a number of clusters: three samples that are apart from each other
    are in three.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SemiSupervisedMaxMargin
    >>> from maxmargin.questions import TooFewClustersError
    >>> X, apart = np.arange(12.0)[:, None], [(0, 5), (0, 11), (5, 11)]
    >>> model = SemiSupervisedMaxMargin(2, random_state=0)
    >>> try:
    ...     model.fit(X, np.full(12, -1), cannot_link=apart)
    ... except TooFewClustersError:
    ...     model.set_params(n_clusters=3).fit(X, np.full(12, -1), cannot_link=apart)
    SemiSupervisedMaxMargin(n_clusters=3, random_state=0)
    """


class Constraints(NamedTuple):
    """Given labels and cannot-links of groups of samples."""

    groups: np.ndarray  # (n,), the group of each sample
    labels: np.ndarray  # (g,), the given cluster of each group, -1 for none
    apart: sp.csr_array  # (g, g), symmetric, pairs that may not share a cluster

    @property
    def fixed(self) -> np.ndarray:
        """Return a mask of the groups with a given cluster."""
        return self.labels >= 0

    @property
    def linked(self) -> np.ndarray:
        """Return a mask of the other groups that have a cannot-link."""
        return ~self.fixed & (np.diff(self.apart.indptr) > 0)

    @property
    def tied(self) -> np.ndarray:
        """Return a mask of the other groups that have several samples."""
        n_samples = np.bincount(self.groups, minlength=len(self.labels))
        return ~self.fixed & (n_samples > 1)

    @property
    def bound(self) -> np.ndarray:
        """Return a mask of the groups that are linked or tied."""
        return self.linked | self.tied

    def blocked(self, n_clusters: int) -> np.ndarray:
        """Return a mask of the clusters (columns) that given labels forbid a group."""
        given = np.zeros((len(self.labels), n_clusters))
        given[self.fixed, self.labels[self.fixed]] = 1.0
        return (self.apart @ given) > 0

    def take_first(self, n_samples: int) -> "Constraints":
        """Return the constraints of the first samples.

        Groups of other samples are kept, without samples, if they have a cannot-link.
        """
        linked = np.flatnonzero(np.diff(self.apart.indptr))
        needed = np.concatenate([self.groups[:n_samples], linked])
        kept, positions = np.unique(needed, return_inverse=True)
        apart = self.apart[kept][:, kept]
        return Constraints(positions[:n_samples], self.labels[kept], apart)


def make_constraints(
    labels: np.ndarray,
    must_link: np.ndarray,
    cannot_link: np.ndarray,
    names: np.ndarray | None = None,
) -> Constraints:
    """Group samples by must-links; raise an error for contradictory constraints.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        The cluster of each sample, -1 if it is not given.
    must_link, cannot_link : ndarray of shape (n_pairs, 2)
        Positions of samples.
    names : ndarray of shape (n_samples,), default=None
        Numbers of the samples in errors; by default their positions.
    """
    n_samples = len(labels)
    names = np.arange(n_samples) if names is None else names
    edges = (np.ones(len(must_link)), (must_link[:, 0], must_link[:, 1]))
    graph = sp.csr_array(edges, shape=(n_samples, n_samples))
    n_groups, groups = connected_components(graph, directed=False)
    if n_groups == n_samples:
        groups = np.arange(n_samples)
    given = np.full(n_groups, -1)
    for j in np.flatnonzero(labels >= 0):
        if given[groups[j]] not in (-1, labels[j]):
            other = np.flatnonzero(
                (groups == groups[j]) & (labels == given[groups[j]])
            )[0]
            raise ValueError(
                f"must_link or equal features join samples {names[other]} and "
                f"{names[j]}, which have different labels: drop one of the links or "
                "labels."
            )
        given[groups[j]] = labels[j]
    pairs = groups[cannot_link]
    _check_apart(pairs, names[cannot_link], given)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    apart = sp.csr_array(
        (np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(n_groups, n_groups)
    )
    return Constraints(groups, given, apart)


def _check_apart(pairs: np.ndarray, names: np.ndarray, given: np.ndarray) -> None:
    for (a, b), (i, j) in zip(pairs, names, strict=True):
        if a == b:
            raise ValueError(
                f"cannot_link keeps samples {i} and {j} apart, which must_link or "
                "equal features join: drop one of the constraints."
            )
        if given[a] == given[b] != -1:
            raise ValueError(
                f"cannot_link keeps samples {i} and {j} apart, which have the same "
                "label, given or by must_link or equal features: drop the link or a "
                "label."
            )


def merge_groups(
    smoother: np.ndarray, weights: np.ndarray, groups: np.ndarray, n_groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``M S M'`` and ``M w``, with groups in place of samples.

    They are zero for groups without samples, so that any label of these costs nothing.
    """
    if np.array_equal(groups, np.arange(n_groups)):
        return smoother, weights
    order = np.argsort(groups, kind="stable")
    present, starts = np.unique(groups[order], return_index=True)
    rows = np.add.reduceat(smoother[order], starts, axis=0)
    merged = np.zeros((n_groups, n_groups))
    merged[np.ix_(present, present)] = np.add.reduceat(rows[:, order], starts, axis=1)
    return merged, np.bincount(groups, weights, minlength=n_groups)


def satisfy_constraints(
    preferences: np.ndarray, constraints: Constraints
) -> np.ndarray:
    """Return labels of groups that follow preferences and meet the constraints.

    Groups without constraints get their preferred cluster, fixed ones the given one.
    Groups with cannot-links are labelled in the order of how few clusters are left to
    them, as in colouring a graph (DSATUR), the best cluster first, with backtracking.
    Then both ends of each link get the two clusters that they prefer together: the
    preferences decide which of two samples leaves a cluster, not their order.

    Parameters
    ----------
    preferences : ndarray of shape (n_groups, n_clusters)
    constraints : Constraints
    """
    labels = np.where(constraints.fixed, constraints.labels, preferences.argmax(axis=1))
    waiting = constraints.linked
    if not waiting.any():
        return labels
    n_clusters = preferences.shape[1]
    counts = constraints.blocked(n_clusters).astype(int)
    indptr, indices = constraints.apart.indptr, constraints.apart.indices
    path: list[tuple[int, list[int]]] = []  # group, clusters still to try
    # The group with the fewest clusters left is next, of these that with most links.
    degrees = np.diff(indptr)
    unit = int(degrees.max()) + 1
    urgency = np.where(waiting, (counts > 0).sum(axis=1) * unit + degrees, -1)
    placed = n_clusters * unit + unit  # subtracted from the urgency of placed groups

    def place(j: int, sign: int) -> None:
        others = indices[indptr[j] : indptr[j + 1]]
        before = counts[others, labels[j]] > 0
        counts[others, labels[j]] += sign
        changed = (counts[others, labels[j]] > 0) != before
        urgency[others[changed & waiting[others]]] += sign * unit
        urgency[j] -= sign * placed

    for _ in range(MAX_STEPS):
        j = int(urgency.argmax())
        if urgency[j] < 0:
            return _improve_pairs(labels, preferences, constraints, counts)
        order = np.argsort(-preferences[j], kind="stable")
        path.append((j, [h for h in order if counts[j, h] == 0]))
        while path and not path[-1][1]:
            path.pop()
            if path:
                place(path[-1][0], -1)
        if not path:
            break
        labels[path[-1][0]] = path[-1][1].pop(0)
        place(path[-1][0], +1)
    raise TooFewClustersError(
        f"No labelling with {n_clusters} clusters was found that meets all of "
        "cannot_link: drop some of the links or raise n_clusters."
    )


def _improve_pairs(
    labels: np.ndarray,
    preferences: np.ndarray,
    constraints: Constraints,
    counts: np.ndarray,
) -> np.ndarray:
    """Relabel the ends of each cannot-link as they prefer, until none changes.

    ``counts`` has for each group and cluster what keeps the group out of it.
    """
    apart, free = constraints.apart, constraints.linked
    first, second = sp.triu(apart).nonzero()
    links = [(i, j) for i, j in zip(first, second, strict=True) if free[i] and free[j]]

    def value(i: int, j: int) -> float:
        return float(preferences[i, labels[i]] + preferences[j, labels[j]])

    def relabel(i: int, new: int) -> None:
        others = apart.indices[apart.indptr[i] : apart.indptr[i + 1]]
        counts[others, labels[i]] -= 1
        counts[others, new] += 1
        labels[i] = new

    for _ in range(MAX_PASSES):
        changed = False
        for i, j in links:
            counts[i, labels[j]] -= 1
            counts[j, labels[i]] -= 1
            sums = np.where(counts[i] == 0, preferences[i], -np.inf)[
                :, None
            ] + np.where(counts[j] == 0, preferences[j], -np.inf)
            np.fill_diagonal(sums, -np.inf)
            counts[i, labels[j]] += 1
            counts[j, labels[i]] += 1
            best = np.unravel_index(sums.argmax(), sums.shape)
            if sums[best] > value(i, j):
                relabel(i, int(best[0]))
                relabel(j, int(best[1]))
                changed = True
        if not changed:
            break
    return labels


def spread_labels(
    smoother: np.ndarray, constraints: Constraints, n_clusters: int
) -> np.ndarray:
    """Return ``S y_h / |y_h|`` for the given labels ``y_h``, summed over each group.

    These are the functions fitted to the given labels, with zero for the others: labels
    spread to near samples. The mean is taken over the labels of a cluster, so that
    clusters with many labels have no advantage. In a second round, groups of several
    samples spread the label that reached one of them.
    """
    preferences = _spread(smoother, constraints, constraints.labels, n_clusters)
    tied = constraints.tied
    if not tied.any():
        return preferences
    labels = np.where(tied, preferences.argmax(axis=1), constraints.labels)
    return _spread(smoother, constraints, labels, n_clusters)


def _spread(
    smoother: np.ndarray, constraints: Constraints, labels: np.ndarray, n_clusters: int
) -> np.ndarray:
    given = labels[constraints.groups]
    rows = np.flatnonzero(given >= 0)
    targets = indicators(given[rows], n_clusters)
    targets /= np.maximum(targets.sum(axis=0), 1.0)
    return sums_of_groups(smoother[:, rows] @ targets, constraints)


def seed_labels(
    smoother: np.ndarray,
    weights: np.ndarray,
    constraints: Constraints,
    n_clusters: int,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return votes for the cluster of the nearest seed, summed over each group.

    Samples with a given cluster are seeds, those of other clusters are drawn.
    """
    given = constraints.labels[constraints.groups]
    labels = plus_plus_labels(smoother, weights, n_clusters, random, given)
    votes = indicators(labels, n_clusters) * weights[:, None]
    return sums_of_groups(votes, constraints)


def sums_of_groups(values: np.ndarray, constraints: Constraints) -> np.ndarray:
    """Return the sums of rows over each group."""
    sums = np.zeros((len(constraints.labels), values.shape[1]))
    np.add.at(sums, constraints.groups, values)
    return sums
