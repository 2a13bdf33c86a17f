"""Convex losses against direct evaluation of the true losses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from maxmargin.published.hinge.convex_losses import (
    Pairs,
    hinge_loss,
    majorise_many_clusters,
    majorise_two_clusters,
)


@pytest.mark.parametrize("k", [2, 4])
def test_majoriser_touches_and_lies_above(random, k):
    shares = random.dirichlet(np.ones(30))
    limits = np.array([[-np.inf] * k, [np.inf] * k])
    shape = 30 if k == 2 else (30, k)
    f = random.randn(*np.atleast_1d(shape))
    if k == 2:
        majorise = majorise_two_clusters(shares)
    else:
        majorise = majorise_many_clusters(shares, limits)

    def true_loss(f):
        if k == 2:
            return shares @ np.maximum(0.0, 1.0 - np.abs(f))
        top = np.sort(f, axis=1)
        return shares @ np.maximum(0.0, 1.0 - top[:, -1] + top[:, -2])

    loss = majorise(f)
    value, g = loss(f)
    assert value == pytest.approx(true_loss(f))
    for _ in range(20):
        u = 2 * random.randn(*f.shape)
        above, _ = loss(u)
        assert above >= true_loss(u) - 1e-12
        assert above >= value + np.vdot(g, u - f) - 1e-12  # a subgradient


def test_losses_are_equations_15_and_16(random):
    n_now, n_past, a = 7, 6, 0.7
    now, before = np.array([1, 2, 6]), np.array([5, 0, 3])
    f = random.randn(n_now + n_past)
    weights = np.repeat([a, 1 - a], [n_now, n_past])
    pairs = Pairs(now, n_now + before)
    total, slope = majorise_two_clusters(weights, pairs)(f)(f)
    expected = 0.0
    partner = dict(zip(now, before, strict=True))
    for i in range(n_now):
        terms = [0.0, a * (1 - abs(f[i]))]
        if i in partner:  # else it came: its own term alone
            terms.append((1 - a) * (1 - abs(f[n_now + partner[i]])))
        expected += max(terms)
    for j in set(range(n_past)) - set(before):  # it left
        expected += (1 - a) * max(0.0, 1 - abs(f[n_now + j]))
    assert_allclose(total, expected)
    step = 1e-6 * random.randn(len(f))
    signs = np.where(f > 0, 1.0, -1.0)
    loss = hinge_loss(signs, weights, pairs)
    assert_allclose(loss(f + step).value - total, slope @ step, atol=1e-9)
    cohort, _ = hinge_loss(signs, weights)(f)
    short = np.maximum(0.0, 1 - np.abs(f))
    assert_allclose(cohort, a * short[:n_now].sum() + (1 - a) * short[n_now:].sum())
