"""Figure 5 of paper 002: running time against the number of objects.

The paper: the data of Table 1 up to a million objects; the curves are not printed as
numbers. Here: processor time of the second step, best of two, one thread; k-means once
on that step. The spectral peers need the square of the number of objects in memory and
more in time, so they end early. The square loss is shown, too.
"""

import numpy as np
from matplotlib.figure import Figure

from benchmarks.evolving.speed import seconds
from benchmarks.papers.p002.costs import (
    METHODS,
    STRATEGIES,
    draw_lines,
    make,
    paper_method,
)
from maxmargin.datasets import make_evolving_gaussians

TITLE = "Paper 002, Figure 5: running time"

SIZES = (1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
LARGEST = {"PCQ": 10_000, "PCM": 10_000}
SQUARED = {f"{name}, squared": name for name in STRATEGIES}


def measure(name, n_objects):
    """Return the processor time of the second step."""
    first, second = make_evolving_gaussians(n_objects, 1, random_state=0)
    times = []
    for seed in range(2):
        if name in SQUARED:
            model = make(SQUARED[name], 2, seed, loss="squared")
        else:
            model = paper_method(name, 2, seed)
        model.partial_fit(first.X)
        times.append(seconds(lambda model=model: model.partial_fit(second.X)))
    return float(np.min(times))


def run(store, page):
    """Measure all methods and draw the figure."""
    sizes = store.pick(SIZES, (300, 600, 1200))
    names = [*METHODS, *SQUARED]
    for name in names:  # what is compiled at the first call is not counted
        if store.values.get(f"{name}, {sizes[-1]}") is None:
            measure(name, 300)
    times = {
        name: [
            store.cell(
                f"{name}, {size}", lambda name=name, size=size: measure(name, size)
            )
            for size in sizes
            if size <= LARGEST.get(name, np.inf)
        ]
        for name in names
    }
    times = {
        name: [one for one in line if one is not None] for name, line in times.items()
    }
    figure = Figure(figsize=(6, 4.5))
    axes = figure.subplots()
    shown = {name: line for name, line in times.items() if name not in SQUARED}
    draw_lines(axes, sizes, shown, "processor time of a step, seconds")
    for name, mark in zip(SQUARED, "os^", strict=True):
        axes.plot(
            sizes, times[name], mark + ":", color="grey", label=name, markersize=4
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("number of objects")
    axes.legend(fontsize=7, ncol=2)
    figure.tight_layout()
    page.text(
        "Seconds of processor time for one step, one thread. The time of the square "
        "loss has a constant part, the search on a sample; beyond, all but the "
        "spectral methods are linear."
    )
    page.picture(figure, "Running time against the number of objects")
    columns = [f"{size}" for size in sizes]
    cells = {
        (name, column): f"{value:.3f}"
        for name in names
        for column, value in zip(columns, times[name], strict=False)
    }
    page.table(names, columns, cells)
