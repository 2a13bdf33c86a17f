"""`DaskMaxMarginClustering`, for data on several machines."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from maxmargin.clustering.base import check_n_samples, unchanged_on_failure
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.distributed.block_functions import apply_model
from maxmargin.distributed.dask_blocks import (
    DaskSource,
    check_dask_weights,
    check_rows,
    is_dask,
    without_rows,
)
from maxmargin.engine.options import Options, needs_all_rows
from maxmargin.engine.quality import score_labels
from maxmargin.rows.threads import single_threaded_libraries

SCORED_ROWS = 10_000


class DaskMaxMarginClustering(MaxMarginClustering):
    """Maximum margin clustering of Dask arrays and data frames.

    The parameters and attributes are those of
    :class:`~maxmargin.MaxMarginClustering`, and so are the labels, for the same seed,
    up to rounding. A random part of the rows is sent to the client, which clusters it.
    The passes of the classifier run where the rows are: landmarks and one function per
    cluster are sent out, and sums over blocks, arrays of (landmarks x landmarks) and
    (landmarks x clusters), are returned. The current scheduler of Dask is used:
    threads, a ``LocalCluster``, or any ``distributed`` client.

    Samples are Dask arrays whose chunks are whole rows, or Dask data frames; weights
    are Dask arrays in the chunks of the samples. ``labels_``, ``predict`` and
    ``decision_function`` of them are lazy Dask arrays. ``score`` is that of 10,000
    random rows, which are sent to the client, and ``representatives`` takes rows in
    memory alone. Limits of cluster sizes and precomputed kernels are not supported:
    they need all samples in one place.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from maxmargin.distributed import DaskMaxMarginClustering
    >>> corners = np.repeat([[0.0, 0.0], [9.0, 9.0]], 100, axis=0)
    >>> X = corners + np.random.RandomState(0).randn(200, 2)
    >>> model = DaskMaxMarginClustering(2, random_state=0)
    >>> labels = model.fit_predict(da.from_array(X, chunks=(50, 2)))
    >>> sorted(np.bincount(labels.compute()).tolist())
    [100, 100]
    """

    @unchanged_on_failure
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
            Chunks must be whole rows.
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : dask array of shape (n_samples,), default=None
            Weight of each sample, in the chunks of X.

        Returns
        -------
        self : object
        """
        if not is_dask(X):
            return super().fit(X, y, sample_weight)
        self._sources = None
        self._reservoir = None
        options = Options.of(self)
        self._check_supported()
        rows = check_rows(X)
        weights = check_dask_weights(sample_weight, rows)
        check_n_samples(rows.shape[0], self.n_clusters)
        self._fit(DaskSource(rows, weights), options)
        validate_data(self, without_rows(X), reset=True, skip_check_array=True)
        self.labels_ = self._label_rows(rows)
        return self

    def _check_supported(self):
        """Raise an error for parameters that need all samples in one place."""
        if needs_all_rows(self):
            raise ValueError(
                "A precomputed kernel, limits of cluster sizes, given starting labels "
                "and probability=True need all samples in one place: use "
                "MaxMarginClustering on one machine, or the defaults of balance, init "
                "and probability."
            )

    def predict(self, X: Any) -> np.ndarray:  # noqa: D102
        if not is_dask(X):
            return super().predict(X)
        return self._label_rows(self._check_rows(X))

    def _check_rows(self, X):
        """Return a Dask array with the columns of the fit."""
        self._ensure_fitted()
        rows = check_rows(X)
        validate_data(self, without_rows(X), reset=False, skip_check_array=True)
        return rows

    def _label_rows(self, rows):
        no_labels = np.empty(0, dtype=np.int64)
        return rows.map_blocks(
            apply_model, self._model, "label", drop_axis=1, meta=no_labels
        )

    def decision_function(self, X: Any) -> np.ndarray:  # noqa: D102
        if not is_dask(X):
            return super().decision_function(X)
        rows = self._check_rows(X)
        return rows.map_blocks(
            apply_model,
            self._model,
            "decide",
            chunks=(rows.chunks[0], (self.n_clusters_,)),
            meta=np.empty((0, 0)),
        )

    def score(  # noqa: D102
        self, X: Any, y: Any = None, sample_weight: Any = None
    ) -> float:
        if not is_dask(X):
            return super().score(X, y, sample_weight)
        rows = self._check_rows(X)
        source = DaskSource(rows, check_dask_weights(sample_weight, rows))
        random = check_random_state(self.random_state)
        drawn = source.fetch(SCORED_ROWS, random)
        with single_threaded_libraries():
            rows, labels = self._preparation(drawn.X), self._model.label(drawn.X)
            return score_labels(rows, labels, drawn.weights, random)

    def representatives(  # noqa: D102
        self, X: Any, sample_weight: Any = None
    ) -> np.ndarray:
        if is_dask(X):
            raise TypeError(
                "representatives compares all rows of a cluster, and those of Dask are "
                "in several places: give rows in memory, such as X[:10000].compute()."
            )
        return super().representatives(X, sample_weight)
