"""Regions of clusters of two features: `BoundaryDisplay` and `DriftDisplay`."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from maxmargin.plots.style import (
    add_legend,
    add_panels,
    cluster_color,
    get_axes,
    margins,
    new_figure,
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

    def __init__(
        self, xx: Any, yy: Any, regions: Any, gaps: Any, *, scale: Any = 1.0
    ) -> None:
        self.xx = xx
        self.yy = yy
        self.regions = regions
        self.gaps = gaps
        self.scale = scale

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        resolution: Any = 200,
        border: Any = 0.1,
        ax: Any = None,
    ) -> Self:
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
        grid = _make_grid(low - space, high + space, resolution)
        display: Any = _find_regions(estimator, X, grid)
        labels = _decisions(estimator, X).argmax(axis=1)
        return display.plot(X, labels, ax=ax)

    def plot(self, X: Any = None, labels: Any = None, *, ax: Any = None) -> Self:
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


class DriftDisplay:
    """Clusters of two features over time, one panel for each snapshot.

    Parameters
    ----------
    panels : list of BoundaryDisplay
        The regions at each time, on the same grid.
    times : list
        The times of the snapshots.
    samples : list of (ndarray of shape (n_objects, 2), ndarray of shape (n_objects,))
        The objects and their labels.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from maxmargin import EvolvingMaxMarginClustering
    >>> from maxmargin.datasets import make_evolving_gaussians
    >>> from maxmargin.plots import DriftDisplay
    >>> steps = make_evolving_gaussians(60, 2, random_state=0)
    >>> clusters = EvolvingMaxMarginClustering(2, random_state=0)
    >>> display = DriftDisplay.from_estimator(clusters, steps, resolution=30)
    >>> len(display.axes_)
    3
    """

    def __init__(self, panels: Any, times: Any, samples: Any) -> None:
        self.panels = panels
        self.times = times
        self.samples = samples

    @classmethod
    def from_estimator(
        cls, estimator: Any, snapshots: Any, *, resolution: Any = 150, axes: Any = None
    ) -> Self:
        """Fit a clone of an estimator to snapshots, one by one, and plot each of them.

        Parameters
        ----------
        estimator : object
            A clusterer with ``partial_fit`` and ``decision_function``.
        snapshots : list of TimedSamples
            Records with ``time``, ``ids`` and ``X`` with two features.
        resolution : int, default=150
            Number of points of the grid in each direction.
        axes : sequence of matplotlib Axes, default=None
            One for each snapshot; new axes by default.

        Returns
        -------
        display : DriftDisplay
        """
        model = clone(estimator)
        everything = np.concatenate([np.asarray(one.X) for one in snapshots])
        if everything.shape[1] != 2:
            raise ValueError(
                f"Snapshots have {everything.shape[1]} features: regions can be "
                "plotted for two features. Use TimelineDisplay for more."
            )
        grid = _make_grid(everything.min(axis=0), everything.max(axis=0), resolution)
        panels, samples = [], []
        for one in snapshots:
            model.partial_fit(one.X, ids=one.ids, time=one.time)
            panels.append(_find_regions(model, one.X, grid))
            samples.append((np.asarray(one.X), model.labels_))
        return cls(panels, [one.time for one in snapshots], samples).plot(axes=axes)

    def plot(self, *, axes: Any = None) -> Self:
        """Plot the panels.

        Parameters
        ----------
        axes : sequence of matplotlib Axes, default=None
            One for each snapshot; new axes by default.

        Returns
        -------
        display : DriftDisplay
        """
        if axes is None:
            n = len(self.panels)
            axes = add_panels(new_figure(), n, 4, (3.2, 3.0), sharex=True, sharey=True)
            axes = axes.ravel()[:n]
        axes = np.ravel(axes)
        for ax, panel, time, (X, labels) in zip(
            axes, self.panels, self.times, self.samples, strict=True
        ):
            panel.plot(X, labels, ax=ax)
            if ax.get_legend() is not None:
                ax.get_legend().remove()
            ax.set_title(str(time))
        self.axes_, self.figure_ = axes, axes[0].figure
        return self


def _make_grid(
    low: np.ndarray, high: np.ndarray, resolution: int
) -> Sequence[np.ndarray]:
    """Return the coordinates of the points of a grid between two corners."""
    return np.meshgrid(*np.linspace(low, high, resolution).T)


def _find_regions(
    estimator: Any, X: np.ndarray, grid: Sequence[np.ndarray]
) -> BoundaryDisplay:
    """Compute regions on a grid, with the median margin of ``X`` as their scale."""
    xx, yy = grid
    decisions = _decisions(estimator, np.column_stack([xx.ravel(), yy.ravel()]))
    return BoundaryDisplay(
        xx,
        yy,
        decisions.argmax(axis=1).reshape(xx.shape),
        margins(decisions).reshape(xx.shape),
        scale=float(np.median(margins(_decisions(estimator, X)))) or 1.0,
    )


def _decisions(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return decision values with a column for each cluster."""
    values = estimator.decision_function(X)
    return np.column_stack([-values, values]) if values.ndim == 1 else values
