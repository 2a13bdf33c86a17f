"""`BoundaryDisplay`: the regions of clusters of two features, and the margin."""

from typing import Any

import numpy as np

from maxmargin.plots.style import (
    add_legend,
    cluster_color,
    get_axes,
    margins,
    scatter_clusters,
)


class BoundaryDisplay:
    """Regions of clusters for two features, with their boundaries and the margin.

    A region has the colour of its cluster. The colour is white at the boundary, where
    the two largest decision values are equal, and saturated from the median margin of
    the samples on. Dashed lines are drawn at half of the median margin.

    Parameters
    ----------
    xx, yy : ndarray of shape (n, n)
        Coordinates of the points of a grid.
    regions : ndarray of shape (n, n)
        Cluster of each point.
    gaps : ndarray of shape (n, n)
        Difference of the two largest decision values at each point.
    scale : float
        The difference from which on colours are saturated.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import MaxMarginClustering
    >>> from maxmargin.plots import BoundaryDisplay
    >>> X, _ = make_moons(200, noise=0.05, random_state=0)
    >>> clusters = MaxMarginClustering(2, random_state=0).fit(X)
    >>> display = BoundaryDisplay.from_estimator(clusters, X, resolution=50)
    """

    def __init__(self, xx, yy, regions, gaps, *, scale=1.0):
        self.xx = xx
        self.yy = yy
        self.regions = regions
        self.gaps = gaps
        self.scale = scale

    @classmethod
    def from_estimator(cls, estimator, X, *, resolution=200, border=0.1, ax=None):
        """Plot the regions of a clusterer fitted to two features, and the samples.

        Parameters
        ----------
        estimator : object
            A fitted clusterer with ``decision_function``.
        X : array-like of shape (n_samples, 2)
        resolution : int, default=200
            Number of points of the grid in each direction.
        border : float, default=0.1
            Space around the samples, relative to their range.
        ax : matplotlib Axes, default=None
            New axes by default.

        Returns
        -------
        display : BoundaryDisplay
        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != 2:
            raise ValueError(
                f"X has shape {X.shape}: regions can be plotted for two features. Use "
                "ClusterMapDisplay for more."
            )
        low, high = X.min(axis=0), X.max(axis=0)
        space = np.where(high > low, high - low, 1.0) * border
        xs, ys = (
            np.linspace(low[j] - space[j], high[j] + space[j], resolution)
            for j in range(2)
        )
        xx, yy = np.meshgrid(xs, ys)
        display = cls.from_grid(estimator, X, xx, yy)
        labels = _decisions(estimator, X).argmax(axis=1)
        return display.plot(X, labels, ax=ax)

    @classmethod
    def from_grid(cls, estimator, X, xx, yy):
        """Compute the regions on a grid without plotting them.

        Parameters
        ----------
        estimator : object
            A fitted clusterer with ``decision_function``.
        X : array-like of shape (n_samples, 2)
            Samples whose median margin is the scale of the colours.
        xx, yy : ndarray of shape (n, n)
            Coordinates of the points of the grid.

        Returns
        -------
        display : BoundaryDisplay
        """
        decisions = _decisions(estimator, np.column_stack([xx.ravel(), yy.ravel()]))
        return cls(
            xx,
            yy,
            decisions.argmax(axis=1).reshape(xx.shape),
            margins(decisions).reshape(xx.shape),
            scale=float(np.median(margins(_decisions(estimator, X)))) or 1.0,
        )

    def plot(self, X=None, labels=None, *, ax=None):
        """Plot the regions and, if given, samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, 2), default=None
        labels : array-like of shape (n_samples,), default=None
        ax : matplotlib Axes, default=None
            New axes by default.

        Returns
        -------
        display : BoundaryDisplay
        """
        from matplotlib.colors import to_rgb

        ax = get_axes(ax)
        n_clusters = int(self.regions.max()) + 1
        colors = np.array([to_rgb(cluster_color(h)) for h in range(n_clusters)])
        strength = 0.45 * np.clip(self.gaps / self.scale, 0.0, 1.0)[..., None]
        image = 1.0 - strength * (1.0 - colors[self.regions])
        extent = (self.xx.min(), self.xx.max(), self.yy.min(), self.yy.max())
        ax.imshow(image, origin="lower", extent=extent, aspect="auto")
        for h in range(n_clusters):
            inside = np.where(self.regions == h, self.gaps, -self.gaps) / self.scale
            if (inside > 0).any() and (inside < 0).any():
                ax.contour(self.xx, self.yy, inside, [0.0], colors="#303030")
            if (inside > 0.5).any() and (inside < 0.5).any():
                ax.contour(
                    self.xx, self.yy, inside, [0.5], colors="#707070",
                    linestyles="dashed", linewidths=0.8,
                )  # fmt: skip
        if X is not None:
            X, labels = np.asarray(X), np.asarray(labels)
            scatter_clusters(ax, X, labels, size=14)
            add_legend(ax, labels)
        ax.set(xlabel="feature 1", ylabel="feature 2")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _decisions(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return decision values with a column for each cluster."""
    values = estimator.decision_function(X)
    return np.column_stack([-values, values]) if values.ndim == 1 else values
