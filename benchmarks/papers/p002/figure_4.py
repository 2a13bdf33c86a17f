"""Figure 4 of paper 002: km-cost against the size of the noise that moves the points.

The paper: the data of Table 1 with uniform noise from 0.1 to 1 along an axis. The
curves are not printed as numbers. Here: 500 points, costs brought to 1500, means over
twelve times; methods and reading as in Table 1.
"""

import numpy as np
from matplotlib.figure import Figure

from benchmarks.papers.p002.costs import (
    METHODS,
    PEERS,
    STRATEGIES,
    costs_over_time,
    draw_lines,
    mean_of_runs,
    paper_method,
)
from benchmarks.papers.p002.table_1 import N_OBJECTS, UNIT, settings_of
from maxmargin.datasets import make_evolving_gaussians

TITLE = "Paper 002, Figure 4: km-cost against the size of the moves"


def measure(name, drift, n_objects, n_runs):
    """Return the mean cost over times and draws, in the unit of Table 1."""
    runs = [
        costs_over_time(
            paper_method(name, 2, seed, **settings_of(name, n_objects)),
            make_evolving_gaussians(n_objects, 12, drift=drift, random_state=seed),
        )
        for seed in range(n_runs)
    ]
    means = mean_of_runs(runs)
    total = np.mean(means["snapshot"]) + np.mean(means["temporal"])
    return float(UNIT * N_OBJECTS / n_objects * total)


def run(store, page):
    """Measure all methods and draw the figure."""
    drifts = store.pick([0.1 * j for j in range(1, 11)], [0.1, 0.5, 1.0])
    n_objects, n_runs = store.pick(500, 100), store.pick(5, 1)
    costs = {
        name: [
            store.cell(
                f"{name}, noise {drift:.1f}",
                lambda name=name, drift=drift: measure(name, drift, n_objects, n_runs),
            )
            for drift in drifts
        ]
        for name in METHODS
    }
    best = np.min([costs[name] for name in PEERS], axis=0)
    figure = Figure(figsize=(10, 4))
    left, right = figure.subplots(1, 2)
    draw_lines(left, drifts, costs, "km-cost, sum of both parts / 1000")
    above = {name: 100 * (np.array(line) / best - 1) for name, line in costs.items()}
    draw_lines(right, drifts, above, "per cent above the best peer")
    right.set_ylim(-0.4, 0.6)
    for axes in (left, right):
        axes.set_xlabel("largest move along an axis in one step")
    left.legend(fontsize=8)
    figure.tight_layout()
    page.text(
        f"Means over twelve times and {n_runs} draws of {n_objects} points, costs "
        "brought to 1500 points. As in the paper the cost grows with the size of the "
        "moves, and CDE, IDE and MI lie on each other; their order beside the peers is "
        "seen on the right."
    )
    page.picture(figure, "km-cost against the size of the moves")
    lowest = [
        f"{drift:.1f}"
        for j, drift in enumerate(drifts)
        if min(costs[name][j] for name in STRATEGIES) <= best[j]
    ]
    page.text(
        f"The best of the three is below every peer at {len(lowest)} of {len(drifts)} "
        f"sizes: {', '.join(lowest)}."
    )
    columns = [f"{drift:.1f}" for drift in drifts]
    cells = {
        (name, column): value
        for name in METHODS
        for column, value in zip(columns, costs[name], strict=True)
    }
    page.table(METHODS, columns, cells)
