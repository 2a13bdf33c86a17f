"""Nearest neighbours of samples, and the graph of them."""

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from maxmargin import progress
from maxmargin.compiled import compiled, compiled_sum
from maxmargin.rows.threads import for_blocks
from maxmargin.smoothers.approximate_neighbors import MIN_RECALL, ApproximateNeighbors
from maxmargin.smoothers.distances import central_point, same_kind, shift
from maxmargin.smoothers.sparse_neighbors import SparseNeighbors

N_NEIGHBORS = 15
# The weight of an edge between neighbours that are not mutual: too small for a bridge
# between clusters, large enough to leave no sample isolated.
ONE_SIDED = 0.025
# Neighbours are exact with few features, where a tree finds them, and if brute force,
# which takes about n^2 (d + 50) operations, takes a fraction of a second. If the
# samples have no structure that an approximate search could use, it may take longer.
EXACT_FEATURES = 3
EXACT_OPERATIONS = 5e9
EXACT_SAMPLES = 2000
MAX_OPERATIONS = 2e11
LINKS_PER_BLOCK = 1024
ROWS_AT_ONCE = 8192  # of an exact search, between two reports of progress
Search: TypeAlias = NearestNeighbors | ApproximateNeighbors | SparseNeighbors


class NeighborIndex:
    """The nearest of some samples, exact or approximate as their number demands.

    Those of sparse samples are exact.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
    """

    def __init__(self, X):
        # Rows of other sparse formats cannot be sliced.
        self.X = sp.csr_array(X) if sp.issparse(X) and X.format != "csr" else X
        self._origin = central_point(
            self.X
        )  # exact distances lose digits far from zero
        self._search: Search | None = None

    @property
    def n_samples(self) -> int:
        """Return the number of indexed samples."""
        n_samples: int = self.X.shape[0]
        return n_samples

    @property
    def operations(self) -> float:
        """Return the number of operations of an exact search for all samples."""
        n_samples, n_features = self.X.shape
        if n_features <= EXACT_FEATURES:
            return 0.0
        return float(n_samples) ** 2 * (n_features + 50)

    def neighbors(self, n_neighbors: int) -> np.ndarray:
        """Return the positions of the nearest other samples of each sample (n x k).

        A position of -1 stands for none.
        """
        n_neighbors = min(n_neighbors, self.n_samples - 1)
        search = self._prepare(n_neighbors)
        if isinstance(search, ApproximateNeighbors):
            return search.neighbors()[:, :n_neighbors]
        found = np.empty((self.n_samples, n_neighbors + 1), dtype=np.int64)
        for start in range(0, self.n_samples, ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            found[rows] = self.query(self.X[rows], n_neighbors + 1)[1]
            progress.update(min(rows.stop / self.n_samples, 1.0))
        # A sample is its own neighbour, unless there are others at distance zero.
        own = np.arange(self.n_samples)[:, None]
        others = np.argsort(found == own, axis=1, kind="stable")[:, :n_neighbors]
        return np.take_along_axis(found, others, axis=1)

    def query(self, X, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the distances from samples X to the nearest ones, and their positions.

        Both are (n x k), the nearest first.
        """
        search = self._prepare(N_NEIGHBORS)
        X = same_kind(X, self.X)
        if isinstance(search, ApproximateNeighbors | SparseNeighbors):
            return search.query(X, n_neighbors)
        distances = np.empty((X.shape[0], n_neighbors))
        positions = np.empty((X.shape[0], n_neighbors), dtype=np.int64)

        def fill(block: slice) -> None:
            found = search.kneighbors(shift(X[block], self._origin), n_neighbors)
            distances[block], positions[block] = found

        for_blocks(fill, X.shape[0])
        return distances, positions

    def _prepare(self, n_neighbors: int) -> Search:
        """Return the search, made when it is needed for the first time.

        Approximate lists are made anew if more neighbours are needed.
        """
        made = self._search
        if isinstance(made, ApproximateNeighbors) and made.n_neighbors < n_neighbors:
            self._search = None
        if self._search is None and sp.issparse(self.X):
            self._search = SparseNeighbors(self.X)
        if self._search is None:
            few = self.n_samples <= EXACT_SAMPLES
            exact = few or self.operations <= EXACT_OPERATIONS
            if not exact:
                affordable = self.operations <= MAX_OPERATIONS
                efforts = (1,) if affordable else ()
                found = ApproximateNeighbors(self.X, n_neighbors, *efforts)
                exact = affordable and found.recall < MIN_RECALL
            if exact:
                found = NearestNeighbors().fit(shift(self.X, self._origin))
            self._search = found
        return self._search


@compiled
def inverse_distance_weights(distances):
    """Return inverse fourth powers of distances, with a sum of one in each row.

    They average what the neighbours of a sample have; a sample that equals a neighbour
    gets its values alone. The nearest count much more than the others, also in many
    dimensions, where distances differ little.
    """
    n_samples, k = distances.shape
    weights = np.empty((n_samples, k))
    for i in range(n_samples):
        farthest = max(distances[i, k - 1], 1e-150)
        total = 0.0
        for q in range(k):
            # Rounding leaves a small distance between equal samples.
            ratio = max(distances[i, q] / farthest, 1e-6)
            weights[i, q] = 1.0 / ratio**4
            total += weights[i, q]
        for q in range(k):
            weights[i, q] /= total
    return weights


@compiled_sum
def average_rows(weights, positions, rows):
    """Return the weighted averages of some rows (n x m)."""
    result = np.zeros((len(positions), rows.shape[1]))
    for i in range(len(positions)):
        for q in range(positions.shape[1]):
            for m in range(rows.shape[1]):
                result[i, m] += weights[i, q] * rows[positions[i, q], m]
    return result


def mutual_graph(neighbors: np.ndarray) -> Any:
    """Return the symmetric edge weights between samples and their nearest neighbours.

    If j is the r-th of the q nearest neighbours of i, ``B_ij = 1 - r / (q + 1)``; else
    it is zero. The weights are ``B_ij B_ji + ONE_SIDED (B_ij + B_ji)``. In a graph of
    mutual neighbours a dense cluster is not connected to the sparse samples around it
    [1]_. The ranks make it an average over all numbers of neighbours up to q: no edge
    comes or goes as a whole if a sample is left out.

    Parameters
    ----------
    neighbors : ndarray of shape (n_samples, n_neighbors)
        Positions of the nearest other samples of each sample, the nearest first, -1 for
        none.

    References
    ----------
    .. [1] M. Maier, M. Hein, U. von Luxburg. Optimal construction of k-nearest-neighbor
       graphs for identifying noisy clusters. Theoretical Computer Science 410(19),
       2009. doi:10.1016/j.tcs.2009.01.009
    """
    n_samples, n_neighbors = neighbors.shape
    closeness = 1.0 - np.arange(1, n_neighbors + 1) / (n_neighbors + 1.0)
    backward = reverse_lists(neighbors)
    counts = np.empty(n_samples, dtype=np.int64)

    def count(block: slice) -> None:
        count_links(neighbors, backward, counts, block.start, block.stop)

    for_blocks(count, n_samples, LINKS_PER_BLOCK)
    starts = np.concatenate([[0], np.cumsum(counts)])
    kind = np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64
    columns, values = np.empty(starts[-1], dtype=kind), np.empty(starts[-1])

    def fill(block: slice) -> None:
        links = (starts, columns, values)
        weigh_links(neighbors, backward, closeness, links, block.start, block.stop)

    for_blocks(fill, n_samples, LINKS_PER_BLOCK)
    entries = (values, columns, starts.astype(kind))
    return sp.csr_array(entries, shape=(n_samples, n_samples))


@compiled
def reverse_lists(neighbors):
    """Return whose neighbour each sample is, in increasing order, and at which rank.

    The lists of all samples are behind one another, after the places where they start.
    """
    n_samples, n_neighbors = neighbors.shape
    starts = np.zeros(n_samples + 1, dtype=np.int64)
    for i in range(n_samples):
        for q in range(n_neighbors):
            if neighbors[i, q] >= 0:
                starts[neighbors[i, q] + 1] += 1
    starts = np.cumsum(starts)
    free = starts.copy()
    others = np.empty(starts[-1], dtype=np.int64)
    ranks = np.empty(starts[-1], dtype=np.int64)
    for i in range(n_samples):
        for q in range(n_neighbors):
            j = neighbors[i, q]
            if j >= 0:
                others[free[j]], ranks[free[j]] = i, q
                free[j] += 1
    return starts, others, ranks


@compiled
def count_links(neighbors, backward, counts, first, last):
    """Count the neighbours of some samples and those whose neighbours they are."""
    starts, others, _ = backward
    for i in range(first, last):
        counts[i] = starts[i + 1] - starts[i]
        for q in range(neighbors.shape[1]):
            j = neighbors[i, q]
            mutual = j < 0
            for e in range(starts[i], starts[i + 1]):
                mutual |= others[e] == j
            if not mutual:
                counts[i] += 1


@compiled
def weigh_links(neighbors, backward, closeness, links, first, last):
    """Fill in the columns and weights of the links of some samples, in order."""
    reverse_starts, others, reverse_ranks = backward
    starts, columns, values = links
    for i in range(first, last):
        ranks = np.argsort(neighbors[i], kind="mergesort")
        place, a = starts[i], 0
        while a < len(ranks) and neighbors[i, ranks[a]] < 0:
            a += 1
        b, end = reverse_starts[i], reverse_starts[i + 1]
        while a < len(ranks) or b < end:
            own = neighbors[i, ranks[a]] if a < len(ranks) else len(neighbors)
            other = others[b] if b < end else len(neighbors)
            j, there, back = min(own, other), 0.0, 0.0
            if own == j:
                there = closeness[ranks[a]]
                a += 1
            if other == j:
                back = closeness[reverse_ranks[b]]
                b += 1
            columns[place] = j
            values[place] = there * back + ONE_SIDED * (there + back)
            place += 1
