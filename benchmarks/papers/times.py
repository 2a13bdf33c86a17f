"""Times of methods against the number of samples: curves, and the same as a table."""

import sys
import time

import numpy as np

from maxmargin.plots.style import COLORS


def add_times(page, found, methods, caption):
    """Add picture and table of ``{(method, n_samples): CPU seconds}`` to a page."""
    sizes = sorted({n_samples for _, n_samples in found})
    page.picture(draw_times(found, methods, sizes), caption)
    page.table(
        [str(n) for n in sizes],
        methods,
        {(str(n), method): f"{value:.3g}" for (method, n), value in found.items()},
        corner="samples",
    )


def draw_times(found, methods, sizes):
    """Return a figure with a curve for each method."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
    for color, mark, method in zip(COLORS, "osD^v", methods, strict=False):
        points = sorted((n, t) for (name, n), t in found.items() if name == method)
        if points:
            ax.plot(*zip(*points, strict=True), color=color, marker=mark, label=method)
    ax.set(xlabel="samples", ylabel="CPU seconds", xscale="log", yscale="log")
    ax.set_xticks(sizes, [str(n) for n in sizes])
    ax.minorticks_off()
    ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    ax.grid(alpha=0.3)
    return figure


def cpu_seconds(run, repeats=3):
    """Return the least CPU seconds of some calls after one that is not counted.

    The first call compiles. While numbers are measured it also shows which functions
    they depend on (`sources`); the others are not slowed down by that.
    """
    run()
    watcher = sys.getprofile()
    sys.setprofile(None)
    try:
        times = []
        for _ in range(repeats):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
    finally:
        sys.setprofile(watcher)
    return min(times)


def growth(sizes, seconds):
    """Return the exponent p of the law ``size^p`` that fits best."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def add_growth(page, name, sizes, columns, expected):
    """Add a table of columns of seconds against sizes, with exponents below.

    ``columns`` has the numbers of each column and the factor of its unit, ``expected``
    the exponents that the paper promises.
    """
    if any(None in values for values, _ in columns.values()):
        page.text("Not measured.")
        return
    rows = [str(size) for size in sizes]
    cells = {
        (row, column): f"{factor * value:.3g}"
        for column, (values, factor) in columns.items()
        for row, value in zip(rows, values, strict=True)
    }
    for column, (values, _) in columns.items():
        cells["exponent (paper)", column] = (
            f"{growth(sizes, values):.2f} ({expected[column]})"
        )
    page.table([*rows, "exponent (paper)"], list(columns), cells, corner=name)
