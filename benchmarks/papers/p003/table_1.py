"""Table 1 of paper 003: mean adjusted Rand index of ten runs.

The paper: ridge 2^-10 to 2^-1 and kernel width 0.1 to 1.0 of the largest distance, the
pair with the best mean index over ten runs, then ten runs. Here: the same for the three
searches of least squares (Algorithms 1 to 3 as printed, plain objective, random
labels) and for CPMMC with l = 10; SC, GMM and k-means are scikit-learn's.
"""

import numpy as np

from benchmarks.papers import page as pages
from benchmarks.papers.p003.data import SETS, load
from benchmarks.papers.p003.methods import (
    CPMMC_RUNS,
    DEFAULTS,
    ONE_SQUARE,
    PEERS,
    RIDGES,
    SEARCHES,
    TWO_SQUARES,
    WIDTHS,
    peer_indices,
    repeat_cutting_planes,
    repeat_search,
    tune_cutting_planes,
    tune_search,
)
from benchmarks.papers.p003.tried import peer_reasons
from benchmarks.papers.page import Printed

TITLE = "Paper 003, Table 1: mean adjusted Rand index"

COLUMNS = (*PEERS, "CPMMC", *SEARCHES)
KINDS = dict.fromkeys(PEERS, pages.PEERS)  # counted by themselves
# Mean and spread as printed; None where there is none.
MEANS = {
    "Coil": (
        (0.74, 0.01), (0.55, 0.01), (0.58, 0.02), None, (0.31, 0.10), (0.43, 0.07),
        (0.84, 0.06),
    ),
    "Coil 1-4": (
        (0.70, 0), (0.50, 0), (0.49, 0), (0.47, 0.08), (0.29, 0.11), (0.09, 0),
        (1.00, 0),
    ),
    "Coil 5-8": (
        (0.74, 0.06), (0.61, 0.03), (0.60, 0.04), (0.62, 0.05), (0.35, 0.06),
        (0.37, 0.10), (0.97, 0.09),
    ),
    "Iris": (
        (0.43, 0), (0.96, 0), (0.70, 0.09), (0.69, 0.08), (0.45, 0.25), (0.56, 0.13),
        (0.96, 0),
    ),
    "Letter": (
        (0.38, 0), (0.45, 0), (0.43, 0), (0.39, 0.10), (0.19, 0.12), (0.20, 0.12),
        (0.46, 0.09),
    ),
    "Moons": (
        (0.99, 0), (0.78, 0), None, (0.69, 0.45), (0.21, 0.35), (0.07, 0.05),
        (1.00, 0),
    ),
    "USPS 1-4": (
        (0.66, 0), (0.48, 0), (0.61, 0.01), (0.59, 0.19), (0.38, 0.12), (0.38, 0.08),
        (0.85, 0.02),
    ),
    "USPS 5-8": (
        (0.93, 0), (0.64, 0), (0.67, 0), (0.57, 0.11), (0.26, 0.12), (0.34, 0.14),
        (0.91, 0.02),
    ),
}  # fmt: skip


def measure_all(store):
    """Return the indices of ten runs by row and column, for both tables.

    Methods with a grid have a dict with the indices and the setting that was chosen.
    """
    found = {}
    most = store.pick(None, QUICK_SIZE)
    for name in SETS:
        for method in SEARCHES:
            found[name, method] = search_cell(store, name, method, TWO_SQUARES)
        if name != "Coil":
            grid = store.pick({}, {"ridges": (2.0**-5,), "widths": (0.5,), "runs": 1})
            found[name, "CPMMC"] = store.cell(
                f"{name}: CPMMC, l = 10",
                lambda name=name, grid=grid: tune_cutting_planes(
                    load(name, most), **grid
                ),
                lambda stored, name=name, grid=grid: repeat_cutting_planes(
                    load(name, most), stored["setting"], grid.get("runs", CPMMC_RUNS)
                ),
            )
        for method, make in (PEERS | DEFAULTS).items():
            if store.quick and (name, method) in SLOW:
                continue
            repeats = store.pick(SLOW.get((name, method), 10), 1)
            found[name, method] = store.cell(
                f"{name}: {method}",
                lambda name=name, make=make, repeats=repeats: peer_indices(
                    load(name, most), make, repeats
                ),
            )
    return {place: values for place, values in found.items() if values}


def search_cell(store, name, method, squares):
    """Return the runs of a search with a reading of the width of the kernel."""
    most = store.pick(None, QUICK_SIZE)
    kind = ", 2 sigma^2" if squares == TWO_SQUARES else ""
    grid = search_grid(store)
    return store.cell(
        f"{name}: {method}{kind}",
        lambda: tune_search(load(name, most), method, squares, **grid),
        lambda stored: repeat_search(
            load(name, most), method, stored["setting"], squares, grid["runs"]
        ),
    )


def other_reading(store):
    """Return the runs of the searches with sigma^2 in place of 2 sigma^2."""
    if store.quick:
        return {}
    found = {
        (name, method): search_cell(store, name, method, ONE_SQUARE)
        for name in SETS
        for method in SEARCHES
    }
    return {place: values for place, values in found.items() if values}


def indices_of(found):
    """Return the indices of the runs by row and column."""
    return {
        place: cell["indices"] if isinstance(cell, dict) else cell
        for place, cell in found.items()
    }


def add_parameters(page, found):
    """Add the table of the settings that were chosen."""
    chosen = {
        place: cell["setting"] for place, cell in found.items() if "setting" in cell
    }
    page.parameters(SETS, ("CPMMC", *SEARCHES), chosen)


QUICK_SIZE = 200
# Repetitions of what takes up to a minute each.
SLOW = {
    ("Coil", "GMM"): 2,
    ("Coil 1-4", "GMM"): 5,
    ("Coil 5-8", "GMM"): 5,
    ("Coil", "CuttingPlaneMaxMarginClustering"): 1,
}


def search_grid(store):
    """Return the grid of a search and the runs at each of its points."""
    if store.quick:
        return {"ridges": (2.0**-5, 2.0**-1), "widths": (0.5, 1.0), "runs": 2}
    return {"ridges": RIDGES, "widths": WIDTHS, "runs": 10}


def printed():
    """Return the printed numbers by row and column."""
    return {
        (name, column): Printed(*cell)
        for name, cells in MEANS.items()
        for column, cell in zip(COLUMNS, cells, strict=True)
        if cell is not None
    }


def run(store, page):
    """Measure and write the page."""
    found = measure_all(store)
    ours = {
        place: (float(np.mean(values)), float(np.std(values)))
        for place, values in indices_of(found).items()
    }
    page.text(INTRODUCTION)
    page.table(
        SETS,
        COLUMNS,
        ours,
        printed(),
        "higher",
        peer_reasons(store) | run_reasons(found),
        "mean index",
        KINDS,
        uncounted=[("Coil 1-4", "Steep-RLS")],
    )
    add_parameters(page, found)
    add_other_reading(page, other_reading(store), np.mean, printed())
    page.text("## Without labels")
    page.text("The same runs of clusterers that are told the number of clusters only.")
    page.table(SETS, DEFAULTS, ours, corner="mean index")


def add_other_reading(page, found, what, paper):
    """Add the table of the other reading of the width, which is not counted."""
    page.text(
        "With the other reading of the width, exp(-d^2 / sigma^2), not counted; the "
        "grid has the same widths sigma:"
    )
    cells = {place: float(what(values)) for place, values in indices_of(found).items()}
    page.table(SETS, SEARCHES, cells, paper, corner="exp(-d^2 / sigma^2)")


INTRODUCTION = """
Mean and spread of the adjusted Rand index over ten runs. Ridge and kernel width are
chosen by the labels, as in the paper, for the three searches of least squares and for
CPMMC. The searches have the paper's grid of 10 x 10 with ten runs at each point, and
then the ten runs that count. They start from random labels, as many of each cluster, as
in the library that the paper names. The kernel is exp(-d^2 / 2 sigma^2); the paper says
no more than "Gaussian". CPMMC has l = 10 as a bound of the sum of decision values,
tolerances of 0.01, at most 60 cutting planes, and the same grid, with three runs at
each point where the paper has ten. Scikit-learn's methods choose nothing; mixtures of
Gaussians on the sets of Coil have fewer repetitions. The figure of Steep-RLS on Coil
1-4 cannot be read in the copy at hand and is not counted.

The classes of USPS were chosen, and the moons placed, by the printed index of k-means.

USPS and Letter are cut to 500 rows at random. Which rows the paper has is not known,
and other rows change the index of k-means by up to 0.1: figures printed with a spread
of 0.00 are met or missed by such a draw.
"""


def run_reasons(found):
    """Return why a method of this library misses, with the range of its ten runs."""
    reasons = {}
    for name in SETS:
        for method in ("CPMMC", *SEARCHES):
            if (name, method) in found:
                runs = found[name, method]["indices"]
                tries = "three" if method == "CPMMC" else "ten"
                reasons[name, method] = (
                    f"the setting with the best mean of {tries} runs, the first of "
                    "equal ones; the ten others that count range from "
                    f"{min(runs):.2f} to {max(runs):.2f}."
                )
    return reasons
