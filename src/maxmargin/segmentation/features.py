"""What a pixel is told by: colour, texture and place."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import ndimage

FEATURES = ("rgb", "lab", "texture", "position")
TEXTURE_SCALES = (2.0, 4.0)  # in pixels, the widths of the windows
WINDOW_RADIUS = 1.5  # in widths: the root mean square radius is the root of 2
# The longer side of an image counts as much as so large a share of the way from black
# to white.
PLACE_SHARE = 0.1

# From linear sRGB to CIE XYZ (IEC 61966-2-1), divided by the white of daylight D65,
# which has X, Y, Z = 0.95047, 1, 1.08883.
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
) / np.array([[0.95047], [1.0], [1.08883]])


def check_image(image: Any) -> np.ndarray:
    """Return an image as colours between 0 and 1, of shape (height, width, 3).

    Whole numbers count from 0 to the largest of their kind, others from 0 to 1. Of a
    fourth channel, the opacity, nothing is kept; grey is made colour.
    """
    array = np.asarray(image)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4) or 0 in array.shape:
        raise ValueError(
            f"An image of shape {np.shape(image)} is not understood: give an array of "
            "shape (height, width) or (height, width, 3)."
        )
    if array.dtype == bool:
        array = array.astype(np.uint8) * np.uint8(255)
    array = array[:, :, :3] if array.shape[2] == 4 else array
    if np.issubdtype(array.dtype, np.integer):
        if array.min() < 0:
            raise ValueError("The image has negative values: give 0 to 255.")
        colours = array / float(np.iinfo(array.dtype).max)
    elif np.issubdtype(array.dtype, np.floating):
        colours = array.astype(np.float64)
        if not (
            np.isfinite(colours).all() and 0 <= colours.min() <= colours.max() <= 1
        ):
            raise ValueError(
                "An image of floating point numbers must have values from 0 to 1: "
                "divide it by its largest value, or give whole numbers to 255."
            )
    else:
        raise ValueError(f"An image of type {array.dtype} is not understood.")
    return np.repeat(colours, 3, axis=2) if colours.shape[2] == 1 else colours


def lab_colours(rgb: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* of sRGB colours between 0 and 1, along the last axis.

    In it a distance of about 2 is the least that one sees, whatever the colours.
    """
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T
    edge = 6 / 29
    root = np.where(xyz > edge**3, np.cbrt(xyz), xyz / (3 * edge**2) + 4 / 29)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def local_deviation(lightness: np.ndarray) -> np.ndarray:
    r"""Return how rough the surroundings of each pixel are, at several scales.

    With a Gaussian window :math:`G_s` of width s, the standard deviation of the
    lightness around a pixel is :math:`\sqrt{G_s * L^2 - (G_s * L)^2}`. Beside an edge
    that is large, though both sides be smooth. So a pixel takes the least among the
    windows around it, as far as their own radius: one of them is off the edge.
    """
    layers = []
    for scale in TEXTURE_SCALES:
        mean = ndimage.gaussian_filter(lightness, scale, truncate=3.0)
        square = ndimage.gaussian_filter(lightness**2, scale, truncate=3.0)
        deviation = np.sqrt(np.maximum(square - mean**2, 0.0))
        radius = round(WINDOW_RADIUS * scale)
        layers.append(ndimage.minimum_filter(deviation, size=2 * radius + 1))
    return np.stack(layers, axis=-1)


def positions(height: int, width: int) -> np.ndarray:
    """Return row and column of each pixel, the longer side going from 0 to 1."""
    rows, columns = np.indices((height, width), dtype=np.float64)
    return np.stack([rows, columns], axis=-1) / max(height - 1, width - 1, 1)


def check_features(
    features: str | Sequence[str], scribbled: bool = False
) -> tuple[str, ...]:
    """Return the names of groups of features.

    ``"auto"`` is colour as people see it and texture, which has the same unit. Place
    counts only where someone pointed at it.
    """
    if isinstance(features, str):
        auto = ("lab", "texture", "position") if scribbled else ("lab", "texture")
        features = auto if features == "auto" else (features,)
    names = tuple(features)
    if not names or len(set(names)) < len(names) or not set(names) <= set(FEATURES):
        raise ValueError(
            f"features={names} is not understood: give 'auto' or some of {FEATURES}."
        )
    return names


def black_to_white(names: Sequence[str]) -> float:
    """Return by how much black and white differ in a channel, the unit of length."""
    return 255.0 if "rgb" in names else 100.0


def pixel_features(
    rgb: np.ndarray, names: Sequence[str], lab: np.ndarray | None = None
) -> np.ndarray:
    """Return the features of each pixel, an array of shape (height, width, d).

    All have one unit, that of colour, so that nothing has to be scaled by the image
    and a model fits other images, too.
    """
    if lab is None and set(names) & {"lab", "texture"}:
        lab = lab_colours(rgb)
    span = black_to_white(names)
    groups = []
    for name in names:
        if name == "rgb":
            groups.append(255.0 * rgb)
        elif name == "position":
            groups.append(PLACE_SHARE * span * positions(*rgb.shape[:2]))
        elif name == "lab":
            groups.append(span / 100.0 * np.asarray(lab))
        else:
            lightness = np.asarray(lab)[:, :, 0]
            groups.append(local_deviation(span / 100.0 * lightness))
    return np.concatenate(groups, axis=2)
