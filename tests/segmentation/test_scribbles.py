"""Labels of cells from strokes: looks, the rim of the image, and their cost."""

import numpy as np
import pytest

from maxmargin.segmentation import likeness, scribbles
from maxmargin.segmentation.cells import Cells
from maxmargin.segmentation.likeness import choose_examples, label_likeness
from maxmargin.segmentation.regions import find_borders
from maxmargin.segmentation.scribbles import (
    add_free_regions,
    label_cells,
    labels_of_cells,
    rim_costs,
)

COLOR = [slice(0, 3)]


def naive_density(features, share):
    """Return the density of each label at each cell, in loops over cells and axes."""
    names = range(len(share))
    means = np.array([share[h] @ features for h in names])
    within = 9.0 * np.eye(features.shape[1])
    for h in names:
        for i, x in enumerate(features):
            within += share[h][i] * np.outer(x - means[h], x - means[h]) / len(names)
    metric = np.zeros_like(within)
    values, vectors = np.linalg.eigh(within)
    for variance, axis in zip(values, vectors.T, strict=True):
        between = np.var(means @ axis) / variance
        metric += between / (between + 1) / variance * np.outer(axis, axis)
    density, typical = np.zeros((len(features), len(names))), np.zeros(len(features))
    for i, x in enumerate(features):
        for m in means:
            typical[i] += np.exp(-(x - m) @ np.linalg.solve(within, x - m) / 2)
        for j, y in enumerate(features):
            near = np.exp(-(x - y) @ metric @ (x - y) / (2 * 0.5**2))
            density[i] += [near * share[h][j] for h in names]
    floor = 0.1 * np.median(density.sum(axis=1)) / len(names)
    return density * np.minimum(1, typical / np.median(typical))[:, None] + floor


def naive_likeness(features, groups, given, labels, weights):
    """Return the probabilities of the labels, the product over the groups."""
    share = []
    for h in range(given.max() + 1):
        marked, known = weights * (given == h), weights * (labels == h)
        share.append(marked / marked.sum() / 2 + known / known.sum() / 2)
    product = np.ones((len(features), len(share)))
    for group in groups:
        density = naive_density(features[:, group], share)
        product *= density / density.sum(axis=1, keepdims=True)
    return product / product.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_likeness_equals_the_naive_one(random, n_labels):
    features = 10 * random.randn(25, 4)
    weights = random.randint(1, 9, 25).astype(float)
    labels = random.randint(n_labels, size=25)
    labels[:n_labels] = np.arange(n_labels)
    given = np.where(np.arange(25) < 2 * n_labels, labels, -1)
    arguments = (features, [slice(0, 3), slice(3, 4)], given, labels, weights)
    expected = naive_likeness(*arguments)
    np.testing.assert_allclose(np.exp(label_likeness(*arguments)), expected, rtol=1e-9)


def test_features_that_do_not_separate_count_little(random):
    """The second feature varies much, and in the same way in both labels."""
    labels = np.arange(200) % 2
    features = np.stack([20.0 * labels, 50 * random.randn(200)], axis=1)
    features[:, 0] += random.randn(200)
    given = np.where(np.arange(200) < 20, labels, -1)
    found = label_likeness(features, [slice(2)], given, given, np.ones(200))
    assert np.array_equal(found.argmax(axis=1), labels)


def test_cells_unlike_all_strokes_may_have_any_label(random):
    """The labels differ in the first feature, the last cells in the second."""
    labels = np.arange(200) % 2
    features = np.stack([20.0 * labels, np.zeros(200)], axis=1) + random.randn(200, 2)
    features[-9:, 1] += 60
    given = np.where(np.arange(200) < 20, labels, -1)
    found = np.exp(label_likeness(features, [slice(2)], given, given, np.ones(200)))
    assert np.array_equal(found[:-9].argmax(axis=1), labels[:-9])
    assert np.median(found[:-9].max(axis=1)) > 0.9
    np.testing.assert_allclose(found[-9:], 0.5, atol=0.01)


def test_few_examples_of_many_cells(random, monkeypatch):
    """Each half of a label keeps its share, and no label is left out."""
    monkeypatch.setattr(likeness, "MAX_EXAMPLES", 20)
    labels = (np.arange(300) < 297).astype(int)
    given = np.full(300, -1)
    given[:40], given[298] = 1, 0
    rows, shares = choose_examples(given, labels, random.rand(300) + 0.5)
    assert len(rows) <= 20
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)
    marked = given[rows[:6]] >= 0
    assert marked.all() and shares[:6].sum() == pytest.approx(1.0)


def test_costs_on_the_rim():
    """The label with strokes 1 pixel from the rim costs nothing there."""
    inverse = np.arange(81).reshape(9, 9)
    cells = Cells(np.zeros((81, 3)), np.ones(81), inverse)
    given = np.full(81, -1)
    given[[inverse[1, 4], inverse[2, 2], inverse[4, 4]]] = 0, 1, 2
    costs = rim_costs(cells, given)
    rim = np.zeros((9, 9), dtype=bool)
    rim[[0, -1]] = rim[:, [0, -1]] = True
    expected = [0.0, np.log(3 / 2), np.log(5 / 2)]
    np.testing.assert_allclose(costs[rim.ravel()], [expected] * rim.sum())
    assert not costs[~rim.ravel()].any()


def cells_of(colors, size=6):
    """Return square cells of the given colours, and their borders."""
    numbers = np.arange(colors[..., 0].size).reshape(colors.shape[:2])
    inverse = np.kron(numbers, np.ones((size, size), dtype=int))
    flat = colors.reshape(-1, 3).astype(float)
    weights = np.full(len(flat), float(size**2))
    return Cells(flat, weights, inverse), find_borders(inverse, flat[inverse])


def test_unseen_colour_on_the_rim_is_ground(monkeypatch):
    """A strip beside the object looks like no stroke and reaches the rim.

    Its border with the object is longer than with the ground, and all contrasts are the
    same: without the rim it would belong to the object.
    """
    colors = np.zeros((11, 12, 3))
    colors[3:8, 4:10, 0] = 40  # the object
    colors[3:8, 10:] = 20, 20 * np.sqrt(3), 0
    cells, borders = cells_of(colors)
    given = np.full((11, 12), -1)
    given[1, 2:9] = given[9, 2:9] = 0
    given[5, 5:8] = 1
    labels = label_cells(cells, borders, COLOR, given.ravel()).reshape(11, 12)
    assert np.array_equal(labels == 1, colors[..., 0] == 40)
    monkeypatch.setattr(scribbles, "rim_costs", lambda cells, given: 0.0)
    labels = label_cells(cells, borders, COLOR, given.ravel()).reshape(11, 12)
    assert np.array_equal(labels == 1, colors[..., 0] > 0)


def test_ground_behind_branches_needs_no_stroke():
    """Bars of the object cut the ground into parts, one of which has a stroke."""
    colors = np.full((13, 13, 3), 60.0)
    bars = np.zeros((13, 13), dtype=bool)
    bars[2:11, 2:11] = True
    bars[4:9, [3, 4, 6, 8, 9]] = False
    colors[bars] = 20
    cells, borders = cells_of(colors)
    given = np.full((13, 13), -1)
    given[0, 2:9], given[10, 3:9] = 0, 1
    labels = label_cells(cells, borders, COLOR, given.ravel()).reshape(13, 13)
    assert np.array_equal(labels == 1, bars)


def test_one_label_and_missing_labels():
    colors = np.zeros((4, 4, 3))
    cells, borders = cells_of(colors)
    given = np.full(16, -1)
    given[3] = 2
    assert (label_cells(cells, borders, COLOR, given) == 2).all()
    given[12] = 0
    assert set(label_cells(cells, borders, COLOR, given)) == {0, 2}


def test_regions_without_a_stroke_get_labels():
    colors = np.zeros((6, 9, 3))
    colors[:, 3:6], colors[:, 6:] = 30, 90
    cells, borders = cells_of(colors)
    given = np.full((6, 9), -1)
    given[2, 1] = 0
    found = add_free_regions(cells, borders, given.ravel(), 1, 2).reshape(6, 9)
    assert found[2, 1] == 0
    assert len(set(found[:, 3:6].flat)) == len(set(found[:, 6:].flat)) == 1
    assert {found[0, 4], found[0, 7]} == {1, 2}


def test_label_without_a_cell_of_its_own_takes_one():
    inverse = np.array([[0, 0, 0, 1, 1]])
    strokes = np.array([[5, 5, 7, 0, 0]])
    labels = labels_of_cells(strokes, np.array([5, 7]), inverse, 2)
    assert np.array_equal(labels, [1, -1])
