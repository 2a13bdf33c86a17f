"""Features of pixels: colour, texture and position."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import ndimage

# The names of the groups of features, and the numbers of their columns.
FEATURES = {"rgb": 3, "lab": 3, "texture": 2, "position": 2}
TEXTURE_SCALES = (2.0, 4.0)  # standard deviations of the windows, in pixels
WINDOW_RADIUS = 1.5  # in standard deviations; the root mean square radius is sqrt(2)
# The longer side of an image counts as much as this share of the difference between
# black and white.
POSITION_SHARE = 0.1

# From linear sRGB to CIE XYZ (IEC 61966-2-1), divided by the white point of daylight
# D65, X, Y, Z = 0.95047, 1, 1.08883.
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
) / np.array([[0.95047], [1.0], [1.08883]])


def check_image(image: Any) -> np.ndarray:
    """Return an image as colours between 0 and 1, of shape (height, width, 3).

    Integers are divided by the largest value of their type, 255 for uint8 and 65,535
    for uint16; those of other types must be from 0 to 255. Floats must be between 0
    and 1. A fourth channel, the opacity, is dropped; grey images get three
    equal channels.
    """
    array = np.asarray(image)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in (1, 3, 4) or 0 in array.shape:
        raise ValueError(
            f"image has shape {np.shape(image)}: it must have shape (height, width) or "
            "(height, width, 3)."
        )
    if array.dtype == bool:
        array = array.astype(np.uint8) * np.uint8(255)
    array = array[:, :, :3] if array.shape[2] == 4 else array
    if np.issubdtype(array.dtype, np.integer):
        unsigned = array.dtype in (np.uint8, np.uint16)
        largest = np.iinfo(array.dtype).max if unsigned else 255
        if array.min() < 0 or array.max() > largest:
            raise ValueError(
                f"image has type {array.dtype} and values from {array.min()} to "
                f"{array.max()}: use values from 0 to 255, or convert it to uint16 or "
                "to floats from 0 to 1."
            )
        colors = array / float(largest)
    elif np.issubdtype(array.dtype, np.floating):
        colors = array.astype(np.float64)
        if not (np.isfinite(colors).all() and 0 <= colors.min() <= colors.max() <= 1):
            raise ValueError(
                "An image of floats must have values from 0 to 1: divide it by its "
                "largest value, or convert it to uint8."
            )
    else:
        raise ValueError(
            f"image has type {array.dtype}: convert it to uint8 or to floats."
        )
    return np.repeat(colors, 3, axis=2) if colors.shape[2] == 1 else colors


def rgb_to_lab(rgb: np.ndarray) -> np.ndarray:
    """Return CIE L*a*b* of sRGB colours between 0 and 1, along the last axis.

    Equal distances in L*a*b* are about equally visible; the smallest visible one is
    about 2.
    """
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T
    edge = 6 / 29
    root = np.where(xyz > edge**3, np.cbrt(xyz), xyz / (3 * edge**2) + 4 / 29)
    x, y, z = np.moveaxis(root, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def local_deviation(lightness: np.ndarray) -> np.ndarray:
    r"""Return the local standard deviation of the lightness, at several scales.

    With a Gaussian window :math:`G_s` of standard deviation s it is
    :math:`\sqrt{G_s * L^2 - (G_s * L)^2}`. That is large beside an edge, even if both
    sides are smooth. So each pixel takes the minimum over the windows centred within
    their own radius, some of which do not touch the edge.
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
    """Return row and column of each pixel, scaled so that the longer side is 1."""
    rows, columns = np.indices((height, width), dtype=np.float64)
    return np.stack([rows, columns], axis=-1) / max(height - 1, width - 1, 1)


def check_features(features: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the groups; ``"auto"`` is L*a*b* and texture."""
    if isinstance(features, str):
        features = ("lab", "texture") if features == "auto" else (features,)
    names = tuple(features)
    if not names or len(set(names)) < len(names) or not set(names) <= set(FEATURES):
        raise ValueError(
            f"features={names} is not known: use 'auto', or one or several of "
            f"{tuple(FEATURES)}, each once."
        )
    return names


def color_span(names: Sequence[str]) -> float:
    """Return the difference between black and white, the unit of all features."""
    return 255.0 if "rgb" in names else 100.0


def feature_groups(names: Sequence[str]) -> list[slice]:
    """Return the columns of each group of features."""
    ends = np.cumsum([FEATURES[name] for name in names]).tolist()
    return [
        slice(end - FEATURES[name], end) for name, end in zip(names, ends, strict=True)
    ]


def pixel_features(
    rgb: np.ndarray, names: Sequence[str], lab: np.ndarray | None = None
) -> np.ndarray:
    """Return the features of each pixel, an array of shape (height, width, d).

    All features are in units of colour. The scale does not depend on the image, so that
    a fitted model can be applied to other images. ``lab`` is L*a*b*, if it is known.
    """
    if lab is None and set(names) & {"lab", "texture"}:
        lab = rgb_to_lab(rgb)
    span = color_span(names)
    groups = []
    for name in names:
        if name == "rgb":
            groups.append(255.0 * rgb)
        elif name == "position":
            groups.append(POSITION_SHARE * span * positions(*rgb.shape[:2]))
        elif name == "lab":
            groups.append(span / 100.0 * np.asarray(lab))
        else:
            lightness = np.asarray(lab)[:, :, 0]
            groups.append(local_deviation(span / 100.0 * lightness))
    return np.concatenate(groups, axis=2)
