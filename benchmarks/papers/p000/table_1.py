"""Table 1 of paper 000: clustering errors.

The paper: kernel width and ridge from the grid of footnote 9, the balance l that the
classes ask for; of ten runs the one with the smallest error counts, ten such results
are averaged, and the best point of the grid is printed. The columns from KM to CPMMC
are copied there from other papers.

Here: as in the paper. EvoMMC has fewer runs on letter and satellite, and over all pairs
of MNIST digits both have a part of the grid, which the page says. CPMMC is run over a
grid of our own; KM, MMC, GMMC and iterSVR are those of the pages of paper 004, from
which the paper has them.
"""

import itertools

import numpy as np

from benchmarks.papers.p000.cells import (
    DEFAULTS,
    METHODS,
    cutting_plane_cell,
    default_cell,
    digits_cell,
    evolution_cell,
    mnist_cell,
)
from benchmarks.papers.p000.runs import mean_of_best
from benchmarks.papers.p004.digit_pairs import QUICK_PAIRS, best_errors, measure_all
from benchmarks.papers.p004.methods import best
from benchmarks.papers.p004.table_1 import QUICK_SETS, cell_of
from benchmarks.papers.page import PEERS, Printed
from benchmarks.papers.protocol import DIGIT_PAIRS, PAIRS

TITLE = "Paper 000, Table 1: clustering errors"

UCI, MNIST = "UCI digits, 45 pairs", "MNIST digits, 45 pairs"
ROWS = (*PAIRS, UCI, MNIST)
OWN = ("FastEvoMMC", "EvoMMC", "CPMMC")
COLUMNS = ("KM", "MMC", "GMMC", "iterSVR", "CPMMC", *METHODS)


def _printed(row, *values):
    return {
        (row, column): value
        for column, value in zip(COLUMNS, values, strict=True)
        if value is not None
    }


def _p(value, spread=0.0, digits=2):
    return Printed(value, spread, digits)


PRINTED = (
    _printed(
        "3-8", _p(5.32), _p(10, 0, 0), _p(5.6, 0, 1), _p(3.36), _p(3.08), _p(2.52),
        _p(2.58, 0.5),
    )
    | _printed(
        "1-7", _p(0.55), _p(31.25), _p(2.2, 0, 1), _p(0.55), _p(0, 0, 0), _p(0, 0, 1),
        _p(0, 0, 1),
    )
    | _printed(
        "2-7", _p(3.09), _p(1.25), _p(0.5, 0, 1), _p(0, 0, 1), _p(0, 0, 1),
        _p(0, 0, 1), _p(0, 0, 1),
    )
    | _printed(
        "8-9", _p(9.32), _p(3.75), _p(16.0, 0, 1), _p(3.67), _p(2.26), _p(3.22, 0.40),
        _p(3.78, 4.13),
    )
    | _printed(
        "ionosphere", _p(32, 17.9, 0), _p(21.25), _p(23.5, 0, 1), _p(32.3, 16.6, 1),
        _p(27.64), _p(17.94, 6.84), _p(18.75, 3.19),
    )
    | _printed(
        "letter A-B", _p(17.94), None, None, _p(7.2, 0, 1), _p(5.53), _p(3.67, 0.33),
        _p(3.27, 1.08),
    )
    | _printed(
        "satellite 1-2", _p(4.07), None, None, _p(3.18), _p(1.52), _p(1.16, 0.45),
        _p(1.14, 0.65),
    )
    | _printed(UCI, _p(3.62), None, None, _p(1.82), _p(0.62), _p(0.72), _p(0.81))
    | _printed(MNIST, _p(10.79), None, None, _p(7.59), _p(4.29), _p(3.23), _p(3.45))
)  # fmt: skip


COPIED = ("KM", "MMC", "GMMC", "iterSVR")
# Counted on the pages of paper 004, and a figure that the copy at hand does not have.
UNCOUNTED = {*itertools.product(ROWS, COPIED), ("2-7", "EvoMMC")}


def seven_sets(store):
    """Return mean and spread by row and column for the sets of two classes."""
    ours = {}
    for pair in PAIRS:
        for method in METHODS:
            cell = evolution_cell(store, pair, method)
            ours[pair, method] = cell and mean_of_best(cell)
        cell = cutting_plane_cell(store, pair)
        ours[pair, "CPMMC"] = cell and cell["error"]
    return ours


def chosen_parameters(store):
    """Return the settings that the labels chose on the sets of two classes."""
    cells = {
        (pair, method): evolution_cell(store, pair, method)
        for pair, method in itertools.product(PAIRS, METHODS)
    }
    cells |= {(pair, "CPMMC"): cutting_plane_cell(store, pair) for pair in PAIRS}
    return {place: cell["setting"] for place, cell in cells.items() if cell}


def pair_errors(store, row, method):
    """Return the error of each pair of digits, None where it is missing."""
    found = {}
    for pair in all_pairs(store):
        name = pair if row == UCI else f"mnist {pair}"
        if method == "CPMMC":
            cell = cutting_plane_cell(store, name)
            found[pair] = cell and cell["error"]
        else:
            cell_of = digits_cell if row == UCI else mnist_cell
            cell = cell_of(store, name, method)
            found[pair] = cell and mean_of_best(cell)[0]
    return found


def mean_of_pairs(store, row, method):
    """Return the mean error over all pairs of digits, None if some are missing."""
    found = list(pair_errors(store, row, method).values())
    return None if None in found else float(np.mean(found))


def worst_pairs(store, number=5):
    """Return a line on the pairs with the largest errors for each method."""
    lines = []
    for row, method in itertools.product((UCI, MNIST), OWN):
        found = pair_errors(store, row, method)
        if None not in found.values():
            worst = sorted(found, key=found.get, reverse=True)[:number]
            listed = ", ".join(f"{pair} {found[pair]:.1f}" for pair in worst)
            lines.append(f"- {row}, {method}: {listed}")
    return "The pairs with the largest errors:\n\n" + "\n".join(lines)


def all_pairs(store):
    """Return the pairs of digits; in a quick run some of them."""
    return store.pick(DIGIT_PAIRS, DIGIT_PAIRS[::15])


def default_columns(store):
    """Return the same with clusterers that see no label."""
    ours = {}
    for name, make in DEFAULTS.items():
        seeds = store.pick(10 if name == "k-means" else 5, 1)
        for pair in PAIRS:
            found = default_cell(store, pair, name, make, seeds)
            ours[pair, name] = found and (np.mean(found), np.std(found))
        few = store.pick(3 if name == "k-means" else 1, 1)
        for row, prefix, seeds in ((UCI, "", few), (MNIST, "mnist ", 1)):
            if row == MNIST and name.startswith("Evo"):
                continue  # five minutes more
            found = [
                default_cell(store, prefix + pair, f"{name}, {seeds}", make, seeds)
                for pair in all_pairs(store)
            ]
            if None not in found:
                ours[row, name] = float(np.mean([np.mean(one) for one in found]))
    return ours


def copied_columns(store):
    """Return KM, MMC, GMMC and iterSVR as the pages of paper 004 have them."""
    source = store.beside("004_table_1")
    ours = {}
    for pair, method in itertools.product(PAIRS, ("KM", "MMC", "GMMC", "iterSVR")):
        known = pair in store.pick(PAIRS, QUICK_SETS)
        if (
            known
            and (pair, method) in PRINTED
            and not (store.quick and method == "MMC")
        ):
            found = cell_of(source, pair, method)
            ours[pair, method] = found and best(found)[0]
    cells = measure_all(store.beside("004_table_2"))
    for row, data in ((UCI, "UCI"), (MNIST, "MNIST")):
        found = best_errors(cells, data, "iterSVR")
        if len(found) == store.pick(len(DIGIT_PAIRS), len(QUICK_PAIRS)):
            ours[row, "iterSVR"] = float(np.mean(list(found.values())))
    return ours


def run(store, page):
    """Measure and write the page."""
    ours = seven_sets(store)
    ours |= {(UCI, method): mean_of_pairs(store, UCI, method) for method in OWN}
    defaults = default_columns(store)
    ours |= {(MNIST, method): mean_of_pairs(store, MNIST, method) for method in OWN}
    ours |= copied_columns(store)
    ours |= {(row, "KM"): defaults.get((row, "k-means")) for row in (UCI, MNIST)}
    page.text(INTRODUCTION)
    page.table(
        ROWS,
        COLUMNS,
        ours,
        PRINTED,
        "lower",
        REASONS,
        "error in %",
        {"KM": PEERS},
        uncounted=UNCOUNTED,
    )
    page.parameters(PAIRS, OWN, chosen_parameters(store))
    page.text(worst_pairs(store))
    page.text("## Without labels")
    page.text(DEFAULTS_TEXT)
    page.table(ROWS, DEFAULTS, defaults, corner="error in %")


INTRODUCTION = """
Errors in per cent. EvoMMC and FastEvoMMC: kernel width and ridge from the nine points
of footnote 9, l as the classes ask for, of ten runs the one with the smallest error,
mean and spread of ten such results, the best point of the grid. The labels choose three
times; so they do in the paper. Both have the hundred runs at every point of the grid,
also for all pairs of UCI digits; a point is left as soon as it cannot win any more. On
letter and satellite EvoMMC has fifty runs at the best two of five tries. For all pairs
of MNIST digits both have ten runs at the three points with sigma = s, a third of the
grid, and at the winner others, which count: a hundred of EvoMMC, ten of FastEvoMMC.
EvoMMC has 1000 samples of a pair, FastEvoMMC all, about 14,000, with a hundredth as
landmarks.

CPMMC: a linear kernel as in the paper it is from, 13 values of C, in units of the
inverse variance, and the four l of paper 000 as bounds of the sum of decision values
(eight of these settings for all pairs of UCI digits, three for MNIST); the best
objective of ten starts, the first ten principal directions. The columns KM to
iterSVR are copied in the paper from Tables 1 and 2 of paper 004, whose pages here have
the settings: they are shown, and counted there. KM has all samples for all pairs.
There, k-means has 3.62 on all UCI pairs, copied as 2.62; the former is used. Of the two
0.0 of EvoMMC, on 1-7 and on 2-7, the copy of the paper at hand has one, and so one
counts.
"""
DEFAULTS_TEXT = """
The same data with nothing chosen by labels: clusterers are told that there are two
clusters. Means of five fits (all pairs of digits: one).
"""
REASONS = {
    ("letter A-B", "FastEvoMMC"): "each run has its own landmarks, and the spread of "
    "the ten repetitions is large.",
    (UCI, "EvoMMC"): "the printed figure has no spread; most of ours comes from few "
    "pairs, see the worst below.",
    (MNIST, "EvoMMC"): "three of the nine points of the grid.",
    (MNIST, "FastEvoMMC"): "three of the nine points of the grid, and one group of ten "
    "runs at the one that won; few pairs make up most of it, see the worst below.",
    "CPMMC": "at every setting; what is missing over all pairs comes from few of them, "
    "see the worst below.",
    (UCI, "FastEvoMMC"): "the printed figure has no spread; most of ours comes from "
    "few pairs, see the worst below.",
}
