"""`ClusterMapDisplay`: samples in the plane, coloured by cluster."""

from typing import Any

import numpy as np

from maxmargin.plots.projection import margins, opacity_of, principal_plane
from maxmargin.plots.style import add_legend, get_axes, scatter_clusters


class ClusterMapDisplay:
    """A map of samples: where clusters lie, and which samples are at their border.

    Samples are drawn in the plane of largest variance. The colour is that of the
    cluster; the nearer a sample is to the boundary, the fainter it is.

    Parameters
    ----------
    positions : ndarray of shape (n_samples, 2)
    labels : ndarray of shape (n_samples,)
        Clusters from 0 on; -1 is none.
    margins : ndarray of shape (n_samples,), default=None
        How far each sample is inside its cluster.
    axis_names : tuple of two str, default=None

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import MaxMarginClustering
    >>> from maxmargin.plots import ClusterMapDisplay
    >>> X, _ = load_iris(return_X_y=True)
    >>> clusters = MaxMarginClustering(3, random_state=0).fit(X)
    >>> display = ClusterMapDisplay.from_estimator(clusters, X)
    """

    def __init__(self, positions, labels, *, margins=None, axis_names=None):
        self.positions = positions
        self.labels = labels
        self.margins = margins
        self.axis_names = axis_names

    @classmethod
    def from_estimator(cls, estimator, X, *, ax=None, **options: Any):
        """Draw samples with the clusters and margins of a fitted clusterer.

        Parameters
        ----------
        estimator : object
            With ``predict``, or else ``labels_`` of these samples; a
            ``decision_function`` gives the margins.
        X : array-like of shape (n_samples, n_features)
        ax : matplotlib Axes, default=None
        **options
            For ``plot``.

        Returns
        -------
        display : ClusterMapDisplay
        """
        if hasattr(estimator, "predict"):
            labels = estimator.predict(X)
        else:
            labels = estimator.labels_
        gaps = None
        if hasattr(estimator, "decision_function"):
            gaps = margins(estimator.decision_function(X))
        return cls.from_predictions(X, labels, margins=gaps, ax=ax, **options)

    @classmethod
    def from_predictions(cls, X, labels, *, margins=None, ax=None, **options: Any):
        """Draw samples with given clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        labels : array-like of shape (n_samples,)
        margins : array-like of shape (n_samples,), default=None
        ax : matplotlib Axes, default=None
        **options
            For ``plot``.

        Returns
        -------
        display : ClusterMapDisplay
        """
        X = np.asarray(X, dtype=np.float64)
        positions, shares = principal_plane(X)
        names = tuple(
            f"component {j + 1} ({share:.0%} of variance)"
            for j, share in enumerate(shares)
        )
        if X.shape[1] == 2:
            positions, names = X, ("feature 1", "feature 2")
        display = cls(positions, np.asarray(labels), margins=margins, axis_names=names)
        return display.plot(ax=ax, **options)

    def plot(self, *, ax=None, size=18, legend=True):
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New axes by default.
        size : float, default=18
            Size of a sample's mark.
        legend : bool, default=True

        Returns
        -------
        display : ClusterMapDisplay
        """
        ax = get_axes(ax)
        opacity = None if self.margins is None else opacity_of(self.margins)
        scatter_clusters(ax, self.positions, self.labels, opacity, size)
        if self.axis_names is not None:
            ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        if legend:
            add_legend(ax, self.labels)
        self.ax_, self.figure_ = ax, ax.figure
        return self
