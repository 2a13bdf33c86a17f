"""The colours of the clusters on a page, for a light and a dark background."""

from itertools import product

import numpy as np

from maxmargin.plots.style import COLORS

MIN_CONTRAST = (
    3.0  # to a dark background, after the Web Content Accessibility Guidelines
)
DARK_LUMINANCE = 0.017  # of the background of cards in dark mode
LIGHTNESS, CHROMA = (0.42, 0.55, 0.68, 0.8), (0.06, 0.12)  # of colours after the tenth
# OKLab: from linear red, green and blue to the response of the cones, and from its cube
# root to lightness and two axes of colour.
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def color_variable(h: int) -> str:
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
    """Return the colours of the plots, and if more are needed, others far from them.

    Each further one is the candidate that is farthest from all before, as the eye sees
    it. The candidates are of moderate saturation: none is more glaring than the rest.
    """
    chosen = [_to_rgb(color) for color in COLORS[:number]]
    candidates = _calm_colors()
    places = _oklab(candidates)
    distances = np.full(len(candidates), np.inf)
    for color in chosen:
        distances = np.minimum(distances, _squares(places, color))
    while len(chosen) < number:
        chosen.append(candidates[distances.argmax()])
        distances = np.minimum(distances, _squares(places, chosen[-1]))
    return [_to_hex(color) for color in chosen]


def _calm_colors() -> np.ndarray:
    """Return colours of all hues, with the lightness and the chroma of OKLab [1]_.

    References
    ----------
    .. [1] B. Ottosson. A perceptual color space for image processing. 2020.
    """
    grid = np.array([*product(LIGHTNESS, CHROMA, 2 * np.pi * np.arange(48) / 48)]).T
    lab = np.stack([grid[0], grid[1] * np.cos(grid[2]), grid[1] * np.sin(grid[2])])
    linear = np.linalg.solve(TO_CONES, np.linalg.solve(TO_LAB, lab) ** 3)
    linear = linear[:, ((linear >= 0) & (linear <= 1)).all(axis=0)]
    low = linear <= 0.0031308
    rgb: np.ndarray = np.where(low, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return rgb.T


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
    luminance = float(_linear(rgb) @ [0.2126, 0.7152, 0.0722])
    return (luminance + 0.05) / (DARK_LUMINANCE + 0.05)


def _linear(rgb: np.ndarray) -> np.ndarray:
    """Return the light that colours have, which is not proportional to their values."""
    linear: np.ndarray = np.where(
        rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4
    )
    return linear


def _oklab(rgb: np.ndarray) -> np.ndarray:
    """Return the places of colours in OKLab, where the eye sees distances."""
    places: np.ndarray = np.cbrt(_linear(rgb) @ TO_CONES.T) @ TO_LAB.T
    return places


def _squares(places: np.ndarray, color: np.ndarray) -> np.ndarray:
    """Return squared distances of places in OKLab from a colour."""
    squares: np.ndarray = np.sum((places - _oklab(color)) ** 2, axis=1)
    return squares


def _to_rgb(color: str) -> np.ndarray:
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def _to_hex(rgb: np.ndarray) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb.tolist())
