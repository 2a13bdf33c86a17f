"""`SplitTreeDisplay`: the splits of a recursive bisection."""

from collections.abc import Iterator
from itertools import count
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from maxmargin.plots.style import Display
from maxmargin.published.split_tree import SplitNode


class SplitTreeDisplay(Display):
    """The tree of splits, with the sizes and margins of its nodes.

    Parameters
    ----------
    tree : SplitNode
        The root of the tree.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.published import RecursiveBisection
    >>> from maxmargin.plots import SplitTreeDisplay
    >>> X, _ = load_iris(return_X_y=True)
    >>> bisection = RecursiveBisection(n_clusters=3, random_state=0).fit(X)
    >>> display = SplitTreeDisplay.from_estimator(bisection)
    """

    def __init__(self, tree: Any) -> None:
        self.tree = tree

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Plot the tree of a fitted bisection.

        Parameters
        ----------
        estimator : RecursiveBisection
            A fitted estimator.
        ax : matplotlib Axes, default=None
            New axes by default.

        Returns
        -------
        display : SplitTreeDisplay
        """
        check_is_fitted(estimator)
        return cls(estimator.tree_).plot(ax=ax)

    def _draw(self, ax):
        _plot_node(self.tree, ax, count(), 0)
        ax.set_axis_off()
        ax.margins(0.15)


def _plot_node(node: SplitNode, ax: Any, leaves: Iterator[int], depth: int) -> float:
    """Draw a node above the middle of its children; return its horizontal position."""
    if node.children is None:
        x = float(next(leaves))
    else:
        below = [_plot_node(child, ax, leaves, depth + 1) for child in node.children]
        x = sum(below) / 2
        for end in below:
            ax.plot([x, end], [-depth, -depth - 1], color="0.6", zorder=1)
    text = node.describe().replace(": ", "\n").replace(", ", "\n")
    box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "0.6"}
    ax.text(x, -depth, text, ha="center", va="center", fontsize="small", bbox=box)
    ax.plot(x, -depth, alpha=0)  # includes the text in the limits of the axes
    return x
