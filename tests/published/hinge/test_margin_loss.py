"""Losses against their formulas, the bias search against exhaustive search."""

from itertools import pairwise

import numpy as np
import pytest

from maxmargin.published.hinge.margin_loss import LOSSES, make_loss, search_bias

FORMULAS = {
    "laplacian": lambda t: abs(1 - t),
    "hinge": lambda t: max(0.0, 1 - t),
    "squared": lambda t: (1 - t) ** 2,
    "epsilon_insensitive": lambda t: max(0.0, abs(1 - t) - 0.3),
}
LOOSE = np.array([[0.5, 0.5], [np.inf, np.inf]])


def total(formula, values, weights, bias):
    return sum(w * formula(abs(g + bias)) for g, w in zip(values, weights, strict=True))


def within(values, weights, bias, limits):
    below = weights[values + bias <= 0].sum()
    sizes = np.array([below, weights.sum() - below])
    return (limits[0] <= sizes).all() and (sizes <= limits[1]).all()


@pytest.mark.parametrize("name", LOSSES)
def test_loss_is_its_formula(name):
    margins = np.linspace(-3, 3, 61)
    expected = [FORMULAS[name](t) for t in margins]
    np.testing.assert_allclose(make_loss(name, 0.3).of_margins(margins), expected)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("limits", [LOOSE, np.array([[12.0, 9.0], [20.0, 18.0]])])
def test_no_bias_is_better(name, limits, random):
    values = random.choice([-1.5, 0.8], 20) + 0.4 * random.randn(20)
    weights = random.randint(1, 3, 20).astype(float)
    found = search_bias(values, weights, limits, make_loss(name, 0.3))
    formula = FORMULAS[name]
    np.testing.assert_array_equal(found.labels, values + found.bias > 0)
    assert within(values, weights, found.bias, limits)
    assert found.loss == pytest.approx(total(formula, values, weights, found.bias))
    ordered = np.sort(values)
    for low, high in pairwise(ordered):
        middle = -(low + high) / 2
        if not within(values, weights, middle, limits):
            continue
        assert found.loss <= total(formula, values, weights, middle) + 1e-9
        # Every bias in the interval, unless the minimum is at one of its ends.
        biases = -np.linspace(low, high, 101)[1:-1]
        losses = [total(formula, values, weights, bias) for bias in biases]
        ends = min(losses[0], losses[-1])
        if min(losses) < ends:
            assert found.loss <= min(losses) + 1e-9


def test_weights_are_repetitions(random):
    values, weights = random.randn(15), random.randint(1, 5, 15)
    limits = np.array([[10.0, 10.0], [np.inf, np.inf]])
    loss = make_loss("laplacian")
    once = search_bias(values, weights.astype(float), limits, loss)
    many = search_bias(np.repeat(values, weights), np.ones(weights.sum()), limits, loss)
    assert once.bias == pytest.approx(many.bias)
    assert once.loss == pytest.approx(many.loss)
    np.testing.assert_array_equal(np.repeat(once.labels, weights), many.labels)


def test_equal_values_share_a_label_if_the_limits_allow_it():
    values = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    loss = make_loss("laplacian")
    assert search_bias(values, np.ones(5), LOOSE, loss).labels.sum() == 4
    limits = np.array([[2.0, 2.0], [3.0, 3.0]])
    assert search_bias(values, np.ones(5), limits, loss).labels.sum() in (2, 3)


def test_limits_that_no_bias_satisfies():
    limits = np.array([[2.0, 2.0], [3.0, 3.0]])
    with pytest.raises(ValueError, match="balance cannot be met"):
        search_bias(np.arange(2.0), np.array([4.0, 1.0]), limits, make_loss("hinge"))


def test_bad_losses():
    with pytest.raises(ValueError, match="loss='cubic' is not known"):
        make_loss("cubic")
    with pytest.raises(ValueError, match=r"epsilon=1\.5"):
        make_loss("epsilon_insensitive", 1.5)
