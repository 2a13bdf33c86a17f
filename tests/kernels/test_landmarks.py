"""Landmarks that the others span are left out, and nothing is lost."""

import numpy as np
from numpy.testing import assert_allclose

from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.landmarks import choose_landmarks, independent
from maxmargin.kernels.sample import Sample

KERNEL = Kernel("rbf", {"gamma": 0.3})


def test_few_landmarks_span_all(random):
    X = random.randn(300, 2)
    kept = independent(KERNEL(X, X))
    assert len(kept) < 150
    assert np.all(np.diff(kept) > 0)
    columns = KERNEL(X, X[kept])
    corner = KERNEL(X[kept], X[kept])
    spanned = columns @ np.linalg.lstsq(corner, columns.T, rcond=1e-13)[0]
    assert_allclose(spanned, KERNEL(X, X), atol=1e-6)


def test_many_features_need_every_landmark(random):
    X = random.randn(60, 40)
    assert len(independent(KERNEL(X, X))) == 60


def test_only_automatic_landmarks_are_thinned(random):
    X = random.randn(3000, 1)
    rows = np.arange(3000)
    sample = Sample(rows, np.ones(3000), rows, True)
    assert len(choose_landmarks(KERNEL, X, sample, "auto", random)) < 60
    assert len(choose_landmarks(KERNEL, X, sample, 200, random)) == 200
    linear = Kernel("linear")
    assert len(choose_landmarks(linear, X, sample, "auto", random)) == 800
