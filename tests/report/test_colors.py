import numpy as np
import pytest

from maxmargin.plots.style import COLORS
from maxmargin.report.colors import (
    MIN_CONTRAST,
    _oklab,
    _to_rgb,
    color_style,
    contrast,
    distinct_colors,
    lighten,
)


def test_colors_do_not_repeat():
    colors = distinct_colors(40)
    assert tuple(colors[:10]) == COLORS
    assert distinct_colors(3) == list(COLORS[:3])
    rgb = np.array([_to_rgb(color) for color in colors])
    distances = np.linalg.norm(rgb[:, None] - rgb, axis=2) + np.eye(40)
    assert distances.min() > 0.1
    assert len({lighten(color) for color in colors}) == 40


def test_no_color_after_the_tenth_is_glaring():
    """Saturation of the hexcone model: 1 for neon colours."""
    rgb = np.array([_to_rgb(color) for color in distinct_colors(100)[10:]])
    assert len(np.unique(rgb, axis=0)) == 90
    assert np.ptp(rgb, axis=1).max() < 0.75
    assert _oklab(np.ones(3)) == pytest.approx([1, 0, 0], abs=1e-4)  # white
    assert _oklab(np.array([1.0, 0, 0])) == pytest.approx(
        [0.62796, 0.22486, 0.12585], abs=1e-4
    )


@pytest.mark.parametrize("color", distinct_colors(40))
def test_colors_are_visible_on_a_dark_page(color):
    assert contrast(_to_rgb(lighten(color))) >= MIN_CONTRAST - 0.05  # rounded to bytes


def test_style():
    style = color_style(12)
    assert f"--c2:{COLORS[2]};" in style
    assert style.count("--c11:") == 2
