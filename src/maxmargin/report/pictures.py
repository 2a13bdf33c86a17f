"""Rows that are pictures, recognised by the names of their columns."""

import base64
import io
import re
from typing import NamedTuple

import numpy as np

from maxmargin.tables.samples import TableSamples

LEAST_PIXELS, MOST_PIXELS = 16, 4096  # of rows that are pictures
N_PICTURES = 4  # of each cluster, the mean first
PIXEL = re.compile(r"^(?:(?:pixel|pix|px)[\W_]*)?(\d+)(?:(?:x|[\W_]+)(\d+))?$", re.I)


class PictureColumns(NamedTuple):
    """The columns of rows that are pictures."""

    order: np.ndarray  # of the features, from the first pixel to the last
    shape: tuple[int, int]  # rows and columns of pixels


def picture_columns(samples: TableSamples) -> PictureColumns | None:
    """Return how features make up a picture, None if they do not.

    Their names are ``pixel0``, ``pixel_3_5``, ``12x7`` and so on. With two numbers
    these are the row and the column, otherwise pictures are square.
    """
    if samples.texts is not None or samples.preprocessor is None:
        return None
    names = [str(name) for name in samples.preprocessor.feature_names]
    found = [PIXEL.match(name) for name in names]
    if not LEAST_PIXELS <= len(names) <= MOST_PIXELS or not all(found):
        return None
    places = [[int(n) for n in match.groups() if n] for match in found if match]
    if len({len(place) for place in places}) > 1:
        return None
    grid = np.array(places)
    sides = [len(np.unique(numbers)) for numbers in grid.T]
    if len(sides) == 1:
        side = round(len(names) ** 0.5)
        named = names[0][0].isalpha()
        sides = [side, side] if named and side**2 == len(names) else []
    if len(sides) < 2 or sides[0] * sides[1] != len(names):
        return None
    return PictureColumns(np.lexsort(grid.T[::-1]), (sides[0], sides[1]))


def cluster_pictures(samples: TableSamples, own: np.ndarray) -> list[str]:
    """Return the mean of a cluster and its most typical rows as pictures, if they are.

    Each is the address of a picture with its content, for the attribute ``src``.
    """
    columns = picture_columns(samples)
    if columns is None or not own.any():
        return []
    X = samples.X[own]
    mean = X.mean(axis=0)
    near = np.argsort(np.square(X - mean).sum(axis=1), kind="stable")
    rows = np.vstack([mean, X[near[: N_PICTURES - 1]]])
    shades = samples.preprocessor.inverse_transform(rows)[:, columns.order]
    return [_picture(one.reshape(columns.shape)) for one in shades]


def _picture(values: np.ndarray) -> str:
    """Return values as a picture, dark where they are large."""
    from PIL import Image

    high = max(float(values.max()), np.finfo(float).tiny)
    shades = np.rint(255 * (1 - np.clip(values / high, 0, 1))).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(shades).save(file, format="PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
