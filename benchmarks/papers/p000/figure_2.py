"""Figure 2 of paper 000: the number of restarts against the clustering error.

The paper: of m runs the smallest error counts, means of ten repetitions, with the
settings behind Table 1. Here: m of the hundred runs behind Table 1 are drawn at random,
a thousand times.
"""

import numpy as np

from benchmarks.papers.p000.cells import METHODS, evolution_cell
from benchmarks.papers.protocol import PAIRS
from maxmargin.plots.style import COLORS

TITLE = "Paper 000, Figure 2: restarts against clustering error"

REPEATS = 1000  # random groups for each number of restarts


def expected_best(errors, most=20):
    """Return the mean smallest error of 1, 2, ... runs drawn from those there are."""
    errors = np.ravel(errors)
    random = np.random.RandomState(0)
    drawn = np.array([random.permutation(errors)[:most] for _ in range(REPEATS)])
    return np.minimum.accumulate(drawn, axis=1).mean(axis=0)


def run(store, page):
    """Draw what Table 1 measured."""
    table = store.beside("000_table_1")
    curves = {}
    for pair in PAIRS:
        for method in METHODS:
            cell = evolution_cell(table, pair, method)
            if cell:
                curves[pair, method] = expected_best(cell["errors"])
    page.text(
        "The mean smallest error of m runs, by drawing m of the hundred runs behind "
        "Table 1 (fifty of EvoMMC on letter and satellite) a thousand times, at the "
        "settings chosen there. The paper prints curves only, and finds that a small "
        "number of restarts is enough and that both methods behave alike. So they do "
        "here; about ten restarts are needed, because labels start at random."
    )
    page.picture(draw(curves), "Restarts against clustering error")
    restarts = (1, 2, 5, 10, 20)
    page.table(
        PAIRS,
        [f"{method}, m = {m}" for method in METHODS for m in restarts],
        {
            (pair, f"{method}, m = {m}"): float(curve[m - 1])
            for (pair, method), curve in curves.items()
            for m in restarts
            if m <= len(curve)
        },
        corner="error in %",
    )


def draw(curves):
    """Return the figure, a picture for each data set."""
    import matplotlib.pyplot as plt

    pairs = list(dict.fromkeys(pair for pair, _ in curves))
    figure, axes = plt.subplots(2, 4, figsize=(10, 4.8), layout="constrained")
    for ax, pair in zip(axes.flat, pairs, strict=False):
        for color, mark, method in zip(COLORS, "os", METHODS, strict=False):
            curve = curves[pair, method]
            ax.plot(
                np.arange(1, len(curve) + 1), curve, color=color, marker=mark,
                markersize=3, label=method,
            )  # fmt: skip
        ax.set(title=pair, xlabel="restarts", ylabel="error in %", ylim=(0, None))
        ax.grid(alpha=0.3)
    for ax in axes.flat[len(pairs) :]:
        ax.set_axis_off()
    handles, names = axes.flat[0].get_legend_handles_labels()
    axes.flat[-1].legend(handles, names, loc="center", frameon=False)
    return figure
