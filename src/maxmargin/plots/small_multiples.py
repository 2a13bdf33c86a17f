"""Maps of the same samples under several clusterings."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from maxmargin.metrics.matching import match_labels
from maxmargin.plots.projection import principal_plane
from maxmargin.plots.style import scatter_clusters


def draw_maps(X: np.ndarray, clusterings: Mapping[str, np.ndarray]) -> Any:
    """Draw a map for each clustering; return the figure.

    Clusters are named as in the first clustering where they overlap most with its own,
    so that they have the same colour.
    """
    from matplotlib.figure import Figure

    positions, shares = principal_plane(X)
    n_columns = min(3, len(clusterings))
    n_rows = -(-len(clusterings) // n_columns)
    figure = Figure(figsize=(3.2 * n_columns, 2.9 * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    for ax in axes.flat:
        ax.set_axis_off()
    first: np.ndarray | None = None
    for ax, (name, labels) in zip(axes.flat, clusterings.items(), strict=False):
        first = labels if first is None else first
        scatter_clusters(ax, positions, name_alike(labels, first), size=6)
        ax.set(xticks=[], yticks=[])
        ax.set_axis_on()
        sizes = np.bincount(labels[labels >= 0])
        ax.set_title(f"{name}: {(sizes > 0).sum()} clusters", fontsize=10)
    figure.supxlabel(
        f"the plane of largest variance ({shares.sum():.0%} of all); "
        "crosses: no cluster",
        fontsize=9,
    )
    return figure


def name_alike(labels: np.ndarray, model: np.ndarray) -> np.ndarray:
    """Return labels with the names of the clusters of another labelling.

    Matched for the largest number of common samples; clusters left over get new names.
    """
    names = np.append(match_labels(labels, model), -1)  # a label of -1 takes the last
    return names[np.maximum(labels, -1)]
