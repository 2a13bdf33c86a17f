"""Given labels and pairwise wishes, joined to groups of samples and checked.

Samples that must stay together form a group, which acts as one sample: the objective
knows labels through ``z_h' S z_h`` and ``w' z_h`` alone, and where ``z_h`` is constant
on groups, ``z_h = M' u_h``, these are ``u_h' (M S M') u_h`` and ``(M w)' u_h``.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

# Choices that are tried to start from labels that keep all cannot-links apart.
MOST_CHOICES = 100_000


class Links(NamedTuple):
    """What is known of the labels, in terms of groups."""

    groups: np.ndarray  # (n,), the group of each sample
    labels: np.ndarray  # (g,), the given cluster of each group, -1 where none is
    apart: sp.csr_array  # (g, g), symmetric, pairs that may not share a cluster

    @property
    def fixed(self) -> np.ndarray:
        """Tell which groups have a given cluster."""
        return self.labels >= 0

    @property
    def linked(self) -> np.ndarray:
        """Tell which of the other groups must be apart from some group."""
        return ~self.fixed & (np.diff(self.apart.indptr) > 0)

    def blocked(self, n_clusters: int) -> np.ndarray:
        """Return which groups (rows) may not join which cluster, by given labels."""
        given = np.zeros((len(self.labels), n_clusters))
        given[self.fixed, self.labels[self.fixed]] = 1.0
        return (self.apart @ given) > 0


def join_links(
    labels: np.ndarray, must_link: np.ndarray, cannot_link: np.ndarray
) -> Links:
    """Join samples to groups; refuse wishes that contradict each other.

    Parameters
    ----------
    labels : ndarray of shape (n_samples,)
        The cluster of each sample, -1 where it is not given.
    must_link, cannot_link : ndarray of shape (n_pairs, 2)
        Positions of samples.
    """
    n_samples = len(labels)
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
                f"must_link joins samples {other} and {j}, which have different "
                "labels: drop one of the links or labels."
            )
        given[groups[j]] = labels[j]
    pairs = groups[cannot_link]
    _check_apart(pairs, cannot_link, given)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    apart = sp.csr_array(
        (np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(n_groups, n_groups)
    )
    return Links(groups, given, apart)


def _check_apart(pairs: np.ndarray, cannot_link: np.ndarray, given: np.ndarray) -> None:
    for (a, b), (i, j) in zip(pairs, cannot_link, strict=True):
        if a == b:
            raise ValueError(
                f"cannot_link keeps samples {i} and {j} apart, which must_link or "
                "equal features join: drop one of the wishes."
            )
        if given[a] == given[b] != -1:
            raise ValueError(
                f"cannot_link keeps samples {i} and {j} apart, which have the same "
                "label, given or by must_link: drop the link or a label."
            )


def merge_groups(
    smoother: np.ndarray, weights: np.ndarray, groups: np.ndarray, n_groups: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``M S M'`` and ``M w``, with groups in place of samples."""
    if n_groups == len(groups):
        return smoother, weights
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(n_groups))
    rows = np.add.reduceat(smoother[order], starts, axis=0)
    merged = np.add.reduceat(rows[:, order], starts, axis=1)
    return np.ascontiguousarray(merged), np.bincount(groups, weights)


def meet_links(preferences: np.ndarray, links: Links) -> np.ndarray:
    """Return labels of groups that follow preferences as far as the links allow.

    Groups without links get the cluster they prefer, given ones what is given. Linked
    groups are taken in the order of how few clusters are left to them, as in colouring
    a graph (DSATUR), each with its best cluster first, going back where none is left.

    Parameters
    ----------
    preferences : ndarray of shape (n_groups, n_clusters)
    links : Links
    """
    labels = np.where(links.fixed, links.labels, preferences.argmax(axis=1))
    waiting = np.flatnonzero(links.linked).tolist()
    if not waiting:
        return labels
    n_clusters = preferences.shape[1]
    counts = links.blocked(n_clusters).astype(int)
    indptr, indices = links.apart.indptr, links.apart.indices
    path: list[tuple[int, list[int]]] = []  # group, clusters still to try
    placed = np.zeros(len(labels), dtype=bool)

    def place(j: int, sign: int) -> None:
        counts[indices[indptr[j] : indptr[j + 1]], labels[j]] += sign
        placed[j] = sign > 0

    for _ in range(MOST_CHOICES):
        left = [j for j in waiting if not placed[j]]
        if not left:
            return labels
        j = max(left, key=lambda i: ((counts[i] > 0).sum(), indptr[i + 1] - indptr[i]))
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
    raise ValueError(
        f"No labelling with {n_clusters} clusters was found that meets all of "
        "cannot_link: drop some of the links or raise n_clusters."
    )
