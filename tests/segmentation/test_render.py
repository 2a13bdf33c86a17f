"""Pictures of labels, pixel by pixel."""

import numpy as np
import pytest

from maxmargin.segmentation import (
    draw_boundaries,
    find_boundaries,
    label_colors,
    label_mask,
    overlay,
)
from maxmargin.segmentation.render import PALETTE

LABELS = np.array([[0, 0, 1], [0, 0, 1], [2, 2, 1]])


def test_boundaries():
    thin = [[0, 1, 0], [1, 1, 0], [0, 1, 0]]
    assert np.array_equal(find_boundaries(LABELS), np.array(thin, dtype=bool))
    thick = [[0, 1, 1], [1, 1, 1], [1, 1, 1]]
    assert np.array_equal(find_boundaries(LABELS, 2), np.array(thick, dtype=bool))
    with pytest.raises(ValueError, match="thickness"):
        find_boundaries(LABELS, 3)


def test_boundary_pixels_have_another_neighbour(random):
    labels = random.randint(3, size=(9, 8))
    expected = np.zeros((9, 8), dtype=bool)
    for i, j in np.ndindex(9, 8):
        for p, q in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= p < 9 and 0 <= q < 8 and labels[p, q] != labels[i, j]:
                expected[i, j] = True
    assert np.array_equal(find_boundaries(labels, 2), expected)


def test_masks_and_colours():
    assert np.array_equal(label_mask(LABELS, 1) == 255, LABELS == 1)
    assert np.array_equal(label_colors(LABELS)[2, 0], PALETTE[2])
    assert np.array_equal(label_colors(LABELS + 8), label_colors(LABELS))


def test_overlay_mixes(random):
    image = random.randint(256, size=(6, 7, 3)).astype(np.uint8)
    flat = np.zeros((6, 7), dtype=int)
    assert np.array_equal(overlay(image, flat, 0), image)
    assert (overlay(image, flat, 1) == PALETTE[0]).all()
    half = overlay(image, flat, 0.5)
    assert np.abs(half - (image / 2 + PALETTE[0] / 2)).max() <= 0.5
    with pytest.raises(ValueError, match="opacity"):
        overlay(image, flat, 2)


def test_drawn_boundaries(random):
    image = random.randint(200, size=(3, 3)).astype(np.uint8)
    picture = draw_boundaries(image, LABELS, color=(255, 0, 0))
    edge = find_boundaries(LABELS, 2)
    assert (picture[edge] == (255, 0, 0)).all()
    assert (picture[~edge] == image[~edge][:, None]).all()
    with pytest.raises(ValueError, match="same size"):
        draw_boundaries(image, LABELS[:2])
    with pytest.raises(ValueError, match="array of ints"):
        overlay(image, LABELS / 2)
