"""Label images as pictures: masks, boundaries and overlays."""

from typing import Any

import numpy as np

from maxmargin.segmentation.features import check_image

# Colours that colour-blind people can tell apart (M. Okabe, K. Ito, 2002).
PALETTE = np.array(
    [
        [0, 114, 178],
        [230, 159, 0],
        [0, 158, 115],
        [204, 121, 167],
        [86, 180, 233],
        [213, 94, 0],
        [240, 228, 66],
        [0, 0, 0],
    ],
    dtype=np.uint8,
)


def check_labels(labels: Any) -> np.ndarray:
    """Return a label image as whole numbers."""
    labels = np.asarray(labels)
    if labels.ndim != 2 or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError("labels must be a two-dimensional array of whole numbers.")
    return labels


def label_colors(labels: Any) -> np.ndarray:
    """Return a picture with a colour for each label; they repeat after eight.

    Parameters
    ----------
    labels : array-like of shape (height, width)

    Returns
    -------
    picture : ndarray of shape (height, width, 3), uint8

    Examples
    --------
    >>> from maxmargin.segmentation import label_colors
    >>> label_colors([[0, 0, 1]]).shape
    (1, 3, 3)
    """
    return PALETTE[check_labels(labels) % len(PALETTE)]


def label_mask(labels: Any, label: int) -> np.ndarray:
    """Return a picture that is white where a label is, and else black.

    Parameters
    ----------
    labels : array-like of shape (height, width)
    label : int

    Returns
    -------
    picture : ndarray of shape (height, width), uint8

    Examples
    --------
    >>> from maxmargin.segmentation import label_mask
    >>> label_mask([[0, 0, 1]], 1)
    array([[  0,   0, 255]], dtype=uint8)
    """
    return np.where(check_labels(labels) == label, 255, 0).astype(np.uint8)


def find_boundaries(labels: Any, thickness: int = 1) -> np.ndarray:
    """Return where segments end.

    Parameters
    ----------
    labels : array-like of shape (height, width)
    thickness : int, default=1
        1 marks the pixels whose right or lower neighbour has another label, 2 these
        neighbours too.

    Returns
    -------
    boundary : ndarray of shape (height, width), bool

    Examples
    --------
    >>> from maxmargin.segmentation import find_boundaries
    >>> find_boundaries([[0, 0, 1]])
    array([[False,  True, False]])
    """
    labels = check_labels(labels)
    if thickness not in (1, 2):
        raise ValueError(f"thickness={thickness!r} is not understood: give 1 or 2.")
    boundary = np.zeros(labels.shape, dtype=bool)
    right = labels[:, :-1] != labels[:, 1:]
    below = labels[:-1] != labels[1:]
    boundary[:, :-1] |= right
    boundary[:-1] |= below
    if thickness == 2:
        boundary[:, 1:] |= right
        boundary[1:] |= below
    return boundary


def draw_boundaries(image: Any, labels: Any, color=(255, 220, 0)) -> np.ndarray:
    """Return the image with the boundaries of the segments drawn into it.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
    labels : array-like of shape (height, width)
    color : three numbers from 0 to 255

    Returns
    -------
    picture : ndarray of shape (height, width, 3), uint8

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.segmentation import draw_boundaries
    >>> black = np.zeros((1, 3, 3), dtype=np.uint8)
    >>> draw_boundaries(black, [[0, 0, 1]], color=(9, 9, 9))[..., 0]
    array([[0, 9, 9]], dtype=uint8)
    """
    picture, labels = _as_picture(image, labels)
    picture[find_boundaries(labels, thickness=2)] = color
    return picture


def overlay(image: Any, labels: Any, opacity: float = 0.5) -> np.ndarray:
    """Return the image with the colours of the labels laid over it, and boundaries.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
    labels : array-like of shape (height, width)
    opacity : float, default=0.5
        Share of the colours of the labels, between 0 and 1.

    Returns
    -------
    picture : ndarray of shape (height, width, 3), uint8

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.segmentation import overlay
    >>> overlay(np.zeros((1, 3)), np.array([[0, 0, 1]]), opacity=0)[..., 0]
    array([[  0, 255,   0]], dtype=uint8)
    """
    picture, labels = _as_picture(image, labels)
    if not 0 <= opacity <= 1:
        raise ValueError(f"opacity={opacity!r} must lie between 0 and 1.")
    mixed = (1 - opacity) * picture + opacity * label_colors(labels)
    picture = np.rint(mixed).astype(np.uint8)
    picture[find_boundaries(labels)] = 255
    return picture


def _as_picture(image: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    picture = np.rint(255 * check_image(image)).astype(np.uint8)
    labels = check_labels(labels)
    if picture.shape[:2] != labels.shape:
        raise ValueError(
            f"The image is {picture.shape[:2]} and the labels {labels.shape}: give "
            "both in the same size."
        )
    return picture, labels
