"""Colours and marks that everybody can tell apart, and axes to draw in."""

from typing import Any

# M. A. Petroff. Accessible color sequences for data visualization. 2021,
# arXiv:2107.02270. Chosen for people who do not see all colours.
COLORS = (
    "#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6",
    "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd",
)  # fmt: skip
# Beyond ten clusters colours come again, with another mark.
MARKS = ("o", "^", "s", "D", "v", "P", "X", "<", ">", "*")
NOISE = "#606060"  # of samples that are in no cluster, drawn as small crosses


def cluster_color(h: int) -> str:
    """Return the colour of a cluster."""
    return NOISE if h < 0 else COLORS[h % len(COLORS)]


def cluster_mark(h: int) -> str:
    """Return the mark of a cluster: the same for the first ten."""
    return MARKS[h // len(COLORS) % len(MARKS)] if h >= 0 else "+"


def get_axes(ax: Any) -> Any:
    """Return axes to draw in, new ones if none are given."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "Pictures need matplotlib: pip install 'maxmargin[plot]'."
        ) from None

    return plt.subplots(layout="constrained")[1] if ax is None else ax


def scatter_clusters(
    ax: Any, positions: Any, labels: Any, opacity: Any = None, size: float = 18
) -> None:
    """Draw samples coloured by cluster, with opacity from 0 to 1 each."""
    import numpy as np

    for h in np.unique(labels):
        own = labels == h
        ax.scatter(
            positions[own, 0],
            positions[own, 1],
            s=size,
            color=cluster_color(h),
            marker=cluster_mark(h),
            alpha=None if opacity is None else opacity[own],
            linewidths=0 if h >= 0 else 0.5,
        )


def add_legend(ax: Any, labels: Any) -> None:
    """Add the legend of the clusters beside the axes, where it hides no sample."""
    import numpy as np
    from matplotlib.lines import Line2D

    clusters = np.unique(labels)
    handles = [
        Line2D(
            [], [], linestyle="", marker=cluster_mark(h), color=cluster_color(h),
            label=f"{h}" if h >= 0 else "none",
        )
        for h in clusters
    ]  # fmt: skip
    ax.legend(
        handles=handles,
        title="cluster",
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        ncols=1 + (len(clusters) - 1) // 15,
    )
