"""Maps of samples, coloured by cluster: `ClusterMapDisplay` and `plot_maps`."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from maxmargin.metrics.matching import match_labels
from maxmargin.plots.style import (
    add_legend,
    add_panels,
    get_axes,
    margins,
    opacity_of,
    principal_plane,
    scatter_clusters,
)


class ClusterMapDisplay:
    """Scatter plot of samples, coloured by cluster.

    Two features are plotted directly, of more features the first two principal
    components; columns are scaled if the estimator scales them. Samples close to the
    boundary of their cluster are faint.

    Parameters
    ----------
    positions : ndarray of shape (n_samples, 2)
    labels : ndarray of shape (n_samples,)
        Cluster labels; -1 for samples without a cluster.
    margins : ndarray of shape (n_samples,), default=None
        Differences of the two largest decision values.
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

    def __init__(
        self,
        positions: Any,
        labels: Any,
        *,
        margins: Any = None,
        axis_names: Any = None,
    ) -> None:
        self.positions = positions
        self.labels = labels
        self.margins = margins
        self.axis_names = axis_names

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, *, ax: Any = None, **options: Any
    ) -> Self:
        """Plot samples with the clusters and margins of a fitted clusterer.

        Parameters
        ----------
        estimator : object
            A clusterer with ``predict``, or fitted to these samples. The margins are
            those of its ``decision_function``, if it has one.
        X : array-like of shape (n_samples, n_features)
        ax : matplotlib Axes, default=None
            New axes by default.
        **options
            Passed to ``plot``.

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
        scale = getattr(estimator, "scale_", None)
        if scale is not None and len(scale) > 2:  # as the estimator compares samples
            X = np.asarray(X, dtype=np.float64) / scale
        return cls.from_predictions(X, labels, margins=gaps, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls, X: Any, labels: Any, *, margins: Any = None, ax: Any = None, **options: Any
    ) -> Self:
        """Plot samples with given clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        labels : array-like of shape (n_samples,)
        margins : array-like of shape (n_samples,), default=None
        ax : matplotlib Axes, default=None
            New axes by default.
        **options
            Passed to ``plot``.

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

    def plot(self, *, ax: Any = None, size: Any = 18, legend: Any = True) -> Self:
        """Plot the map.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New axes by default.
        size : float, default=18
            Size of the markers.
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


def plot_maps(X: np.ndarray, clusterings: Mapping[str, np.ndarray]) -> Any:
    """Plot a map for each clustering of the same samples; return the figure.

    Clusters have the colours of the clusters of the first clustering that they match.
    """
    from matplotlib.figure import Figure

    positions, shares = principal_plane(X)
    figure = Figure(layout="constrained")
    axes = add_panels(figure, len(clusterings), 3, (3.2, 2.9))
    first = next(iter(clusterings.values()))
    for ax, (name, labels) in zip(axes.flat, clusterings.items(), strict=False):
        scatter_clusters(ax, positions, relabel(labels, first), size=6)
        ax.set(xticks=[], yticks=[])
        sizes = np.bincount(labels[labels >= 0])
        ax.set_title(f"{name}: {(sizes > 0).sum()} clusters", fontsize=10)
    figure.supxlabel(
        f"first two principal components ({shares.sum():.0%} of the variance); "
        "crosses: no cluster",
        fontsize=9,
    )
    return figure


def relabel(labels: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return labels renamed to those of the reference clusters that they match best.

    Clusters without a match get new labels.
    """
    names = match_labels(labels, reference)
    return np.where(labels >= 0, names[np.maximum(labels, 0)], -1)
