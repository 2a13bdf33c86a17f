"""Label images as pictures: masks, boundaries and overlays."""

from typing import Any

import numpy as np

from maxmargin.segmentation.features import check_image

# Colours that people with colour blindness can distinguish (M. Okabe, K. Ito, 2002).
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
    """Return labels as an array; raise an error if they are not a label image."""
    labels = np.asarray(labels)
    if labels.ndim != 2 or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError("labels must be an array of ints of shape (height, width).")
    return labels


def label_colors(labels: Any) -> np.ndarray:
    """Return a picture with a colour for each label; colours repeat after eight.

    Parameters
    ----------
    labels : array-like of shape (height, width)
        Label of each pixel, ints.

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
    """Return a picture that is white for one label and black for all others.

    Parameters
    ----------
    labels : array-like of shape (height, width)
        Label of each pixel, ints.
    label : int
        The label to show.

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
    """Return the pixels at the boundaries of the segments.

    Parameters
    ----------
    labels : array-like of shape (height, width)
        Label of each pixel, ints.
    thickness : {1, 2}, default=1
        1 marks the pixels whose right or lower neighbour has another label, 2 also
        marks these neighbours.

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
        raise ValueError(f"thickness={thickness!r} must be 1 or 2.")
    boundary = _edges(labels)
    if thickness == 2:  # the same for left and upper neighbours
        boundary |= _edges(labels[::-1, ::-1])[::-1, ::-1]
    return boundary


def draw_boundaries(image: Any, labels: Any, color: Any = (255, 220, 0)) -> np.ndarray:
    """Return the image with the boundaries of the segments drawn in one colour.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        The image, as in :class:`maxmargin.ImageSegmenter`.
    labels : array-like of shape (height, width)
        Label of each pixel, ints.
    color : sequence of three ints, default=(255, 220, 0)
        Red, green and blue of the boundaries, from 0 to 255.

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
    """Return the image blended with the colours of the labels, boundaries in white.

    Parameters
    ----------
    image : array-like of shape (height, width) or (height, width, 3)
        The image, as in :class:`maxmargin.ImageSegmenter`.
    labels : array-like of shape (height, width)
        Label of each pixel, ints.
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
        raise ValueError(f"opacity={opacity!r} must be between 0 and 1.")
    blended = (1 - opacity) * picture + opacity * label_colors(labels)
    picture = np.rint(blended).astype(np.uint8)
    picture[find_boundaries(labels)] = 255
    return picture


def _as_picture(image: Any, labels: Any) -> tuple[np.ndarray, np.ndarray]:
    picture = np.rint(255 * check_image(image)).astype(np.uint8)
    labels = check_labels(labels)
    if picture.shape[:2] != labels.shape:
        raise ValueError(
            f"image has shape {picture.shape[:2]} and labels has shape "
            f"{labels.shape}: they must have the same size."
        )
    return picture, labels


def _edges(labels: np.ndarray) -> np.ndarray:
    """Return the pixels whose right or lower neighbour has another label, as a mask."""
    edge = np.zeros(labels.shape, dtype=bool)
    edge[:, :-1] |= labels[:, :-1] != labels[:, 1:]
    edge[:-1] |= labels[:-1] != labels[1:]
    return edge
