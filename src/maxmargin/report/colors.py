"""The colours of the clusters on a page, for a light and a dark background."""

from colorsys import hls_to_rgb
from itertools import product

import numpy as np

from maxmargin.plots.style import COLORS

MIN_CONTRAST = (
    3.0  # to a dark background, after the Web Content Accessibility Guidelines
)
DARK_LUMINANCE = 0.017  # of the background of cards in dark mode


def cluster_color(h: int) -> str:
    """Return the colour of a cluster, a variable that `color_style` defines."""
    return f"var(--c{h})"


def color_style(n_clusters: int) -> str:
    """Return the style sheet with the colours of the clusters."""
    colors = distinct_colors(n_clusters)
    light = "".join(f"--c{h}:{color};" for h, color in enumerate(colors))
    dark = "".join(f"--c{h}:{lighten(color)};" for h, color in enumerate(colors))
    return (
        f":root {{ {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )


def distinct_colors(number: int) -> list[str]:
    """Return the colours of the plots, and if more are needed, others far from them."""
    chosen = [_to_rgb(color) for color in COLORS[:number]]
    grid = product(np.arange(48) / 48, (0.35, 0.5, 0.65), (0.9, 0.45))
    candidates = np.array([hls_to_rgb(*place) for place in grid])
    distances = np.full(len(candidates), np.inf)
    for color in chosen:
        distances = np.minimum(distances, _distances(candidates, color))
    while len(chosen) < number:
        chosen.append(candidates[distances.argmax()])
        distances = np.minimum(distances, _distances(candidates, chosen[-1]))
    return [_to_hex(color) for color in chosen]


def lighten(color: str) -> str:
    """Return a colour mixed with as much white as a dark background needs."""
    rgb = _to_rgb(color)
    for share in np.linspace(0, 1, 21):
        mixed = rgb + share * (1 - rgb)
        if contrast(mixed) >= MIN_CONTRAST:
            break
    return _to_hex(mixed)


def contrast(rgb: np.ndarray) -> float:
    """Return the contrast of a colour to the dark background."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return (luminance + 0.05) / (DARK_LUMINANCE + 0.05)


def _distances(colors: np.ndarray, color: np.ndarray) -> np.ndarray:
    """Return distances that are close to those that the eye sees."""
    red = (colors[:, 0] + color[0]) / 2
    weights = np.stack([2 + red, np.full(len(red), 4.0), 3 - red], axis=1)
    return np.sum(weights * (colors - color) ** 2, axis=1)


def _to_rgb(color: str) -> np.ndarray:
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def _to_hex(rgb: np.ndarray) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb.tolist())
