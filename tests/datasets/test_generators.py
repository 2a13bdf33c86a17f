"""Generated data sets: their shape in space, and their seeds."""

import numpy as np
import pytest

from maxmargin.datasets import make_bent_clusters, make_checkerboard


def test_every_other_cluster_lies_along_an_arc(seed):
    X, y = make_bent_clusters(4000, 6, 4, random_state=seed)
    assert set(y) == {0, 1, 2, 3}
    for h in range(4):
        spread = np.linalg.eigvalsh(np.cov(X[y == h].T))
        bent = h % 2 == 1
        assert (spread[-2] > 3) == bent  # two directions beyond the noise of one
        assert np.all(spread[:-2] < 1.5)


def test_same_seed_same_bent_clusters():
    first = make_bent_clusters(50, random_state=1)[0]
    assert np.array_equal(first, make_bent_clusters(50, random_state=1)[0])


def test_neighbouring_squares_differ(seed):
    X, y = make_checkerboard(500, random_state=seed)
    assert X.shape == (500, 2)
    assert 0 <= X.min() and X.max() <= 200
    row, column = (X // 50).astype(int).T
    assert np.array_equal(y, (row + column) % 2)
    assert set(zip(row, column, strict=True)) == {
        (i, j) for i in range(4) for j in range(4)
    }


def test_size_and_seed_of_a_board():
    X, y = make_checkerboard(50, 9, side=1.0, random_state=1)
    again, same = make_checkerboard(50, 9, side=1.0, random_state=1)
    assert 2 < X.max() < 3
    assert np.array_equal(X, again)
    assert np.array_equal(y, same)


@pytest.mark.parametrize("n_squares", [0, -4, 15])
def test_board_that_is_not_square(n_squares):
    with pytest.raises(ValueError, match="must be a square number"):
        make_checkerboard(10, n_squares)
