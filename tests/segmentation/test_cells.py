"""Superpixels against a naive pass, merged colours against `np.unique`."""

import numpy as np
import pytest

from maxmargin.segmentation.cells import (
    COMPACTNESS,
    assign_pixels,
    find_superpixels,
    make_cells,
    merge_colors,
    superpixel_means,
)
from maxmargin.segmentation.features import rgb_to_lab


def test_pass_equals_naive_one(random):
    lab = 50 * random.rand(12, 15, 3)
    rows, columns = np.arange(12) // 3, np.arange(15) // 3  # 4 x 5 cells
    labels = rows[:, None] * 5 + columns
    unit = COMPACTNESS / 3
    places = unit * np.stack(np.indices((12, 15)), axis=-1)
    pixels = np.concatenate([lab, places], axis=2)
    expected = np.array([pixels[labels == p].mean(axis=0) for p in range(20)])
    centers = superpixel_means(lab, labels, 20, unit)
    assert centers == pytest.approx(expected)
    found = assign_pixels(lab, centers, rows, columns, 4, 5, unit)
    for i in range(12):
        for j in range(15):
            distances = ((pixels[i, j] - expected) ** 2).sum(axis=1)
            for patch in range(20):
                row, column = divmod(patch, 5)
                if abs(row - rows[i]) > 1 or abs(column - columns[j]) > 1:
                    distances[patch] = np.inf
            assert found[i, j] == distances.argmin()


def test_superpixels_keep_to_edges():
    rgb = np.full((50, 60, 3), 0.8)
    rows, columns = np.indices((50, 60))
    disc = (rows - 23) ** 2 + (columns - 31) ** 2 < 15**2
    rgb[disc] = (0.1, 0.3, 0.5)
    patches = find_superpixels(rgb_to_lab(rgb), 60)
    shares = np.bincount(patches.ravel(), disc.ravel()) / np.bincount(patches.ravel())
    assert set(shares) == {0.0, 1.0}
    assert 40 <= patches.max() + 1 <= 80


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (2, 2), (40, 3)])
def test_superpixels_of_small_images(shape, random):
    lab = 100 * random.rand(*shape, 3)
    patches = find_superpixels(lab, 10)
    assert patches.shape == shape
    assert set(patches.flat) == set(range(patches.max() + 1))


def test_equal_colours_are_merged(random):
    image = random.randint(3, size=(20, 30, 3)).astype(np.uint8) * 100
    cells = make_cells(image, ("rgb",), 1000)
    colours, counts = np.unique(image.reshape(-1, 3), axis=0, return_counts=True)
    assert cells.features == pytest.approx(colours)  # both in their order
    assert np.array_equal(cells.weights, counts)
    assert cells.features[cells.inverse] == pytest.approx(image)


def test_too_many_colours_lose_bits(random):
    image = random.randint(256, size=(60, 60, 3)).astype(np.uint8)
    merged = merge_colors(image / 255, 600)
    assert merged.max() < 600
    # Three bits in each channel make 512 colours, four would make 4096.
    expected = np.unique(image.reshape(-1, 3) >> 5, axis=0, return_inverse=True)[1]
    pairs = set(zip(merged.flat, expected.flat, strict=True))
    assert len(pairs) == merged.max() + 1 == expected.max() + 1


def test_cells_have_mean_features(random):
    image = random.randint(256, size=(30, 40, 3)).astype(np.uint8)
    cells = make_cells(image, ("rgb", "position"), 50)
    assert cells.weights.sum() == image.shape[0] * image.shape[1]
    some = cells.inverse == 7
    assert cells.features[7, :3] == pytest.approx(image[some].mean(axis=0))
    assert cells.features[7, 3:] == pytest.approx(
        25.5 * np.argwhere(some).mean(axis=0) / 39
    )
