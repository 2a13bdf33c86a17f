"""`DriftDisplay`: snapshots in the plane side by side, with boundary and margin."""

import numpy as np
from sklearn.base import clone

from maxmargin.plots.boundary import BoundaryDisplay
from maxmargin.plots.projection import margins
from maxmargin.plots.style import get_axes


class DriftDisplay:
    """How clusters of two features follow the data, snapshot by snapshot.

    Parameters
    ----------
    panels : list of BoundaryDisplay
        The regions at each time, drawn on the same range.
    times : list
        The times.
    samples : list of (ndarray of shape (n_objects, 2), ndarray of shape (n_objects,))
        The objects and their clusters.

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
        """Cluster snapshots one after the other with a clone, and draw each.

        Parameters
        ----------
        estimator : object
            With ``partial_fit`` and ``decision_function``.
        snapshots : list of TimedSamples
            With ``time``, ``ids`` and ``X`` of two columns.
        resolution : int, default=150
            Number of points of the grid in each direction.
        axes : sequence of matplotlib Axes, default=None
            One for each snapshot.

        Returns
        -------
        display : DriftDisplay
        """
        model = clone(estimator)
        everything = np.concatenate([np.asarray(one.X) for one in snapshots])
        if everything.shape[1] != 2:
            raise ValueError(
                f"Snapshots have {everything.shape[1]} features: regions are drawn for "
                "two. Use TimelineDisplay for more."
            )
        low, high = everything.min(axis=0), everything.max(axis=0)
        grid = [np.linspace(low[j], high[j], resolution) for j in range(2)]
        xx, yy = np.meshgrid(*grid)
        points = np.column_stack([xx.ravel(), yy.ravel()])
        panels, samples = [], []
        for one in snapshots:
            model.partial_fit(one.X, ids=one.ids, time=one.time)
            values = model.decision_function(points)
            own = margins(model.decision_function(one.X))
            panels.append(
                BoundaryDisplay(
                    xx,
                    yy,
                    values.argmax(axis=1).reshape(xx.shape),
                    margins(values).reshape(xx.shape),
                    scale=float(np.median(own)) or 1.0,
                )
            )
            samples.append((np.asarray(one.X), model.labels_))
        return cls(panels, [one.time for one in snapshots], samples).plot(axes=axes)

    def plot(self, *, axes=None):
        """Draw the panels.

        Parameters
        ----------
        axes : sequence of matplotlib Axes, default=None
            One for each snapshot.

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


def _new_axes(number: int) -> np.ndarray:
    """Return axes in rows of at most four."""
    first = get_axes(None)
    figure = first.figure
    first.remove()
    columns = min(number, 4)
    rows = -(-number // columns)
    figure.set_size_inches(3.2 * columns, 3.0 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for ax in grid.ravel()[number:]:
        ax.remove()
    return grid.ravel()[:number]
