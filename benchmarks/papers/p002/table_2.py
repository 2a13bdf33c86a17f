"""Table 2 of paper 002: km-cost on classes of public data sets that drift.

The paper: pairs of classes of UCI sets, features in [0, 1], each class with a fixed
direction of its own for adding uniform noise. Direction, size of the noise, number of
steps and which time is printed are not told. Printed figures are twice the cost of
k-means on the sets as they are, and some per cent more: the sum of both parts of
equation (20) without its weights, in hundreds, after one step with noise of about a
quarter of the range of a feature. So that is what is drawn here, of at most 600
objects, costs brought to the number of all. The limit l of the sizes and C are not
told, either: both are chosen for each set and strategy by the km-cost of draws of their
own, which needs no labels, and so is the width of the spectral peers. How the km-cost
is read stands in ``costs.py``.
"""

from itertools import product

import numpy as np

from benchmarks.data.suite import load_dataset
from benchmarks.papers.p002.costs import (
    METHODS,
    PEERS,
    READINGS,
    STRATEGIES,
    costs_over_time,
    mean_of_runs,
    paper_method,
)
from benchmarks.papers.page import EVOLVING, Printed
from maxmargin.datasets import drift_classes

TITLE = "Paper 002, Table 2: km-cost on sets whose classes drift"

SETS = {  # name in the paper: set, two classes, printed costs in the order of METHODS
    "digits 1,2": ("digits", (1, 2), "25.44 25.46 25.51 25.58 25.55 25.50 25.62"),
    "digits 1,3": ("digits", (1, 3), "24.07 24.06 24.11 24.28 24.18 24.30 24.19"),
    "vowel 1,2": ("vowel", (0, 1), "1.204 1.208 1.225 1.240 1.294 1.216 1.213"),
    "satellite 1,2": (
        "satellite",
        (0, 1),
        "40.19 40.02 40.39 40.46 40.46 40.44 40.41",
    ),
    "breast": (
        "breast_cancer_wisconsin",
        (0, 1),
        "4.989 5.032 5.016 5.315 5.464 5.471 5.315",
    ),
    "diabetes": ("pima_diabetes", (0, 1), "3.970 3.971 4.012 4.200 4.213 4.222 4.202"),
    "liver": ("bupa_liver", (0, 1), "0.798 0.797 0.800 0.812 0.821 0.820 0.814"),
    "pendigits 0,1": (
        "pendigits",
        (0, 1),
        "21.74 21.75 21.79 21.74 21.83 21.87 21.78",
    ),
}
DRIFT = 0.25
REASON = "the drift that is drawn; every method is above or below the print alike"
TRIAL_DRAWS = 3
COSTS = (*READINGS, "snapshot", "temporal")
MARGIN_GRID = [
    {"C": C, "share": share} for C, share in product((1, 5, 20), (0.03, 0.3, 0.6))
]
SPECTRAL_GRID = [{"gamma": gamma} for gamma in ("median", 0.125, 0.5, 2.0)]


def steps_of(title, seed, max_objects):
    """Return the snapshots of a set, and how many objects each stands for."""
    name, classes, _ = SETS[title]
    data = load_dataset(name)
    here = np.flatnonzero(np.isin(data.y, classes))
    n_all = len(here)
    if n_all > max_objects:
        here = np.random.RandomState(seed).permutation(here)[:max_objects]
    steps = drift_classes(data.X[here], data.y[here], 1, drift=DRIFT, random_state=seed)
    return steps, n_all / len(here)


def build(method, seed, setting, n_objects):
    """Return a method with a setting of its grid; l is a share of the rows."""
    model = paper_method(method, 2, seed)
    if method in STRATEGIES:
        n_rows = n_objects if method == "MI" else 2 * n_objects
        setting = {"C": setting["C"], "sum_limit": setting["share"] * n_rows}
    return model.set_params(**setting) if setting else model


def costs_of(title, method, setting, seeds, max_objects):
    """Return the means over draws, brought to the number of all objects."""
    runs = []
    for seed in seeds:
        steps, factor = steps_of(title, seed, max_objects)
        found = costs_over_time(build(method, seed, setting, len(steps[0].X)), steps)
        runs.append({key: factor * np.array(found[key]) for key in COSTS})
    return {key: values[0] for key, values in mean_of_runs(runs).items()}


def measure(title, method, n_runs, max_objects, margin_grid):
    """Return the mean costs with the setting of the smallest cost on other draws."""
    grid = [{}]
    if method in STRATEGIES:
        grid = margin_grid
    elif method in ("PCQ", "PCM"):
        grid = SPECTRAL_GRID
    setting = grid[0]
    if len(grid) > 1:
        seeds = range(n_runs, n_runs + TRIAL_DRAWS)
        tried = [costs_of(title, method, one, seeds, max_objects) for one in grid]
        setting = grid[int(np.argmin([one["paper"] for one in tried]))]
    found = costs_of(title, method, setting, range(n_runs), max_objects)
    return {**found, "setting": setting}


def run(store, page):
    """Measure all sets and write the page."""
    n_runs, max_objects = store.pick(20, 1), store.pick(600, 100)
    grid = store.pick(MARGIN_GRID, MARGIN_GRID[5:6])
    found = {}
    for title in SETS:
        for method in METHODS:
            value = store.cell(
                f"{title}, {method}",
                lambda title=title, method=method: measure(
                    title, method, n_runs, max_objects, grid
                ),
            )
            if value is not None:
                found[title, method] = value
    page.text(
        f"The sum of both parts of the km-cost in hundreds, mean of {n_runs} draws "
        "(the paper has 50). Direction and size of the drift are not printed: noise "
        f"up to {DRIFT} along each feature gives costs of the printed size. CDE, IDE "
        "and MI label both snapshots by the function found last, the peers carry one "
        "label. There are two snapshots, so that ACC has both."
    )
    rows = [title for title in SETS if (title, METHODS[0]) in found]
    printed = {
        (title, method): Printed(float(value), digits=2)
        for title in SETS
        for method, value in zip(METHODS, SETS[title][2].split(), strict=True)
    }
    cells = {
        key: (value["snapshot"] + value["temporal"]) / 100
        for key, value in found.items()
    }
    page.table(
        rows,
        METHODS,
        cells,
        printed,
        "lower",
        dict.fromkeys(rows, REASON),
        kind=EVOLVING,
    )
    page.text(_order(rows, found))
    page.text("The best of our three and of the four peers in each reading.")
    columns = [f"{who}, {reading}" for reading in READINGS for who in ("ours", "peers")]
    best = {
        (title, f"{who}, {reading}"): min(found[title, m][reading] for m in group) / 100
        for title in rows
        for reading in READINGS
        for who, group in (("ours", STRATEGIES), ("peers", PEERS))
    }
    page.table(rows, columns, best)
    page.text("Settings that the km-cost of three other draws chose: C and l / n.")
    settings = {
        (title, method): ", ".join(map(str, value["setting"].values()))
        for (title, method), value in found.items()
        if method in STRATEGIES
    }
    page.table(rows, list(STRATEGIES), settings)


def _order(rows, found):
    """Say on which rows all three, or the best of them, are below every peer."""
    lines = []
    for title in rows:
        peers = min(found[title, method]["paper"] for method in PEERS)
        below = [m for m in STRATEGIES if found[title, m]["paper"] <= peers]
        least = min(found[title, method]["paper"] for method in STRATEGIES)
        lines.append(
            f"- {title}: below every peer {', '.join(below) or 'none'}; the best is "
            f"{100 * (least / peers - 1):+.2f} per cent from the best peer"
        )
    return "\n".join(lines)
