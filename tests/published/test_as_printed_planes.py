"""Cutting planes and e-MMC by default, beside versions written from paper 002 alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel
from tests.published import printed

from maxmargin.published import CuttingPlaneMaxMarginClustering, EvolvingMMC


def plane_of(model, d):
    """Return w and b of a fitted linear function of two clusters."""
    f = model.decision_function(np.vstack([np.eye(d), np.zeros(d)]))[:, 1]
    return np.append(f[:-1] - f[-1], f[-1])


@pytest.mark.parametrize("limit", [3.0, 30.0])
def test_002_appendix_a(limit, random):
    """From a given w0 and b0, cutting planes outside and the CCCP inside."""
    X = random.randn(60, 3) + 1.5 * np.sign(random.randn(60, 1)) + 2.0
    w, b = random.randn(3), 0.3
    model = CuttingPlaneMaxMarginClustering(
        C=4.0, sum_limit=limit, init=(w, b), tol=1e-3, cccp_tol=1e-4
    ).fit(X)
    v, value, n_planes = printed.cutting_planes(
        X,
        np.full((1, 60), 1 / 60),
        np.array([4.0]),
        limit,
        np.append(w, b),
        1e-3,
        1e-4,
    )
    assert model.n_iter_ == n_planes
    assert_allclose(plane_of(model, 3), v, atol=1e-6)
    assert_allclose(-model.objective_, value, rtol=1e-8)
    assert_array_equal(model.labels_, (X @ v[:3] + v[3] > 0).astype(int))


def test_002_w0_of_another_kernel(random):
    X = random.randn(40, 2) + np.sign(random.randn(40, 1))
    a = random.randn(40) / 10
    model = CuttingPlaneMaxMarginClustering(
        kernel="rbf", gamma=0.5, C=4.0, sum_limit=5.0, init=(a, 0.1), landmarks=None
    ).fit(X)
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=0.5))
    Z = vectors * np.sqrt(np.maximum(values, 0))
    start = np.append(Z.T @ a, 0.1)
    shares = np.full((1, 40), 1 / 40)
    v, value, _ = printed.cutting_planes(
        Z, shares, np.array([4.0]), 5.0, start, 0.01, 0.01
    )
    assert_array_equal(model.labels_, (Z @ v[:-1] + v[-1] > 0).astype(int))
    assert_allclose(-model.objective_, value, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.* clusters are empty")
def test_003_cutting_planes_with_l_of_a_sum(random):
    """l bounds sums of decision values, not sizes; no convex problem has a better end.

    With the labels found, the problem without its concave part is a quadratic
    programme, which is solved here as a whole.
    """
    X = random.randn(45, 2) + np.repeat([[0, 0], [9, 0], [0, 9]], (25, 12, 8), axis=0)
    d, k, C, limit = 2, 3, 20.0, 10.0
    model = CuttingPlaneMaxMarginClustering(
        k, C=C, sum_limit=limit, tol=1e-6, cccp_tol=1e-9, random_state=0
    ).fit(X)
    f = model.decision_function(X)
    sums = f.sum(axis=0)
    assert np.ptp(sums) == pytest.approx(limit, rel=1e-8)  # it binds
    assert np.ptp(np.bincount(model.labels_, minlength=k)) > 10
    points = model.decision_function(np.vstack([np.eye(d), np.zeros(d)]))
    W = points[:d] - points[d]
    W = W - W.mean(axis=1, keepdims=True)
    order = np.sort(f, axis=1)
    losses = np.maximum(0, 1 - order[:, -1] + order[:, -2])
    value = (W**2).sum() / 2 + C * losses.mean()
    assert_allclose(-model.objective_, value, rtol=1e-8)
    best = printed.multiclass_margin(X, model.labels_, k, C, limit)
    assert_allclose(best, value, rtol=1e-7)


def snapshots(random):
    """Two snapshots of 30 and 24 objects: 18 stay, 12 leave, 6 come."""
    y = np.arange(36) % 2
    X = random.randn(36, 2) + 1.5 * np.where(y, 1.0, -1.0)[:, None]
    moved = X + 0.7 * random.randn(36, 2)
    return X[:30], np.arange(30), moved[12:], np.arange(12, 36)


@pytest.mark.parametrize("strategy", ["cohort", "individual"])
def test_002_data_integration(strategy, random):
    """CDE has n1 and n2, and both have the sum of all decision values."""
    before, old, now, new = snapshots(random)
    a, C, limit = 0.7, 3.0, 4.0
    model = EvolvingMMC(strategy=strategy, weight=a, C=C, sum_limit=limit)
    model.partial_fit(before, ids=old)
    start = plane_of(model, 2)
    model.partial_fit(now, ids=new)
    Z, shares, pairs = np.concatenate([now, before]), np.zeros((2, 54)), ()
    shares[0, :24], shares[1, 24:] = 1 / 24, 1 / 30
    weights = C * np.array([a, 1 - a])
    if strategy == "individual":
        shares = np.concatenate([np.full(24, a), np.full(30, 1 - a)])[None, :] / 36
        weights = np.array([C])
        pairs = [(i, 24 + 12 + i) for i in range(18)]
    v, value, _ = printed.cutting_planes(
        Z, shares, weights, limit, start, 0.01, 0.01, pairs
    )
    assert_allclose(plane_of(model, 2), v, atol=1e-6)
    assert_array_equal(model.labels_, (now @ v[:2] + v[2] > 0).astype(int))
    assert_allclose(-model.history_[-1].objective, value, rtol=1e-8)


@pytest.mark.parametrize("shift", ["bound", "separate", "present", "past"])
def test_002_model_integration(shift, random):
    before, old, now, new = snapshots(random)
    a, C, limit = 0.02, 3.0, 4.0
    model = EvolvingMMC(
        strategy="model", margin_shift=shift, weight=a, C=C, sum_limit=limit
    ).partial_fit(before, ids=old)
    start = plane_of(model, 2)
    model.partial_fit(now, ids=new)
    rows = np.column_stack([now, np.ones(24)])
    g, constant = rows @ start, 0.0
    if shift == "bound":  # (29) and (30)
        penalty = a * np.sum(now**2) * np.diag([1.0, 1.0, 0.0]), start
    elif shift == "separate":  # (12)
        D = np.zeros((3, 3))
        D[:2, :2], D[2, 2] = a * now.T @ now, a
        penalty = D, start
    else:  # (11), or the squares of (10) with section 5.2
        A = rows
        if shift == "past":
            past = np.column_stack([before, np.ones(30)]) @ start
            g = np.concatenate([past[12:], g[18:], past[:12]])
            A = np.vstack([rows, np.tile(rows.mean(axis=0), (12, 1))])
        D = a * A.T @ A
        center = np.linalg.solve(D, a * A.T @ g)
        constant = a * g @ g - center @ D @ center
        penalty = D, center
    v, value, _ = printed.cutting_planes(
        now,
        np.full((1, 24), 1 / 24),
        np.array([C]),
        limit,
        start,
        0.01,
        0.01,
        (),
        penalty,
    )
    assert_allclose(plane_of(model, 2), v, atol=1e-6)
    assert_array_equal(model.labels_, (now @ v[:2] + v[2] > 0).astype(int))
    assert_allclose(-model.history_[-1].objective, value + constant, rtol=1e-8)
