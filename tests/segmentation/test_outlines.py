"""Mattes against the equations they solve, polygons against the mask they enclose."""

import numpy as np
import pytest

from maxmargin.segmentation import alpha_matte, outline_polygons


def area(polygon):
    x, y = polygon.T
    return (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2


def filled(polygons, shape):
    """Return the pixels whose middle is inside, by the even-odd rule."""
    inside = np.zeros(shape, dtype=bool)
    for polygon in polygons:
        for (x, y), (u, v) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            if x == u:  # a vertical side turns the pixels on its right
                inside[min(y, v) : max(y, v), x:] ^= True
    return inside


def test_polygons_enclose_the_mask(random):
    labels = (random.rand(12, 15) < 0.6).astype(int)
    labels[3:9, 4:10] = 1
    labels[5:7, 6:8] = 0  # a hole
    polygons = outline_polygons(labels, 1)
    assert np.array_equal(filled(polygons, labels.shape), labels == 1)
    assert sum(area(p) for p in polygons) == np.count_nonzero(labels)
    assert outline_polygons(labels, 7) == []


def test_matte_of_a_blurred_edge():
    shades = np.array([0, 0, 0, 0, 0, 0.25, 0.5, 0.75, 1, 1, 1, 1, 1])
    image = np.tile(shades, (10, 1))
    labels = np.zeros(image.shape, dtype=int)
    labels[:, 7:] = 1
    matte = alpha_matte(image, labels, 1)
    assert np.array_equal(matte[:, :4], np.zeros((10, 4)))
    assert np.array_equal(matte[:, 10:], np.ones((10, 3)))
    assert (np.diff(matte[5]) >= 0).all()
    assert 0.1 < matte[5, 6] < 0.9
    assert matte == pytest.approx(1 - alpha_matte(image, labels, 0))


def test_matte_of_everything():
    assert alpha_matte(np.eye(6), np.ones((6, 6), dtype=int), 1).min() == 1.0
