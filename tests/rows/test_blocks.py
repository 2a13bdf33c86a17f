"""A fair sample of rows that come in blocks."""

import numpy as np
import scipy.sparse as sp

from maxmargin.rows.blocks import Reservoir


def fill(blocks, size, seed):
    reservoir = Reservoir(size, np.random.RandomState(seed))
    for block in blocks:
        reservoir.add(block, np.ones(block.shape[0]))
    return reservoir


def test_does_not_depend_on_the_blocks(seed):
    X = np.arange(2000.0).reshape(1000, 2)
    whole = fill([X], 100, seed)
    parts = fill(np.array_split(X, [3, 200, 201, 650]), 100, seed)
    assert np.array_equal(whole.rows, parts.rows)
    assert parts.n_seen == 1000


def test_every_row_has_the_same_chance():
    X = np.arange(60.0)[:, None]
    counts = np.zeros(60)
    for seed in range(600):
        kept = fill(np.array_split(X, 7), 15, seed).rows[:, 0].astype(int)
        assert len(np.unique(kept)) == 15
        counts[kept] += 1
    # 150 expected each, with a standard deviation of 10.6.
    assert np.abs(counts - 150).max() < 5 * 10.6


def test_fewer_rows_than_room_are_all_kept(random):
    X = random.randn(30, 4)
    assert np.array_equal(fill(np.array_split(X, 4), 100, 0).rows, X)


def test_sparse_rows_stay_sparse():
    X = sp.random_array((50, 9), density=0.3, random_state=0, format="csr")
    kept = fill([X[:20], X[20:]], 12, 0).rows
    assert sp.issparse(kept)
    dense = fill([X.toarray()], 12, 0).rows
    assert np.array_equal(kept.toarray(), dense)
