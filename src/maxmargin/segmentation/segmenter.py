"""`ImageSegmenter`: maximum margin clustering of the pixels of an image."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.classification.given_labels import name_classes
from maxmargin.classification.semi_supervised import SemiSupervisedMaxMargin
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.clustering.parameters import check_choice, check_integer
from maxmargin.clustering.recursive import RecursiveBisection
from maxmargin.graph.spectral_smoother import DEGREES_PER_CLUSTER
from maxmargin.kernels.degrees_of_freedom import EXACT_SIZE, estimate_spectrum
from maxmargin.segmentation.cells import make_cells
from maxmargin.segmentation.features import check_features
from maxmargin.segmentation.scribbles import (
    check_scribbles,
    count_strokes,
    labels_of_cells,
)

MODES = ("direct", "recursive")
WIDTH = 2.0  # of the kernel, as a multiple of the largest distance between cells
N_WIDTHS = 6  # widths to try, each half of the one before
DEGREES_PER_STROKE = 3


class ImageSegmenter(BaseEstimator):
    r"""Image segmentation by maximum margin clustering of the pixels.

    Finds the labels of the pixels that a large-margin classifier of their features can
    separate best. Pixels are not clustered one by one: the pixels of one colour, or of
    one superpixel, make a cell, and a cell is a sample whose weight is its number of
    pixels.

    The kernel is that of [1]_, :math:`\exp(-\|x - y\|^2 / s^2)`, with a width s of
    twice the largest distance. The classifier is then nearly a polynomial of low degree
    and has 1.35 degrees of freedom for each segment. The width is halved if the kernel
    matrix has too low a rank for them. With scribbles, see `fit`, cells are labelled by
    :class:`maxmargin.SemiSupervisedMaxMargin` with its default kernel instead.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of segments.

    features : "auto", str or sequence of str, default="auto"
        Features of the pixels, one or several of ``"rgb"`` (as in [1]_), ``"lab"``
        (colour on a scale of perceived differences, L*a*b*), ``"texture"`` (the local
        standard deviation of the lightness at two scales) and ``"position"``.
        ``"auto"`` is ``("lab", "texture")``, with scribbles
        ``("lab", "texture", "position")``.

    mode : {"direct", "recursive"}, default="direct"
        Whether to find all segments at once, or by
        :class:`maxmargin.RecursiveBisection`. Not used with scribbles.

    n_cells : int, default=1000
        Approximate number of cells. If the features are ``"rgb"`` or ``"lab"`` alone,
        a cell has the pixels of one colour, and colours are quantised if there are more
        than ``n_cells``. Otherwise cells are superpixels.

    random_state : int, RandomState instance or None, default=None
        Seed of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (height, width)
        The segment of each pixel. Without scribbles, segments are numbered by size, 0
        is the largest, and ``labels_`` equals ``predict(image)``. With scribbles they
        are positions in ``classes_``, and marked pixels have the label of their stroke,
        which ``predict`` does not enforce.
    classes_ : ndarray of shape (n_segments,)
        With scribbles, the labels of the strokes, followed by unused numbers if there
        are more segments. Without, ``0, ..., n_clusters - 1``.
    cells_ : ndarray of shape (height, width)
        The cell of each pixel.
    estimator_ : estimator object
        The fitted clusterer or classifier of the cells.

    References
    ----------
    .. [1] K. Zhang, I. W. Tsang, J. T. Kwok. Maximum margin clustering made practical.
       Proceedings of the 24th International Conference on Machine Learning, 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.segmentation import ImageSegmenter
    >>> image = np.full((20, 30, 3), 200, dtype=np.uint8)
    >>> image[5:10, 5:15] = (120, 60, 30)
    >>> labels = ImageSegmenter(2, features="rgb", random_state=0).fit_predict(image)
    >>> np.bincount(labels.ravel())
    array([550,  50])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        features: Any = "auto",
        mode: str = "direct",
        n_cells: Any = 1000,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.features = features
        self.mode = mode
        self.n_cells = n_cells
        self.random_state = random_state

    def fit(self, image: Any, y: Any = None, scribbles: Any = None) -> Self:
        """Find the segments.

        Parameters
        ----------
        image : array-like of shape (height, width) or (height, width, 3)
            Values from 0 to 255 of type uint8, or floats from 0 to 1. Other integer
            types are divided by their largest value. A fourth channel is ignored.
        y : Ignored
            Present for the conventions of scikit-learn.
        scribbles : array-like of shape (height, width), default=None
            Known labels of pixels, ints >= 1, and 0 for pixels without one. The number
            of segments is the number of labels, or ``n_clusters`` if that is larger.

        Returns
        -------
        self : object
        """
        check_integer("n_clusters", self.n_clusters)
        check_integer("n_cells", self.n_cells)
        check_choice("mode", self.mode, MODES)
        self._names = check_features(self.features, scribbles is not None)
        cells = make_cells(image, self._names, self.n_cells)
        self.cells_ = cells.inverse
        if np.ptp(cells.features, axis=0).max() == 0:
            raise ValueError(
                "The image has one colour: use an image with at least two to segment."
            )
        if len(cells.weights) < self.n_clusters:
            raise ValueError(
                f"The image has {len(cells.weights)} cells for "
                f"n_clusters={self.n_clusters}: use fewer clusters or more n_cells."
            )
        if scribbles is not None:
            strokes = check_scribbles(scribbles, cells.inverse.shape)
            return self._fit_scribbles(cells, strokes)
        self.estimator_ = self._clusterer(cells)
        found = self.estimator_.fit(cells.features, sample_weight=cells.weights).labels_
        sizes = np.bincount(found, cells.weights, self.n_clusters)
        self._numbers = np.empty(self.n_clusters, dtype=np.int64)
        self._numbers[np.argsort(-sizes, kind="stable")] = np.arange(self.n_clusters)
        self.classes_ = np.arange(self.n_clusters)
        self.labels_ = self._numbers[found][cells.inverse]
        return self

    def _clusterer(self, cells):
        """Return the clusterer of the cells, not yet fitted."""
        at_once = 2 if self.mode == "recursive" else self.n_clusters
        degrees = DEGREES_PER_CLUSTER * at_once
        gamma, rank = _choose_width(cells, degrees)
        clusterer = MaxMarginClustering(
            at_once,
            kernel="rbf",
            gamma=gamma,
            degrees_of_freedom=min(degrees, 0.9 * rank),
            scale=False,
            search="stochastic",  # shaking prefers equal sizes; segments differ in size
            random_state=self.random_state,
        )
        if self.mode == "direct":
            return clusterer
        return RecursiveBisection(
            clusterer, self.n_clusters, random_state=self.random_state
        )

    def _fit_scribbles(self, cells, strokes):
        """Fix the labels of the strokes and find the others.

        If every segment has a stroke, the plain sum is maximised, p = 0, because the
        strokes imply the sizes. Degrees of freedom are counted for each stroke, not for
        each cell that it crosses.
        """
        marked = strokes != 0
        labels, positions = np.unique(strokes[marked], return_inverse=True)
        n_cells = len(cells.weights)
        given = labels_of_cells(strokes, labels, cells.inverse, n_cells)
        degrees = DEGREES_PER_STROKE * count_strokes(strokes)
        complete = len(labels) >= self.n_clusters
        self.classes_ = name_classes(labels, self.n_clusters)
        self.estimator_ = SemiSupervisedMaxMargin(
            len(self.classes_),
            power=0 if complete else "auto",
            scale=False,
            degrees_of_freedom=degrees
            if complete and 5 * degrees < n_cells
            else "auto",
            random_state=self.random_state,
        ).fit(cells.features, given, sample_weight=cells.weights)
        self._numbers = np.arange(len(self.classes_))
        self.labels_ = self.estimator_.labels_[cells.inverse]
        self.labels_[marked] = positions
        return self

    def fit_predict(
        self, image: Any, y: Any = None, scribbles: Any = None
    ) -> np.ndarray:
        """Find the segments and return the label of each pixel, ``labels_``.

        Parameters
        ----------
        image, y, scribbles
            As in `fit`.

        Returns
        -------
        labels : ndarray of shape (height, width)
        """
        return self.fit(image, scribbles=scribbles).labels_

    def predict(self, image: Any) -> np.ndarray:
        """Return the label of each pixel of an image, which may be a new one.

        Parameters
        ----------
        image : array-like of shape (height, width) or (height, width, 3)
            An image whose segments have the colours of those of the fitted image.

        Returns
        -------
        labels : ndarray of shape (height, width)
            Numbered as ``labels_``.
        """
        check_is_fitted(self)
        cells = make_cells(image, self._names, self.n_cells)
        found = self.estimator_.predict(cells.features)
        return self._numbers[found][cells.inverse]


def _choose_width(cells, degrees):
    """Return the gamma of the kernel, 1 / s^2, and the rank of its matrix.

    The width is halved until the rank is at least twice the degrees of freedom; a wide
    kernel of one feature, such as shades of grey, has a low rank.
    """
    width = WIDTH * np.linalg.norm(np.ptp(cells.features, axis=0))
    for halvings in range(N_WIDTHS):
        gamma = (width / 2**halvings) ** -2.0
        rank = _rank(cells, gamma)
        if rank >= 2 * degrees:
            break
    return gamma, rank


def _rank(cells, gamma):
    """Return the numerical rank of the kernel matrix of at most EXACT_SIZE cells."""
    rows = np.arange(len(cells.weights))
    if len(rows) > EXACT_SIZE:
        rows = np.sort(check_random_state(0).choice(rows, EXACT_SIZE, replace=False))
    root = np.sqrt(cells.weights[rows])
    K = rbf_kernel(cells.features[rows], gamma=gamma) * root * root[:, None]
    return estimate_spectrum(K).rank()
