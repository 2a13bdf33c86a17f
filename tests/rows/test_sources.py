"""Several sources of rows."""

import numpy as np
import pytest
import scipy.sparse as sp

from maxmargin.rows.preparation import choose_preparation, column_statistics
from maxmargin.rows.sources import Sources, join_sources, prepare_sources


def counts(random, n_rows=50):
    rows = random.poisson(0.05, size=(n_rows, 30)).astype(float)
    rows[:, 0] = 1.0
    return rows


def test_splitting_undoes_joining(random):
    dense, sparse = random.randn(20, 3), sp.csr_array(counts(random, 20))
    joint = join_sources([dense, sparse])
    assert sp.issparse(joint) and joint.shape == (20, 33)
    parts = Sources(("a", "b"), (3, 30), (False, True)).split(joint)
    assert isinstance(parts[0], np.ndarray) and sp.issparse(parts[1])
    np.testing.assert_array_equal(parts[0], dense)
    np.testing.assert_array_equal(parts[1].toarray(), sparse.toarray())


def test_dense_sources_stay_dense(random):
    joint = join_sources([random.randn(5, 2), random.randn(5, 1).astype(np.float32)])
    assert isinstance(joint, np.ndarray) and joint.flags.c_contiguous


def test_each_source_is_prepared_as_if_it_were_alone(random):
    wide = random.randn(50, 4) * [1, 1000, 1, 1]  # most columns are negligible
    words = counts(random)
    X = np.hstack([wide, words])
    sources = Sources(("wide", "words"), (4, 30), (False, False))
    statistics = column_statistics(X, np.ones(50))
    preparation = prepare_sources(X, statistics, sources, "auto", counts=True)
    parts = sources.split(preparation(X))
    for part, given in zip(parts, (wide, words), strict=True):
        alone = choose_preparation(
            given, lambda given=given: column_statistics(given, np.ones(50))
        )(given)
        ratio = part[alone != 0] / alone[alone != 0]
        np.testing.assert_allclose(ratio, ratio[0])  # up to the unit
    squares = ((parts[0] - parts[0].mean(axis=0)) ** 2).sum(axis=1)
    assert squares.mean() == pytest.approx(1)
    np.testing.assert_allclose((parts[1] ** 2).sum(axis=1), 1)
    assert preparation.scale.shape == (34,)


def test_given_divisors_are_those_of_all_columns(random):
    X = random.randn(30, 3)
    sources = Sources(("a", "b"), (1, 2), (False, False))
    statistics = column_statistics(X, np.ones(30))
    found = prepare_sources(X, statistics, sources, np.array([1.0, 2.0, 4.0]))(X)
    assert np.corrcoef(found[:, 1] / found[:, 2], X[:, 1] / X[:, 2])[0, 1] > 0.999
    ratio = found[:, 1] / found[:, 2] / (X[:, 1] / X[:, 2])
    np.testing.assert_allclose(ratio, 2)
    with pytest.raises(ValueError, match=r"scale has 2 divisors: .* 3 columns"):
        prepare_sources(X, statistics, sources, np.ones(2))


def test_a_source_of_equal_rows_is_refused(random):
    X = np.hstack([random.randn(30, 2), np.ones((30, 2))])
    sources = Sources(("a", "b"), (2, 2), (False, False))
    with pytest.raises(ValueError, match="the source 'b' are equal: leave it out"):
        prepare_sources(X, column_statistics(X, np.ones(30)), sources, "auto")
