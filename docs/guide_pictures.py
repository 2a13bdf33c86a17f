"""Draw the pictures of the guide's page "How it decides".

``python docs/guide_pictures.py`` writes them to ``docs/images``. The steps of a fit are
called one by one here, so that their results can be drawn; a fit calls the same ones.
"""

from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.datasets import load_wine, make_blobs, make_circles, make_moons

from maxmargin import MaxMarginClustering
from maxmargin.engine.candidates import (
    make_candidates,
    radial_candidate,
    search_candidate,
)
from maxmargin.engine.choice import choose
from maxmargin.engine.options import Options
from maxmargin.plots.style import COLORS
from maxmargin.rows.sample import draw_sample, indicators
from maxmargin.selection import select_n_clusters
from maxmargin.smoothers.smoother import leave_one_out_error

IMAGES = Path(__file__).parent / "images"
NAMES = ("soft", "fine", "gaps", "radial kernel")
KEPT = COLORS[2]


class Fit:
    """The candidates of a fit, their labels, and the one that is kept."""

    def __init__(self, X, k):
        weights = np.ones(len(X))
        options, random = Options.of(MaxMarginClustering(k)), np.random.RandomState(0)
        sample = draw_sample(X, weights, merge=True, limit=len(X), random=random)
        candidates = make_candidates(X, sample, options, random)
        search = partial(
            search_candidate, options=options, weights=weights, random=random
        )
        kept, _ = choose(X, sample, options, candidates, search)
        judge = radial_candidate(X, sample, options)
        self.X, self.graph = X[sample.indices], candidates[-1].graph.graph.tocoo()
        self.labels = [search(one).labels for one in (*candidates, judge)]
        same = [kept is one for one in candidates]
        self.kept = same.index(True) if any(same) else len(candidates)
        shares = candidates[-1].graph.leaving_shares
        self.cuts = [shares(labels, k).mean() for labels in self.labels]
        targets = [indicators(labels[judge.positions], k) for labels in self.labels]
        self.errors = [leave_one_out_error(judge.smoother, one) for one in targets]


def scatter(ax, X, labels, size=10):
    """Draw rows in the colours of their clusters, the leftmost cluster first."""
    order = np.argsort([X[labels == h, 0].mean() for h in range(labels.max() + 1)])
    colors = np.array(COLORS)[np.argsort(order)]
    ax.scatter(*X.T[:2], c=colors[labels], s=size, lw=0, zorder=2)
    plain(ax)


def plain(ax):
    """Remove the ticks of a map, whose units do not matter."""
    ax.set(xticks=[], yticks=[], aspect="equal")
    for side in ax.spines.values():
        side.set_color("#c0c0c0")


def mark(ax, title, kept):
    """Write a title, in red for what is kept."""
    color, weight = (KEPT, "bold") if kept else ("black", "normal")
    ax.set_title(title, fontsize=9, color=color, fontweight=weight)


def draw_scales():
    """Draw the share of each column of a table in squared distances."""
    table = load_wine()
    variances = table.data.var(axis=0)
    model = MaxMarginClustering(3, random_state=0).fit(table.data)
    divided = (table.data / model.scale_).var(axis=0)
    names = [name.replace("_", " ") for name in table.feature_names]
    names[names.index("od280/od315 of diluted wines")] = "od280/od315"
    figure, axes = plt.subplots(
        1, 2, figsize=(7, 3.2), sharey=True, layout="constrained"
    )
    for ax, part, title in zip(
        axes, (variances, divided), ("as given", "divided by `scale_`"), strict=True
    ):
        ax.barh(names, 100 * part / part.sum(), color=COLORS[0])
        ax.set(xlabel="share of squared distances, %", xlim=(0, 105))
        ax.set_title(title, fontsize=10)
        ax.tick_params(labelsize=8)
    axes[0].invert_yaxis()
    return figure


def draw_graph(fit):
    """Draw the graph of neighbours, and the edges that two labellings cut."""
    rows, columns = fit.graph.row, fit.graph.col
    lines = fit.X[np.column_stack([rows, columns])]
    widths = 1.5 * fit.graph.data / fit.graph.data.max()
    halves = (fit.X[:, 0] > np.median(fit.X[:, 0])).astype(int)
    panels = (
        ("the graph of neighbours", None),
        ("cut in the middle", halves),
        ("cut along the gap", fit.labels[fit.kept]),
    )
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.4), layout="constrained")
    for ax, (title, labels) in zip(axes, panels, strict=True):
        ax.add_collection(LineCollection(lines, linewidths=widths, colors="#9a9a9a"))
        if labels is None:
            scatter(ax, fit.X, np.zeros(len(fit.X), dtype=int), 6)
        else:
            cut = labels[rows] != labels[columns]
            share = fit.graph.data[cut].sum() / fit.graph.data.sum()
            ax.add_collection(LineCollection(lines[cut], linewidths=1.2, colors=KEPT))
            scatter(ax, fit.X, labels, 6)
            title += f": {100 * share:.1f} % of the edges"
        ax.set_title(title, fontsize=9)
    return figure


def draw_candidates(fit):
    """Draw the four labellings that a default fit compares."""
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.8), layout="constrained")
    for number, ax in enumerate(axes):
        scatter(ax, fit.X, fit.labels[number])
        kept = number == fit.kept
        text = f"{NAMES[number]}: {100 * fit.cuts[number]:.2f} % of the edges"
        mark(ax, text + (", kept" if kept else ""), kept)
    return figure


def draw_kernel(fit):
    """Draw the labels of the graph and of the kernel by distance from the centre."""
    figure, axes = plt.subplots(
        1, 2, figsize=(8, 2.6), sharey=True, layout="constrained"
    )
    distances = np.linalg.norm(fit.X, axis=1)
    bins = np.linspace(0, distances.max(), 25)
    for ax, number in zip(axes, (0, 3), strict=True):
        labels = fit.labels[number]
        parts = sorted((distances[labels == h] for h in (0, 1)), key=np.mean)
        ax.hist(parts, bins, stacked=True, color=COLORS[:2])
        ax.set(xlabel="distance from the centre")
        kept = number == fit.kept
        name = "graph" if number == 0 else NAMES[number]
        text = f"{name}: leave-one-out error {fit.errors[number]:.2f}"
        mark(ax, text + (", kept" if kept else ""), kept)
    axes[0].set(ylabel="rows")
    return figure


def draw_number(X):
    """Draw rows, and the score of each number of clusters."""
    table = select_n_clusters(X, range(1, 9))
    columns = table.to_dict()
    figure, (left, middle, right) = plt.subplots(
        1, 3, figsize=(10, 2.8), layout="constrained"
    )
    scatter(left, X, MaxMarginClustering("auto", random_state=0).fit_predict(X))
    left.set_title(f"{table.best} clusters found", fontsize=10)
    more = columns["n_clusters"] > 1
    numbers = columns["n_clusters"][more]
    middle.plot(numbers, columns["boundary"][more], "o-", c=KEPT, label="boundary")
    middle.plot(numbers, columns["inner"][more], "s-", c=COLORS[0], label="inner")
    middle.set(xlabel="number of clusters", ylabel="share of edges")
    middle.legend(frameon=False)
    best = columns["n_clusters"] == table.best
    colors = np.where(best, KEPT, "#b0b0b0")
    right.bar(columns["n_clusters"], columns["score"], color=colors)
    right.set(xlabel="number of clusters", ylabel="score")
    return figure


def main():
    """Draw all pictures."""
    moons = Fit(make_moons(200, noise=0.12, random_state=0)[0], 2)
    rings, _ = make_circles(200, noise=0.06, factor=0.6, random_state=1)
    dense = make_blobs(
        400, centers=np.zeros((2, 8)), cluster_std=[1, 2.5], random_state=1
    )
    blobs, _ = make_blobs(300, centers=4, cluster_std=1.0, random_state=8)
    pictures = {
        "how_scales": draw_scales(),
        "how_graph": draw_graph(moons),
        "how_candidates": draw_candidates(Fit(rings, 2)),
        "how_kernel": draw_kernel(Fit(dense[0], 2)),
        "how_number": draw_number(blobs),
    }
    for name, figure in pictures.items():
        figure.savefig(IMAGES / f"{name}.png", dpi=90, bbox_inches="tight")


if __name__ == "__main__":
    main()
