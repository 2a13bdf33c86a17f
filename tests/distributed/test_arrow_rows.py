"""Arrays of Arrow become rows, or are refused."""

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
from maxmargin.distributed.arrow_rows import matrix_of  # noqa: E402

LISTS = pa.list_(pa.float64())


@pytest.mark.parametrize("kind", [LISTS, pa.large_list(pa.float64())])
def test_rows_of_one_length(kind):
    X = np.arange(12.0).reshape(4, 3)
    column = pa.array(X.tolist(), kind)
    assert np.array_equal(matrix_of(column), X)
    assert np.array_equal(matrix_of(column[1:3]), X[1:3])  # part of a buffer


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]], "Rows have 1 to 3 features: give"),
        ([[1.0, 2.0], [], [3.0, 4.0]], "Rows have 0 to 2 features: give"),
        ([[], []], "Rows have no features: give"),
        ([[1.0, 2.0], None], "contains NaN, null or infinity: fill"),
        ([None, None], "contains NaN, null or infinity: fill"),
        ([[1.0, None], [3.0, 4.0]], "contains NaN, null or infinity: fill"),
        ([[1.0, np.nan], [3.0, 4.0]], "contains NaN, null or infinity: fill"),
        ([[1.0, -np.inf], [3.0, 4.0]], "contains NaN, null or infinity: fill"),
    ],
)
def test_refused_with_the_cure(rows, message):
    with pytest.raises(ValueError, match=message):
        matrix_of(pa.array(rows, LISTS))
