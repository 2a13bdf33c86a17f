"""`DriftDisplay`: the regions of clusters at several times, side by side."""

import numpy as np
from sklearn.base import clone

from maxmargin.plots.boundary import BoundaryDisplay
from maxmargin.plots.style import get_axes


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
    >>> clusters = EvolvingMaxMarginClustering(2, loss="hinge", random_state=0)
    >>> display = DriftDisplay.from_estimator(clusters, steps, resolution=30)
    >>> len(display.axes_)
    3
    """

    def __init__(self, panels, times, samples):
        self.panels = panels
        self.times = times
        self.samples = samples

    @classmethod
    def from_estimator(cls, estimator, snapshots, *, resolution=150, axes=None):
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
        low, high = everything.min(axis=0), everything.max(axis=0)
        grid = [np.linspace(low[j], high[j], resolution) for j in range(2)]
        xx, yy = np.meshgrid(*grid)
        panels, samples = [], []
        for one in snapshots:
            model.partial_fit(one.X, ids=one.ids, time=one.time)
            panels.append(BoundaryDisplay.from_grid(model, one.X, xx, yy))
            samples.append((np.asarray(one.X), model.labels_))
        return cls(panels, [one.time for one in snapshots], samples).plot(axes=axes)

    def plot(self, *, axes=None):
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
            axes = _new_axes(len(self.panels))
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


def _new_axes(n_axes: int) -> np.ndarray:
    """Return new axes in rows of at most four."""
    first = get_axes(None)
    figure = first.figure
    first.remove()
    n_columns = min(n_axes, 4)
    n_rows = -(-n_axes // n_columns)
    figure.set_size_inches(3.2 * n_columns, 3.0 * n_rows)
    grid = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
    for ax in grid.ravel()[n_axes:]:
        ax.remove()
    return grid.ravel()[:n_axes]
