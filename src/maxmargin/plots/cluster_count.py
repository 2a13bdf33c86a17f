"""`ClusterCountDisplay`: the scores of numbers of clusters."""

from typing import Any, Self

from maxmargin.plots.style import COLORS, Display

PART_COLORS = {
    "pairs": COLORS[3],
    "separation": COLORS[1],
    "boundary": COLORS[4],
    "inner": COLORS[5],
}


class ClusterCountDisplay(Display):
    """The score and its parts for each number of clusters.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_counts,)
        ``n_clusters``, ``score``, ``pairs``, ``separation``, ``boundary`` and
        ``inner``.
    best : int
        The selected number of clusters.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.plots import ClusterCountDisplay
    >>> from maxmargin.selection import select_n_clusters
    >>> X, _ = load_iris(return_X_y=True)
    >>> table = select_n_clusters(X, [2, 3], random_state=0)
    >>> display = ClusterCountDisplay.from_table(table)
    """

    def __init__(self, columns: Any, best: Any) -> None:
        self.columns = columns
        self.best = best

    @classmethod
    def from_table(cls, table: Any, *, ax: Any = None) -> Self:
        """Plot the scores of a table.

        Parameters
        ----------
        table : ClusterCountTable
            The result of :func:`maxmargin.selection.select_n_clusters`.
        ax : matplotlib Axes, default=None
            New axes by default.

        Returns
        -------
        display : ClusterCountDisplay
        """
        return cls(table.to_dict(), table.best).plot(ax=ax)

    def _draw(self, ax):
        counts = self.columns["n_clusters"]
        for name, color in PART_COLORS.items():
            ax.plot(counts, self.columns[name], color=color, lw=1.2, label=name)
        ax.plot(counts, self.columns["score"], color=COLORS[0], lw=2.5, label="score")
        ax.axvline(self.best, color=COLORS[2], ls="--", label=f"best: {self.best}")
        ax.set(xlabel="number of clusters", ylabel="score, parts")
        ax.set_ylim(bottom=0)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.legend()
