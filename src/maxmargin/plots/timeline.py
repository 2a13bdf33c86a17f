"""`TimelineDisplay`: the sizes of clusters over time, and the moves between them."""

from itertools import pairwise
from typing import Any, Self

import numpy as np

from maxmargin.evolving.snapshots import SnapshotRecord, match_objects
from maxmargin.metrics.matching import contingency_table
from maxmargin.plots.style import cluster_color, get_axes


class TimelineDisplay:
    """Clusters of evolving data as columns, with the moves between them.

    Each snapshot is a column of boxes, one for each cluster. The height of a box is the
    number of its objects. Bands connect the clusters of consecutive snapshots; their
    height is the number of objects that are in both clusters. The rest of a box are
    objects that are new or leave.

    Parameters
    ----------
    times : list
        The times of the snapshots.
    sizes : ndarray of shape (n_snapshots, n_clusters)
        Number of objects in each cluster.
    flows : ndarray of shape (n_snapshots - 1, n_clusters, n_clusters)
        Number of objects that move from one cluster (row) to another (column).
    events : list of tuple (snapshot, cluster, kind), default=()
        Events to write beside the clusters, with the number of the snapshot.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from maxmargin.published import EvolvingKMeans
    >>> from maxmargin.datasets import make_evolving_gaussians
    >>> from maxmargin.plots import TimelineDisplay
    >>> clusters = EvolvingKMeans(2, random_state=0)
    >>> for step in make_evolving_gaussians(100, 2, random_state=0):
    ...     clusters = clusters.partial_fit(step.X, ids=step.ids, time=step.time)
    >>> TimelineDisplay.from_history(clusters.history_).sizes.sum(axis=1)
    array([100, 100, 100])
    """

    def __init__(self, times: Any, sizes: Any, flows: Any, events: Any = ()) -> None:
        self.times = times
        self.sizes = sizes
        self.flows = flows
        self.events = events

    @classmethod
    def from_history(cls, history: Any, *, ax: Any = None) -> Self:
        """Plot the history of an evolving clusterer.

        Parameters
        ----------
        history : list of SnapshotRecord
            The attribute ``history_`` of the clusterer.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : TimelineDisplay
        """
        k = 1 + max(int(record.labels.max()) for record in history)
        sizes = np.stack([np.bincount(one.labels, minlength=k) for one in history])
        flows = np.array(
            [count_moves(before, now, k) for before, now in pairwise(history)],
            dtype=np.int64,
        ).reshape(-1, k, k)
        events = [
            (t, event.cluster, event.kind)
            for t, record in enumerate(history)
            for event in record.events
        ]
        times = [record.time for record in history]
        return cls(times, sizes, flows, events).plot(ax=ax)

    def plot(self, *, ax: Any = None, width: Any = 0.12, gap: Any = 0.03) -> Self:
        """Plot the timeline.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New axes by default.
        width : float, default=0.12
            Width of a box, relative to the distance of two columns.
        gap : float, default=0.03
            Space between boxes, relative to the size of the largest snapshot.

        Returns
        -------
        display : TimelineDisplay
        """
        ax = get_axes(ax)
        space = gap * self.sizes.sum(axis=1).max()
        bottoms = np.cumsum(self.sizes + space, axis=1) - self.sizes - space
        for t in range(len(self.flows)):
            self._bands(ax, t, bottoms, width)
        for t, h in np.ndindex(*self.sizes.shape):
            ax.bar(
                t,
                self.sizes[t, h],
                width,
                bottom=bottoms[t, h],
                color=cluster_color(h),
                label=f"cluster {h}" if t == 0 else None,
            )
        for t, h, kind in self.events:
            height = bottoms[t, h] + self.sizes[t, h]
            ax.annotate(kind, (t, height), ha="center", va="bottom", fontsize="x-small")
        ax.set_xticks(range(len(self.times)), [str(time) for time in self.times])
        ax.set(xlabel="time", ylabel="objects", yticks=[])
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _bands(self, ax: Any, t: int, bottoms: np.ndarray, width: float) -> None:
        """Draw the moves from one snapshot to the next."""
        curve = np.linspace(0.0, 1.0, 30)
        x = t + width / 2 + curve * (1.0 - width)
        rise = curve**2 * (3.0 - 2.0 * curve)
        start, end = bottoms[t].copy(), bottoms[t + 1].copy()
        for h, g in np.ndindex(*self.flows[t].shape):
            size = self.flows[t, h, g]
            if size:
                low = start[h] + rise * (end[g] - start[h])
                ax.fill_between(
                    x, low, low + size, color=cluster_color(h), alpha=0.35, linewidth=0
                )
            start[h] += size
            end[g] += size


def count_moves(
    before: SnapshotRecord, now: SnapshotRecord, n_clusters: int
) -> np.ndarray:
    """Return the number of objects in each pair of old and new cluster (k x k)."""
    j, i = match_objects(now.ids, before.ids)
    return contingency_table(before.labels[i], now.labels[j], n_clusters, n_clusters)
