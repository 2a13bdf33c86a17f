"""`ImageSegmenter`: an image in, a label for each pixel out."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.classification.partial_labels import name_classes
from maxmargin.classification.semi_supervised import SemiSupervisedMaxMargin
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.clustering.parameters import check_integer
from maxmargin.clustering.recursive import RecursiveBisection
from maxmargin.graph.spectral_smoother import DEGREES_PER_CLUSTER
from maxmargin.kernels.degrees_of_freedom import EXACT_SIZE, estimate_spectrum
from maxmargin.segmentation.cells import make_cells
from maxmargin.segmentation.features import check_features
from maxmargin.segmentation.scribbles import (
    check_scribbles,
    count_strokes,
    strokes_of_cells,
)

MODES = ("direct", "recursive")
WIDTH = 2.0  # of the kernel, as a multiple of the largest distance of cells
MOST_HALVINGS = 6
DEGREES_PER_STROKE = 3


class ImageSegmenter(BaseEstimator):
    r"""Segments of an image, by maximum margin clustering of its pixels.

    Finds the labels of pixels that a large-margin classifier of their colours would
    separate best. Pixels are not clustered one by one: those of equal colour, or of one
    superpixel, make a cell, which weighs as much as it has pixels. The kernel is that
    of [1]_, :math:`\exp(-\|x - y\|^2 / s^2)` with a width s of twice the largest
    distance, so that the classifier is nearly a polynomial of low degree, and narrower
    where that is too few for so many segments. It has 1.35 degrees of freedom for each.

    Parameters
    ----------
    n_clusters : int, default=2
        The number of segments.

    features : "auto", str or sequence of str, default="auto"
        What tells pixels apart, one or several of ``"rgb"`` (as in [1]_), ``"lab"``
        (colour in steps as people see them), ``"texture"`` (the deviation of the
        lightness around the pixel at two scales) and ``"position"``. ``"auto"`` is
        ``("lab", "texture")``, and ``"position"`` with scribbles.

    mode : {"direct", "recursive"}, default="direct"
        Whether all segments are found at once, or by parting in two again and again
        the segment whose parts have the widest margin, see
        :class:`maxmargin.RecursiveBisection`.

    n_cells : int, default=1000
        About how many cells make the image. Where only colour counts they are its
        distinct colours, in fewer bits if there are more of them; else superpixels.

    random_state : int, RandomState instance or None, default=None
        Seed of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (height, width)
        The segment of each pixel: 0 is the largest one, and so on by size. With
        scribbles they are positions in ``classes_``.
    classes_ : ndarray
        With scribbles the labels of the strokes, then numbers for segments that no
        stroke is in; else the numbers of the segments.
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
        n_clusters=2,
        *,
        features="auto",
        mode="direct",
        n_cells=1000,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.features = features
        self.mode = mode
        self.n_cells = n_cells
        self.random_state = random_state

    def fit(self, image, y=None, scribbles=None):
        """Find the segments.

        Parameters
        ----------
        image : array-like of shape (height, width) or (height, width, 3)
            Whole numbers from 0 to 255, or floating point numbers from 0 to 1.
        y : Ignored
            Present for the conventions of scikit-learn.
        scribbles : array-like of shape (height, width), default=None
            Labels of pixels that are known, whole numbers, 0 where none is. There are
            as many segments as labels, or ``n_clusters`` if that is more.

        Returns
        -------
        self : object
        """
        check_integer("n_clusters", self.n_clusters)
        check_integer("n_cells", self.n_cells)
        if self.mode not in MODES:
            raise ValueError(f"mode={self.mode!r} is not known: use one of {MODES}.")
        self._names = check_features(self.features, scribbles is not None)
        cells = make_cells(image, self._names, self.n_cells)
        self.cells_ = cells.inverse
        if np.ptp(cells.features, axis=0).max() == 0:
            raise ValueError("The image has one colour: there is nothing to segment.")
        if len(cells.weights) < self.n_clusters:
            raise ValueError(
                f"The image has {len(cells.weights)} different cells for "
                f"n_clusters={self.n_clusters}: ask for fewer segments or more n_cells."
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
            search="stochastic",  # shaking prefers equal sizes, and images do not
            random_state=self.random_state,
        )
        if self.mode == "direct":
            return clusterer
        return RecursiveBisection(
            clusterer, self.n_clusters, random_state=self.random_state
        )

    def _fit_scribbles(self, cells, strokes):
        """Keep the labels of the strokes and find the others.

        The plain sum is maximised, p = 0: strokes tell the sizes. A stroke is one piece
        of knowledge, through however many cells it goes.
        """
        marked = strokes != 0
        labels, places = np.unique(strokes[marked], return_inverse=True)
        n_cells = len(cells.weights)
        given = strokes_of_cells(strokes, labels, cells.inverse, n_cells)
        degrees = DEGREES_PER_STROKE * count_strokes(strokes)
        complete = len(labels) >= self.n_clusters
        self.classes_ = name_classes(labels, self.n_clusters)
        self.estimator_ = SemiSupervisedMaxMargin(
            len(self.classes_),
            balance=None if complete else "free",
            degrees_of_freedom=degrees
            if complete and 5 * degrees < n_cells
            else "auto",
            random_state=self.random_state,
        ).fit(cells.features, given, sample_weight=cells.weights)
        self._numbers = np.arange(len(self.classes_))
        self.labels_ = self.estimator_.labels_[cells.inverse]
        self.labels_[marked] = places
        return self

    def fit_predict(self, image, y=None, scribbles=None):
        """Find the segments and return the label of each pixel; see `fit`."""
        return self.fit(image, scribbles=scribbles).labels_

    def predict(self, image):
        """Return the label of each pixel of another image of the same kind.

        Parameters
        ----------
        image : array-like of shape (height, width) or (height, width, 3)

        Returns
        -------
        labels : ndarray of shape (height, width)
        """
        check_is_fitted(self)
        cells = make_cells(image, self._names, self.n_cells)
        found = self.estimator_.predict(cells.features)
        return self._numbers[found][cells.inverse]


def _choose_width(cells, degrees):
    """Return gamma, and the rank that the kernel has with it.

    The width is halved where the kernel would tell too few functions apart for so many
    degrees of freedom, as with shades of grey.
    """
    width = WIDTH * np.linalg.norm(np.ptp(cells.features, axis=0))
    for halvings in range(MOST_HALVINGS):
        gamma = (width / 2**halvings) ** -2.0
        rank = _rank(cells, gamma)
        if rank >= 2 * degrees:
            break
    return gamma, rank


def _rank(cells, gamma):
    """Return how many functions the kernel tells apart on some of the cells."""
    rows = np.arange(len(cells.weights))
    if len(rows) > EXACT_SIZE:
        rows = np.sort(check_random_state(0).choice(rows, EXACT_SIZE, replace=False))
    root = np.sqrt(cells.weights[rows])
    K = rbf_kernel(cells.features[rows], gamma=gamma) * root * root[:, None]
    return estimate_spectrum(K).rank()
