"""`DaskMaxMarginClustering`: data that one machine does not hold."""

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.clustering.fit import Fit, find_clusters, train
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.clustering.parameters import check_parameters
from maxmargin.distributed.dask_blocks import DaskSource
from maxmargin.distributed.input import check_rows, check_weights, is_dask
from maxmargin.kernels.counts import hellinger
from maxmargin.kernels.threads import single_threaded_libraries


class DaskMaxMarginClustering(MaxMarginClustering):
    """Maximum margin clustering of Dask arrays and data frames.

    The parameters and attributes are those of
    :class:`~maxmargin.MaxMarginClustering`, and so are the labels, for the same seed,
    up to rounding. A random part of the rows comes to the client, which searches there.
    The classifier that learns its labels is improved where the rows are: out go the
    landmarks and one function for each cluster, back come sums over blocks, arrays of
    (landmarks x landmarks) and (landmarks x clusters). It runs on whatever Dask runs on
    at the time: threads, a ``LocalCluster``, or any ``distributed`` client.

    ``labels_``, ``predict`` and ``decision_function`` of Dask input are Dask arrays
    that nothing has computed yet. Limits of cluster sizes and precomputed kernels are
    refused: they need all samples in one place.

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

    def fit(self, X, y=None, sample_weight=None):
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
        self._reservoir = None
        check_parameters(self)
        self._refuse_what_needs_all()
        X = check_rows(X)
        weights = check_weights(sample_weight, X)
        with single_threaded_libraries() as n_threads:
            random = check_random_state(self.random_state)
            self._fit_rows_of(X, weights, random, n_threads)
        self.labels_ = self.predict(X)
        return self

    def _refuse_what_needs_all(self):
        """Refuse parameters for which samples would have to be in one place."""
        if self.kernel == "precomputed" or self.landmarks is None:
            raise ValueError(
                "A precomputed kernel, or landmarks=None, is for data on one machine: "
                "use MaxMarginClustering, or another kernel and landmarks='auto'."
            )
        free = self.balance is None or (
            isinstance(self.balance, str) and self.balance == "free"
        )
        if not free or not isinstance(self.init, str) or self.probability:
            raise ValueError(
                "Limits of cluster sizes, given starting labels and probability=True "
                "need all samples in one place: use MaxMarginClustering, or the "
                "defaults of balance, init and probability."
            )

    def _fit_rows_of(self, X, weights, random, n_threads):
        """Search on rows that come to the client, train where the others are."""
        if self.n_clusters != "auto":
            self._check_count(X.shape[0])
        request = self._request(X, n_threads)
        plan, source = request.plan(*X.shape), DaskSource(X, weights)
        parts: list = []
        for _ in range(plan.n_parts):
            drawn = source.draw(plan.size, random).map(_keep)
            rows = np.concatenate([part for part, _ in drawn])
            rows = self._validate(rows, reset=not parts)
            part_weights = np.concatenate([weights for _, weights in drawn])
            found = find_clusters(
                rows, part_weights, request, random, plan.size, source.n_samples
            )
            parts.append((rows, found))
            request = request.with_count(found.n_clusters)
        if found.candidate.sample.complete:
            fit = Fit(found, found.model, None, found.run.converged)
        else:
            source = DaskSource(self._as_searched(X), weights)
            fit = train(parts, source, request, random)
        self._keep(fit)

    def predict(self, X):
        """Return the cluster of each sample.

        Parameters
        ----------
        X : dask array, dask dataframe, array-like or sparse matrix

        Returns
        -------
        labels : dask array, or ndarray if X is not of Dask, of shape (n_samples,)
        """
        if not is_dask(X):
            return super().predict(X)
        self._be_fitted()
        X = self._as_searched(check_rows(X, self.n_features_in_))
        return X.map_blocks(
            _label, self._model, drop_axis=1, dtype=np.int64, meta=_NO_LABELS
        )

    def decision_function(self, X):
        """Return how strongly each sample belongs to each cluster.

        Parameters
        ----------
        X : dask array, dask dataframe, array-like or sparse matrix

        Returns
        -------
        decisions : dask array or ndarray of shape (n_samples, n_clusters)
        """
        if not is_dask(X):
            return super().decision_function(X)
        self._be_fitted()
        X = self._as_searched(check_rows(X, self.n_features_in_))
        return X.map_blocks(
            _decide,
            self._model,
            chunks=(X.chunks[0], (self.n_clusters_,)),
            dtype=np.float64,
            meta=_NO_DECISIONS,
        )

    def _as_searched(self, X):
        """Return rows in the form in which the search takes them."""
        return X.map_blocks(hellinger) if self._counts else X


_NO_LABELS = np.empty(0, dtype=np.int64)
_NO_DECISIONS = np.empty((0, 0))


def _keep(rows, weights):
    """Bring drawn rows to the client."""
    return rows, weights


def _label(rows, model):
    with single_threaded_libraries():
        return model.label(rows)


def _decide(rows, model):
    with single_threaded_libraries():
        return model.decide(rows)
