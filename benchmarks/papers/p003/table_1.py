"""Table 1 of paper 003: mean adjusted Rand index of ten runs.

The paper: ridge 2^-10 to 2^-1 and kernel width 0.1 to 1.0 of the largest distance, the
pair with the best mean index over ten runs, then ten runs. Here: the same for the three
searches of least squares (Algorithms 1 to 3 as printed, plain objective, random
labels); CPMMC has the widths and three weights of the loss, with three runs each; SC,
GMM and k-means are scikit-learn's.
"""

import numpy as np

from benchmarks.papers import page as pages
from benchmarks.papers.p003.data import SETS, load
from benchmarks.papers.p003.methods import (
    DEFAULTS,
    PEERS,
    RIDGES,
    SEARCHES,
    WIDTHS,
    peer_indices,
    repeat_search,
    tune_cutting_planes,
    tune_search,
)
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
            cell = store.cell(
                f"{name}: {method}",
                lambda name=name, method=method: tune_search(
                    load(name, most), method, **search_grid(store, name, method)
                ),
                lambda stored, name=name, method=method: repeat_search(
                    load(name, most),
                    method,
                    stored["setting"],
                    search_grid(store, name, method)["runs"],
                ),
            )
            found[name, method] = cell
        if name != "Coil":
            grid = store.pick({}, {"weights": (10.0,), "widths": (0.5, 1.0), "runs": 1})
            cell = store.cell(
                f"{name}: CPMMC",
                lambda name=name, grid=grid: tune_cutting_planes(
                    load(name, most), **grid
                ),
                lambda stored, name=name, grid=grid: tune_cutting_planes(
                    load(name, most),
                    (stored["setting"]["C"],),
                    (stored["setting"]["width"],),
                    grid.get("runs", 2),
                ),
            )
            found[name, "CPMMC"] = cell
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


def search_grid(store, name, method):
    """Return the grid of a search and the runs at each of its points."""
    if store.quick:
        return {"ridges": (2.0**-5, 2.0**-1), "widths": (0.5, 1.0), "runs": 2}
    if name != "Coil":
        return {"runs": 10}
    if method == "UMC-RLS":
        return {"runs": 10}
    runs = 2 if method == "Steep-RLS" else 10
    return {"ridges": RIDGES[1::4], "widths": WIDTHS[1::2], "runs": runs}


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
        REASONS,
        "mean index",
        KINDS,
        uncounted=[("Coil 1-4", "Steep-RLS")],
    )
    add_parameters(page, found)
    page.text("## Without labels")
    page.text("The same runs of clusterers that are told the number of clusters only.")
    page.table(SETS, DEFAULTS, ours, corner="mean index")


INTRODUCTION = """
Mean and spread of the adjusted Rand index over ten runs. Ridge and kernel width are
chosen by the labels, as in the paper, for the three searches of least squares and for
CPMMC. The searches have the paper's grid of 10 x 10 with ten runs at each point, on the
whole of Coil 15 points of it for Steep-RLS (two runs) and Stoc-RLS. The ten runs that
count come after. They start from random labels, as many of each cluster, as in the
library that the paper names; Steep-RLS and UMC-RLS on the whole of Coil were measured
earlier, with labels drawn independently. CPMMC has the widths and two weights of the
loss with two runs. Scikit-learn's methods choose nothing; mixtures of Gaussians on the
sets of Coil have fewer repetitions. The figure of Steep-RLS on Coil 1-4 cannot be read
in the copy at hand and is not counted.

The classes of USPS were chosen, and the moons placed, by the printed index of k-means.

USPS and Letter are cut to 500 rows at random. Which rows the paper has is not known,
and other rows change the index of k-means by up to 0.1: figures printed with a spread
of 0.00 are met or missed by such a draw.
"""
PICTURES = (
    "scikit-learn's method, with nothing to choose; our pictures have 32 x 32 pixels, "
    "and those of the paper are not described"
)
ROWS = (
    "scikit-learn's method, with nothing to choose, on other rows than the paper's; "
    "on another draw of 500 rows it has"
)
REASONS = {
    "UMC-RLS": "the setting with the best mean of ten runs, the first of equal ones; "
    "ten others count, some of which end elsewhere.",
    ("Coil 1-4", "GMM"): f"{PICTURES}.",
    ("Coil 5-8", "GMM"): f"{PICTURES}.",
    ("Coil 1-4", "K-means"): f"{PICTURES}; ten starts have 0.47, and 0.39 if pictures "
    "are scaled to norm one.",
    ("Iris", "GMM"): "scikit-learn's method: 0.90 with 1e-6 and 1e-3 on the diagonal, "
    "0.94 with 1e-2, 0.67 with 1e-1, from one start or ten.",
    ("Letter", "GMM"): f"{ROWS} 0.38 to 0.51; from ten starts 0.43 on ours.",
    ("Letter", "K-means"): f"{ROWS} 0.41 to 0.47; from ten starts 0.42 on ours.",
    ("USPS 1-4", "SC"): f"{ROWS} 0.88.",
    ("USPS 5-8", "SC"): f"{ROWS} 0.87.",
    ("Iris", "Steep-RLS"): "the whole grid was tried; runs end near 0.57, with two "
    "species in one cluster, or near 0, with all in one, which the plain objective "
    "allows.",
    "Steep-RLS": "the whole grid was tried with ten runs at each point; single runs "
    "range from 0 to 0.7 at every good point, and the ten that count are ten others.",
}
