import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.rows.counts import hellinger, is_count_data

COUNTS = np.zeros((20, 50))
COUNTS[np.arange(20), np.arange(20)] = 3
COUNTS[:, 49] = 1


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_counts_are_sparse_integers(container):
    assert is_count_data(container(COUNTS))
    assert not is_count_data(container(COUNTS + 0.5 * (COUNTS == 3)))
    assert not is_count_data(container(-COUNTS))
    assert not is_count_data(container(COUNTS[:, [0, 49]]))


@pytest.mark.parametrize("factor", [0.5, 1 / 255, 1e6])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_common_factor_does_not_matter(factor, kind):
    assert is_count_data((COUNTS * factor).astype(kind))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_hellinger_distance_of_the_proportions(container):
    rows = hellinger(container(COUNTS))
    rows = rows.toarray() if sp.issparse(rows) else rows
    p = COUNTS[:2] / COUNTS[:2].sum(axis=1, keepdims=True)
    expected = np.sum((np.sqrt(p[0]) - np.sqrt(p[1])) ** 2)
    assert np.sum((rows[0] - rows[1]) ** 2) == pytest.approx(expected)
    np.testing.assert_allclose(np.sum(rows**2, axis=1), 1)
