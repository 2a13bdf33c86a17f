"""The table and the plot of the accuracy benchmark."""

from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from benchmarks.accuracy.methods import CLASSICS, METHODS, OURS

DOCS = Path(__file__).parent.parent.parent / "docs"


def summary(results):
    """Return the mean ARI and mean seconds (data sets x methods), nan where not run."""
    methods = [m for m in METHODS if any(by.get(m) for by in results.values())]
    ari = np.full((len(results), len(methods)), np.nan)
    seconds = ari.copy()
    for i, by_method in enumerate(results.values()):
        for j, method in enumerate(methods):
            runs = by_method.get(method, [])
            if runs:  # a failed run found nothing
                ari[i, j] = np.mean([r.get("ARI", 0.0) for r in runs])
                seconds[i, j] = np.mean([r.get("seconds", np.nan) for r in runs])
    return methods, ari, seconds


def write_report(results):
    """Write docs/accuracy_table.md and docs/images/accuracy.png; print the table."""
    methods, ari, seconds = summary(results)
    classics = [methods.index(m) for m in CLASSICS if m in methods]
    best = np.nanmax(ari[:, classics], axis=1)
    lines = [
        "| data | " + " | ".join(methods) + " | best of four | s | / k-means |",
        "|---" * (len(methods) + 4) + "|",
    ]
    ratio = seconds[:, methods.index(OURS)] / seconds[:, methods.index("KMeans")]
    for i, name in enumerate(results):
        cells = [_cell(value) for value in [*ari[i], best[i]]]
        cells += [f"{seconds[i, methods.index(OURS)]:.2f}", f"{ratio[i]:.1f}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    ranks = np.array([rankdata(-np.nan_to_num(row, nan=-1)) for row in ari]).mean(0)
    means = [_cell(v) for v in [*np.nanmean(ari, axis=0), best.mean()]]
    overall = f"{np.exp(np.nanmean(np.log(ratio))):.1f}"
    lines.append("| **mean** | " + " | ".join(means) + f" | | {overall} (geometric) |")
    lines.append(
        "| **mean rank** | " + " | ".join(f"{r:.2f}" for r in ranks) + " | | | |"
    )
    text = "\n".join(lines) + "\n"
    (DOCS / "accuracy_table.md").write_text(text)
    print(text)
    _draw(list(results), methods, ari)


def _cell(value):
    return "-" if np.isnan(value) else f"{value:.3f}"


def _draw(names, methods, ari):
    """Draw a row for each data set, a mark for each method."""
    import matplotlib.pyplot as plt

    colors = ["#bd1f01", "#3f90da", "#ffa90e", "#832db6", "#94a4a2", "#a96b59",
              "#e76300", "#b9ac70", "#717581"]  # fmt: skip
    marks = "D o s ^ v P X < >".split()
    figure, axes = plt.subplots(figsize=(8.5, 9.5), layout="constrained")
    order = np.argsort(ari[:, 0])
    rows = np.arange(len(names))
    for j in reversed(range(len(methods))):
        axes.scatter(
            ari[order, j], rows, label=f"{methods[j]} ({np.nanmean(ari[:, j]):.3f})",
            color=colors[j], marker=marks[j], s=70 if j == 0 else 28,
            zorder=3 if j == 0 else 2, alpha=1 if j == 0 else 0.75, linewidths=0,
        )  # fmt: skip
    axes.set_yticks(rows, [names[i] for i in order])
    axes.set_xlabel("adjusted Rand index (in brackets: mean over the data sets)")
    axes.grid(axis="x", alpha=0.3)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="lower right", frameon=True)
    axes.set_title("Clustering without labels, defaults of every method")
    (DOCS / "images").mkdir(exist_ok=True)
    figure.savefig(DOCS / "images" / "accuracy.png", dpi=110)
