"""Exact nearest neighbours of sparse samples, by lists of the samples with a feature.

The inner products of a sample with all others are sums over its features: each adds
its value times those in the list of the samples that have it. A feature in a share p of
n samples takes ``(p n)^2`` operations for all samples, and most features of text are
rare. The few frequent ones are stored as a dense matrix, whose products are fast, and
centred, so that a large mean does not cost precision.

Products are in single precision. The distances to the nearest samples, and to some
more, are then computed from the differences in double precision, and sorted again.

An approximate search (`neighbor_search`) is slower up to about 100,000 documents: many
samples are nearly as near as the nearest ones, so that it has to visit many.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from maxmargin.compiled import compiled
from maxmargin.rows.threads import for_blocks
from maxmargin.rows.validation import with_short_indices

# The share of samples with a feature from which on it is stored as a dense column. One
# step through a list takes about as long as 25 of a dense product.
FREQUENT = 0.2
MORE_ENTRIES = 5  # for which the distance is computed in double precision
# Samples of a tile: the products of one row with them fit into the fastest cache.
# Each tile has a list for each feature: of many features, tiles are larger.
TILE_ROWS, MAX_TILE_ROWS = 8192, 65_536
PRODUCTS = 64 * TILE_ROWS  # of a block of rows with a tile
CHUNK = 16  # samples that are compared with the farthest neighbour at once


class Entries(NamedTuple):
    """The entries of sparse rows, sorted by column."""

    starts: np.ndarray  # (n + 1,), of the rows
    columns: np.ndarray
    values: np.ndarray


class Tile(NamedTuple):
    """Some consecutive samples, and which of them have a rare feature."""

    first: int  # position of the first sample
    norms: np.ndarray  # (m,), squared
    starts: np.ndarray  # (d + 1,), of the lists of the features
    rows: np.ndarray  # positions in the tile
    values: np.ndarray


class SparseNeighbors:
    """An index of sparse samples that finds the nearest of them.

    Parameters
    ----------
    X : sparse matrix of shape (n_samples, n_features)
    """

    def __init__(self, X):
        self.rows = _canonical(X)
        n_samples, n_features = self.rows.shape
        values = self.rows.data
        self.scale = float(max(np.abs(values).max(initial=0.0), np.finfo(float).tiny))
        counts = np.bincount(self.rows.indices, minlength=n_features)
        frequent = np.flatnonzero(counts > FREQUENT * n_samples)
        self.slots = np.full(n_features, -1, np.int32)
        self.slots[frequent] = np.arange(len(frequent))
        sums = np.asarray(self.rows.sum(axis=0, dtype=np.float64)).ravel()
        self.means = sums[frequent] / (n_samples * self.scale)
        self.dense = self._frequent(self.rows)
        size = min(max(n_features // 16, TILE_ROWS), MAX_TILE_ROWS)
        self.tiles = [
            self._tile(first, min(first + size, n_samples))
            for first in range(0, n_samples, size)
        ]
        self.block_rows = max(PRODUCTS // size, 1)

    def query(self, X, n_neighbors: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the distances from samples X to the nearest ones, and their positions.

        Both are (n x k), the nearest first. Of equal distances the first position
        counts as nearer.
        """
        X = _canonical(X)
        n_queries, size = X.shape[0], min(n_neighbors + MORE_ENTRIES, len(self.dense))
        distances = np.empty((n_queries, n_neighbors))
        positions = np.empty((n_queries, n_neighbors), dtype=np.int64)
        scaled = (X.data / self.scale).astype(np.float32)
        queries = Entries(X.indptr, X.indices, scaled)
        rows, exact = _entries(self.rows), _entries(X)

        def fill(block: slice) -> None:
            keys = np.full((block.stop - block.start, size), np.inf, np.float32)
            found = np.full(keys.shape, -1, np.int64)
            dense = self._frequent(X[block])
            for tile in self.tiles:
                last = tile.first + len(tile.norms)
                products = dense @ self.dense[tile.first : last].T
                visit_tile(tile, queries, block.start, products, keys, found)
            lengths = sort_by_distance(rows, exact, block.start, self.scale, found)
            distances[block] = lengths[:, :n_neighbors] * self.scale
            positions[block] = found[:, :n_neighbors]

        for_blocks(fill, n_queries, self.block_rows)
        return distances, positions

    def _frequent(self, X) -> np.ndarray:
        """Return the columns of frequent features, centred."""
        result = np.empty((X.shape[0], len(self.means)), np.float32)
        fill_frequent(_entries(X), self.slots, self.means, self.scale, result)
        return result

    def _tile(self, first: int, last: int) -> Tile:
        rows = self.rows[first:last]
        rare = np.where(self.slots[rows.indices] < 0, rows.data / self.scale, 0.0)
        lists = sp.csr_array(
            (rare.astype(np.float32), rows.indices, rows.indptr), shape=rows.shape
        ).tocsc()
        lists.eliminate_zeros()
        dense = self.dense[first:last]
        norms = np.einsum("ij,ij->i", dense, dense)
        rare_norms = np.bincount(lists.indices, lists.data**2, minlength=len(norms))
        norms += rare_norms.astype(np.float32)
        return Tile(first, norms, lists.indptr, lists.indices, lists.data)


def _canonical(X) -> sp.csr_array:
    """Return samples as CSR, each row with sorted columns and no duplicates."""
    rows = with_short_indices(sp.csr_array(X))
    if rows.dtype.kind != "f":
        rows = rows.astype(np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _entries(rows: sp.csr_array) -> Entries:
    return Entries(rows.indptr, rows.indices, rows.data)


@compiled
def fill_frequent(rows, slots, means, scale, result):
    """Fill in the centred columns of the frequent features."""
    for i in range(len(result)):
        for q in range(len(means)):
            result[i, q] = -means[q]
        for e in range(rows.starts[i], rows.starts[i + 1]):
            q = slots[rows.columns[e]]
            if q >= 0:
                result[i, q] = rows.values[e] / scale - means[q]


@compiled
def visit_tile(tile, queries, first_query, products, keys, positions):
    """Enter the samples of a tile into the lists of the nearest ones of some queries.

    ``products`` has the inner products of the frequent features and is overwritten. The
    keys are the squared distances minus the squared norm of the query.
    """
    first, norms, starts, rows, values = tile
    query_starts, query_columns, query_values = queries
    n_samples, k = len(norms), keys.shape[1]
    for b in range(len(products)):
        row = products[b]
        for e in range(
            query_starts[first_query + b], query_starts[first_query + b + 1]
        ):
            column, value = query_columns[e], query_values[e]
            for t in range(starts[column], starts[column + 1]):
                row[rows[t]] += value * values[t]
        for start in range(0, n_samples, CHUNK):
            stop = min(start + CHUNK, n_samples)
            lowest = np.float32(np.inf)
            for j in range(start, stop):
                row[j] = norms[j] - np.float32(2.0) * row[j]
                lowest = min(lowest, row[j])
            if lowest < keys[b, k - 1]:
                for j in range(start, stop):
                    if row[j] < keys[b, k - 1]:
                        _insert(keys[b], positions[b], row[j], first + j)


@compiled
def _insert(keys, positions, key, position):
    """Insert a position into a list sorted by key, after equal keys; the last drops."""
    q = len(keys) - 1
    while q > 0 and keys[q - 1] > key:
        keys[q], positions[q] = keys[q - 1], positions[q - 1]
        q -= 1
    keys[q], positions[q] = key, position


@compiled
def sort_by_distance(rows, queries, first_query, scale, positions):
    """Sort the positions of each query by distance; return the scaled distances."""
    n_queries, k = positions.shape
    distances = np.full((n_queries, k), np.inf)
    ordered = np.empty(k, np.int64)
    for b in range(n_queries):
        found = np.sort(positions[b])
        for q in range(k):
            distance = _distance(queries, first_query + b, rows, found[q], scale)
            _insert(distances[b], ordered, distance, found[q])
        positions[b] = ordered
    return distances


@compiled
def _distance(left, i, right, j, scale):
    """Return the distance of row i to row j, in units of ``scale``."""
    a, b = left.starts[i], right.starts[j]
    end_a, end_b = left.starts[i + 1], right.starts[j + 1]
    total = 0.0
    while a < end_a or b < end_b:
        if b == end_b or (a < end_a and left.columns[a] < right.columns[b]):
            step = left.values[a] / scale
            a += 1
        elif a == end_a or right.columns[b] < left.columns[a]:
            step = right.values[b] / scale
            b += 1
        else:
            step = (left.values[a] - right.values[b]) / scale
            a, b = a + 1, b + 1
        total += step * step
    return np.sqrt(total)
