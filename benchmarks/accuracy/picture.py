"""The picture of the accuracy page."""

import numpy as np

COLORS = (
    "#bd1f01", "#3f90da", "#ffa90e", "#832db6", "#94a4a2", "#a96b59", "#e76300",
    "#b9ac70", "#717581",
)  # fmt: skip
MARKS = "D o s ^ v P X < >".split()


def draw_scores(names, titles, scores, path):
    """Draw a row for each data set and a mark for each method; the first is large."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8.5, 9.5), layout="constrained")
    order = np.argsort(scores[:, 0])
    rows = np.arange(len(names))
    for j in reversed(range(len(titles))):
        axes.scatter(
            scores[order, j], rows, label=f"{titles[j]} ({scores[:, j].mean():.3f})",
            color=COLORS[j], marker=MARKS[j], s=70 if j == 0 else 28,
            zorder=3 if j == 0 else 2, alpha=1 if j == 0 else 0.75, linewidths=0,
        )  # fmt: skip
    axes.set_yticks(rows, [names[i] for i in order])
    axes.set_xlabel("adjusted Rand index (in brackets: mean over the data sets)")
    axes.grid(axis="x", alpha=0.3)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="lower right", frameon=True)
    axes.set_title("Clustering without labels, defaults of every method")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
