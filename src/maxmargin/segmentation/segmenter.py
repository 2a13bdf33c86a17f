"""`ImageSegmenter`: segments of an image, found alone or with the help of strokes."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from maxmargin.clustering.base import unchanged_on_failure
from maxmargin.documented import DocumentedMixin
from maxmargin.engine.checks import check_choice, check_integer
from maxmargin.published.least_squares import LeastSquaresMaxMarginClustering
from maxmargin.published.recursive import RecursiveBisection
from maxmargin.published.reduced_svc import ReducedSVC
from maxmargin.search.runs import default_starts
from maxmargin.segmentation.cells import make_cells, make_connected_cells
from maxmargin.segmentation.features import check_features, color_span, feature_groups
from maxmargin.segmentation.regions import count_regions, merge_cells
from maxmargin.segmentation.scribbles import (
    add_free_regions,
    check_scribbles,
    label_cells,
    labels_of_cells,
)
from maxmargin.semi_supervised.given_labels import name_classes
from maxmargin.smoothers.degrees_of_freedom import EXACT_SIZE, estimate_spectrum
from maxmargin.smoothers.spectral_smoother import DEGREES_PER_CLUSTER

MODES = ("regions", "direct", "recursive")
WIDTH = 2.0  # of the kernel, as a multiple of the largest distance between cells
N_WIDTHS = 6  # widths to try, each half of the one before
N_CENTERS = 60  # of the classifier that predicts the regions of other images


class ImageSegmenter(DocumentedMixin, BaseEstimator):
    r"""Image segmentation: regions, clusters of pixels, or objects marked by strokes.

    Pixels are grouped into cells, small regions of similar colour, and a segment is
    made of cells.

    With ``mode="regions"`` every segment is connected. Neighbouring regions are merged,
    those first for which

    .. math:: \sqrt{\frac{n_i n_j}{n_i + n_j}} \, \|m_i - m_j\| \, c_{ij}

    is least, with the numbers of pixels n, the mean features m and the mean contrast c
    along the common border: the root of the increase of the squared error, as in
    Ward's method, times the contrast.

    With scribbles, see `fit`, the labels y of the cells minimise

    .. math:: -\sum_i n_i \log q_i(y_i) + \lambda \sum_{i \sim j}
              \frac{l_{ij} [y_i \ne y_j]}{1 + (c_{ij} / 3)^2}

    with the probability q of a label by the looks of a cell and the lengths l of
    borders: segments look like their strokes, and the borders between them are short
    and follow contours. A minimum cut finds the labels, and a better q follows from
    them, three times. The outside of the image counts as a cell of the label whose
    strokes are closest to the rim.

    The other modes find clusters that a large-margin classifier of the features can
    separate best, wherever their pixels are. The kernel is that of [1]_,
    :math:`\exp(-\|x - y\|^2 / s^2)`, with a width s of twice the largest distance. The
    classifier is then nearly a polynomial of low degree and has 1.35 degrees of freedom
    for each segment. The width is halved if the kernel matrix has too low a rank for
    them.

    Parameters
    ----------
    n_clusters : int or "auto", default=2
        The number of segments. ``"auto"``, for ``mode="regions"``, merges regions until
        the cost, divided by the root of the number of pixels, exceeds 40, as for two
        halves that differ by 9 in L*a*b*; with scribbles it is the number of labels.

    features : "auto", str or sequence of str, default="auto"
        Features of the pixels, one or several of ``"rgb"`` (as in [1]_), ``"lab"``
        (colour on a scale of perceived differences, L*a*b*), ``"texture"`` (the local
        standard deviation of the lightness at two scales) and ``"position"``.
        ``"auto"`` is ``("lab", "texture")``.

    mode : {"regions", "direct", "recursive"}, default="regions"
        Whether to find connected regions, or clusters: all at once, or by
        :class:`maxmargin.published.RecursiveBisection`. Not used with scribbles.

    n_cells : int, default=1000
        Approximate number of cells. They are superpixels, for connected regions their
        connected parts. If clusters are found by ``"rgb"`` or ``"lab"`` alone, a cell
        has the pixels of one colour, and colours are quantised if there are more than
        ``n_cells``.

    random_state : int, RandomState instance or None, default=None
        Seed of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (height, width)
        The segment of each pixel. Without scribbles, segments are numbered by size, 0
        is the largest; with ``mode="direct"`` or ``"recursive"``, ``labels_`` equals
        ``predict(image)``. With scribbles they are positions in ``classes_``, and
        marked pixels have the label of their stroke.
    classes_ : ndarray of shape (n_segments,)
        With scribbles, the labels of the strokes, followed by unused numbers if there
        are more segments. Without, ``0, ..., n_segments - 1``.
    cells_ : ndarray of shape (height, width)
        The cell of each pixel.
    estimator_ : estimator object
        The fitted clusterer of the cells. For connected regions and scribbles a
        :class:`maxmargin.published.ReducedSVC` of the cells, None if there is one
        segment.

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
    >>> labels = ImageSegmenter(2, random_state=0).fit_predict(image)
    >>> np.bincount(labels.ravel())
    array([550,  50])
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        features: Any = "auto",
        mode: str = "regions",
        n_cells: Any = 1000,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.features = features
        self.mode = mode
        self.n_cells = n_cells
        self.random_state = random_state

    @unchanged_on_failure
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
        self._check()
        self._strokes: np.ndarray | None = None
        if self.mode != "regions" and scribbles is None:
            return self._fit_clusters(make_cells(image, self._names, self.n_cells))
        cells, borders = make_connected_cells(image, self._names, self.n_cells)
        self._check_cells(cells)
        scale = 100.0 / color_span(self._names)  # to units of L*a*b*
        self._cells = cells._replace(features=scale * cells.features)
        self._borders = borders
        if scribbles is not None:
            return self.refine(scribbles)
        merges = merge_cells(self._cells.features, cells.weights, borders)
        n_cells, n_pixels = len(cells.weights), cells.inverse.size
        n_segments = self.n_clusters
        if n_segments == "auto":
            n_segments = count_regions(merges, n_pixels)
        regions = merges.regions(n_cells, n_cells - n_segments)
        self._set_labels(cells, regions, n_segments)
        self.estimator_ = self._train(regions)
        return self

    def refine(self, scribbles: Any) -> Self:
        """Segment the fitted image with further strokes.

        The cells are not computed again, so that it takes a small part of the time of
        `fit`. Where strokes overlap, the new ones count.

        Parameters
        ----------
        scribbles : array-like of shape (height, width)
            Labels of pixels as in `fit`, in addition to the strokes given before.

        Returns
        -------
        self : object
        """
        if not hasattr(self, "_borders"):
            raise ValueError(
                "There is no image to refine: call fit with scribbles or with "
                "mode='regions' first."
            )
        strokes = check_scribbles(scribbles, self._cells.inverse.shape)
        if self._strokes is not None:
            strokes = np.where(strokes != 0, strokes, self._strokes)
        self._strokes = strokes
        return self._fit_strokes(strokes)

    def _check(self):
        """Check the parameters."""
        if isinstance(self.n_clusters, str) and self.n_clusters == "auto":
            if self.mode in ("direct", "recursive"):
                raise ValueError(
                    f"n_clusters='auto' is not possible with mode={self.mode!r}: give "
                    "a number, or use mode='regions'."
                )
        else:
            check_integer("n_clusters", self.n_clusters)
        check_integer("n_cells", self.n_cells)
        check_choice("mode", self.mode, MODES)
        self._names = check_features(self.features)

    def _check_cells(self, cells):
        """Raise an error if there are fewer colours or cells than segments."""
        self.cells_ = cells.inverse
        if self.n_clusters == "auto":
            return
        if np.ptp(cells.features, axis=0).max() == 0:
            raise ValueError(
                "The image has one colour: use an image with at least two to segment."
            )
        if len(cells.weights) < self.n_clusters:
            raise ValueError(
                f"The image has {len(cells.weights)} cells for "
                f"n_clusters={self.n_clusters}: use fewer clusters or more n_cells."
            )

    def _fit_clusters(self, cells):
        """Find clusters of the cells, wherever they are."""
        self._check_cells(cells)
        self.estimator_ = self._clusterer(cells)
        found = self.estimator_.fit(cells.features, sample_weight=cells.weights).labels_
        self._set_labels(cells, found, self.n_clusters)
        return self

    def _set_labels(self, cells, found, n_segments):
        """Set the attributes for the segments of the cells, numbered by size."""
        sizes = np.bincount(found, cells.weights, n_segments)
        self._numbers = np.empty(n_segments, dtype=np.int64)
        self._numbers[np.argsort(-sizes, kind="stable")] = np.arange(n_segments)
        self.classes_ = np.arange(n_segments)
        self.labels_ = self._numbers[found][cells.inverse]

    def _train(self, labels):
        """Return a classifier of the cells for other images, None for one segment."""
        if labels.min() == labels.max():
            return None
        weights = self._cells.weights
        return ReducedSVC(
            "leader-any-order",
            n_centers=min(N_CENTERS, len(labels)),
            random_state=self.random_state,
        ).fit(self._cells.features, labels, sample_weight=weights / weights.mean())

    def _clusterer(self, cells):
        """Return the clusterer of the cells, not yet fitted."""
        at_once = 2 if self.mode == "recursive" else self.n_clusters
        degrees = DEGREES_PER_CLUSTER * at_once
        gamma, rank = _choose_width(cells, degrees)
        clusterer = LeastSquaresMaxMarginClustering(
            at_once,
            kernel="rbf",
            gamma=gamma,
            degrees_of_freedom=min(degrees, 0.9 * rank),
            power=0.7,
            search="stochastic",  # shaking prefers equal sizes; segments differ in size
            init="k-means++",
            n_init=default_starts(len(cells.weights)),
            landmarks="auto",
            random_state=self.random_state,
        )
        if self.mode == "direct":
            return clusterer
        return RecursiveBisection(
            clusterer, self.n_clusters, random_state=self.random_state
        )

    def _fit_strokes(self, strokes):
        """Label the cells by the strokes.

        If there are more segments than labels, cells are merged until the regions
        without a stroke are as many as there are segments left, and each of these
        regions counts as a stroke.
        """
        cells = self._cells
        marked = strokes != 0
        labels, positions = np.unique(strokes[marked], return_inverse=True)
        given = labels_of_cells(strokes, labels, cells.inverse, len(cells.weights))
        n_segments = 1 if self.n_clusters == "auto" else self.n_clusters
        self.classes_ = name_classes(labels, max(n_segments, len(labels)))
        n_free = len(self.classes_) - len(labels)
        if n_free > 0:
            given = add_free_regions(cells, self._borders, given, len(labels), n_free)
        groups = feature_groups(self._names)
        found = label_cells(cells, self._borders, groups, given)
        self.estimator_ = self._train(found)
        self._numbers = np.arange(len(self.classes_))
        self.labels_ = found[cells.inverse]
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
        if self.mode != "regions" and self._strokes is None:
            cells = make_cells(image, self._names, self.n_cells)
            features = cells.features
        else:
            cells, _ = make_connected_cells(image, self._names, self.n_cells)
            features = 100.0 / color_span(self._names) * cells.features
        if self.estimator_ is None:
            return np.zeros(cells.inverse.shape, dtype=np.int64)
        return self._numbers[self.estimator_.predict(features)][cells.inverse]


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
