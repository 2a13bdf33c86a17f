"""Colours against published values, texture against windows summed one by one."""

import numpy as np
import pytest

from maxmargin.segmentation.features import (
    check_features,
    check_image,
    local_deviation,
    pixel_features,
    positions,
    rgb_to_lab,
)


@pytest.mark.parametrize(
    ("rgb", "lab"),
    [
        ((1, 1, 1), (100, 0, 0)),
        ((0, 0, 0), (0, 0, 0)),
        ((1, 0, 0), (53.24, 80.09, 67.20)),
        ((0, 1, 0), (87.73, -86.18, 83.18)),
        ((0, 0, 1), (32.30, 79.19, -107.86)),
    ],
)
def test_lab_of_primaries(rgb, lab):
    """The values found in every table of colours for sRGB under D65."""
    assert rgb_to_lab(np.array([rgb], dtype=float))[0] == pytest.approx(lab, abs=0.02)


def test_texture_is_calmest_window(random):
    lightness = random.rand(30, 26)
    found = local_deviation(lightness)[..., 0]
    # Windows of width 2, cut off at 6 pixels; the least within 3 pixels.
    offsets = np.arange(-6, 7)
    window = np.exp(-(offsets**2) / 8.0)
    window = np.outer(window, window) / window.sum() ** 2

    def deviation(i, j):
        patch = lightness[i - 6 : i + 7, j - 6 : j + 7]
        mean = (window * patch).sum()
        return np.sqrt((window * (patch - mean) ** 2).sum())

    around = [deviation(i, j) for i in range(12, 19) for j in range(10, 17)]
    assert found[15, 13] == pytest.approx(min(around))


def test_edge_between_smooth_sides_is_no_texture(random):
    step = np.where(np.arange(60) < 30, 10.0, 90.0)[None].repeat(40, axis=0)
    rough = random.uniform(0, 100, size=(40, 60))
    beside = local_deviation(step)[:, [20, 40]]
    assert beside.max() < 1 < local_deviation(rough).min()


def test_kinds_of_images(random):
    image = random.randint(256, size=(4, 5, 3)).astype(np.uint8)
    expected = image / 255
    assert np.array_equal(check_image(image), expected)
    assert np.array_equal(check_image(expected), expected)
    for wider in (np.int16, np.int64):  # of a list, or of a sum of images
        assert np.array_equal(check_image(image.astype(wider)), expected)
    assert np.array_equal(check_image(image.astype(np.uint16) * 257), expected)
    opacity = np.full((4, 5, 1), 9, dtype=np.uint8)
    assert np.array_equal(check_image(np.dstack([image, opacity])), expected)
    assert np.array_equal(check_image(image[..., 0])[..., 2], expected[..., 0])
    assert np.array_equal(check_image(image[..., 0] > 90).max(), 1)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (np.zeros(5), "height, width"),
        (np.zeros((4, 4, 2)), "height, width"),
        (np.zeros((0, 4, 3)), "height, width"),
        (np.full((3, 3), 1.5), "from 0 to 1"),
        (np.full((3, 3), np.nan), "from 0 to 1"),
        (np.full((3, 3), -1), "from 0 to 255"),
        (np.full((3, 3), 256), "values from 256 to 256: use values from 0 to 255"),
        (np.array([["a", "b"]]), "type"),
    ],
)
def test_bad_images(image, message):
    with pytest.raises(ValueError, match=message):
        check_image(image)


def test_features_in_one_unit(random):
    rgb = random.rand(6, 9, 3)
    by_lab = pixel_features(rgb, ("lab", "texture", "position"))
    by_rgb = pixel_features(rgb, ("rgb", "texture", "position"))
    assert by_lab.shape == by_rgb.shape == (6, 9, 7)
    assert by_rgb[..., 3:] == pytest.approx(2.55 * by_lab[..., 3:])
    assert by_rgb[..., :3] == pytest.approx(255 * rgb)
    assert positions(6, 9).max(axis=(0, 1)) == pytest.approx([5 / 8, 1])


@pytest.mark.parametrize("features", [(), "color", ("lab", "lab"), ("lab", "x")])
def test_unknown_features(features):
    with pytest.raises(ValueError, match="is not known: use 'auto'"):
        check_features(features)
