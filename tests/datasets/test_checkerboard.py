"""The checkerboard."""

import numpy as np
import pytest

from maxmargin.datasets import make_checkerboard


def test_neighbours_differ(seed):
    X, y = make_checkerboard(500, random_state=seed)
    assert X.shape == (500, 2)
    assert 0 <= X.min() and X.max() <= 200
    row, column = (X // 50).astype(int).T
    assert np.array_equal(y, (row + column) % 2)
    assert set(zip(row, column, strict=True)) == {
        (i, j) for i in range(4) for j in range(4)
    }


def test_size_and_seed():
    X, y = make_checkerboard(50, 9, side=1.0, random_state=1)
    again, same = make_checkerboard(50, 9, side=1.0, random_state=1)
    assert 2 < X.max() < 3
    assert np.array_equal(X, again)
    assert np.array_equal(y, same)


@pytest.mark.parametrize("n_squares", [0, -4, 15])
def test_refused(n_squares):
    with pytest.raises(ValueError, match="must be a square number"):
        make_checkerboard(10, n_squares)
