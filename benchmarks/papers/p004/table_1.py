"""Table 1: clustering errors of seven methods.

Mean and spread of the errors of ten runs with different seeds, at the setting where the
mean is least, as the paper has it. KM is k-means, NC the normalised cut, MMC and GMMC
semidefinite relaxations, the others alternate between labels and a function from the
labels of k-means. The paper copies NC, MMC and GMMC on digits and ionosphere from
Valizadegan and Jin (2007); its figures for MMC are multiples of 1.25, that is, of one
sample in 80, and so we draw 40 samples of each class for MMC, twice.
"""

from benchmarks.papers.p004.data import SETS, draw, load
from benchmarks.papers.p004.methods import (
    DEFAULTS,
    best,
    measure,
    measure_default,
    repeat,
    settings,
)
from benchmarks.papers.page import PEERS, Printed

TITLE = "Paper 004, Table 1: clustering errors"
METHODS = ("KM", "NC", "MMC", "GMMC", "iterSVM", "iterLS-SVM", "iterSVR")
# Errors in per cent as printed; a pair has its spread.
PRINTED = {
    "3-8": (5.32, 35, 10, 5.6, 4.2, 3.92, 3.36),
    "1-7": (0.55, 45, 31.25, 2.2, 0.55, 0.55, 0.55),
    "2-7": (3.09, 34, 1.25, 0.5, 3.09, 2.25, 0.0),
    "8-9": (9.32, 48, 3.75, 16.0, 9.6, 8.76, 3.67),
    "ionosphere": (
        (32, 17.9), 25, 21.25, 23.5, (31.6, 24.9), (24.4, 2.83), (32.3, 16.6),
    ),
    "w1b": (44.1, 41.8, None, None, 39.4, None, 36),
    "svmguide1-a": (23.5, 12.5, None, None, 23.6, 6.8, 6.8),
    "letter A-B": (17.94, 23.2, None, None, 14.6, 7.33, 7.2),
    "satellite 1-2": (4.07, 4.21, None, None, 4.05, 3.7, 3.18),
    "image": (43.5, 41.2, None, None, 38.08, 41.2, 28.6),
    "ringnorm": ((24, 5.83), 22.3, None, None, (27.2, 6.43), (29.8, 11.3), (9.3, 5.87)),
}  # fmt: skip
REASONS = {
    ("2-7", "GMMC"): "3 of 356 samples; the printed figure is 1.8 of them, and so of "
    "other data.",
    ("8-9", "MMC"): "the mean of two draws of 80 samples; which ones the source drew "
    "is not known.",
    ("ionosphere", "NC"): "at every width.",
    ("ionosphere", "GMMC"): "at every width, with C = 1.",
    ("ionosphere", "iterLS-SVM"): "at every point of the grid.",
    ("svmguide1-a", "KM"): "a matter of which 1000 samples are drawn.",
    ("svmguide1-a", "NC"): "at every width, the order being cut at its best place.",
    ("satellite 1-2", "iterSVR"): "the classes have 1533 and 703 samples: no labels "
    "within 0.3 n have an error below 3.56 %, so that 3.18 % cannot be had with the "
    "balance that the paper names.",
    ("ringnorm", "NC"): "at every width, the order being cut at its best place.",
    ("image", "iterSVM"): "within the spread of two draws; the classes are our guess.",
    ("image", "iterSVR"): "the classes that are joined are our guess; at every width "
    "and balance.",
}
PEER_COLUMNS = {"KM": PEERS, "NC": PEERS}
QUICK_SETS = ("3-8", "ionosphere", "w1b")
SLOW = ("MMC", "GMMC")
MMC_SAMPLES, MMC_DRAWS = 40, 2


def printed_cells():
    """Return the printed numbers by row and column."""
    cells = {}
    for name, row in PRINTED.items():
        for method, number in zip(METHODS, row, strict=True):
            if number is not None:
                value, spread = number if isinstance(number, tuple) else (number, 0.0)
                cells[name, method] = Printed(value, spread, 2)
    return cells


def draws_of(method, name):
    """Return the draws of a data set that a method has."""
    draws = load(name)
    if method == "MMC":
        draws = [draw(*draws[0], MMC_SAMPLES, seed) for seed in range(MMC_DRAWS)]
    return draws


def cell_of(store, name, method):
    """Return (mean, spread) of each setting of a method on a data set."""
    runs = store.pick(10, 3)
    return store.cell(
        f"{name}, {method}",
        lambda: measure(method, draws_of(method, name), runs),
        lambda stored: repeat(method, draws_of(method, name), stored, runs),
    )


def run(store, page):
    """Measure and write the page."""
    page.text(__doc__.partition("\n")[2])
    printed = printed_cells()
    sets = store.pick(SETS, QUICK_SETS)
    ours, chosen, plain = {}, {}, {}
    for name in sets:
        for method in METHODS:
            if (name, method) not in printed or (
                store.quick and method in ("MMC", "GMMC")
            ):
                continue
            found = cell_of(store, name, method)
            if found is not None:
                ours[name, method], place = best(found)
                chosen[name, method] = settings(method)[place]
        for method in DEFAULTS:
            found = store.cell(
                f"{name}, {method}",
                lambda m=method, n=name: measure_default(m, load(n), store.pick(5, 1)),
            )
            plain[name, method] = tuple(found) if found else None
    page.table(sets, METHODS, ours, printed, "lower", REASONS, "error, %", PEER_COLUMNS)
    page.parameters(sets, METHODS[1:], chosen)
    page.text(
        "Widths are multiples of s. w1b is not to be had. The balances 0.03 and 0.3 "
        "are the paper's. Two draws of svmguide1, image and ringnorm. Which classes "
        "make up `image` is our guess: see `benchmarks/papers/p004/data.py`. The "
        "candidates of NC, iterSVM and iterLS-SVM, which the paper does not list, are "
        "those of the first run; no others were added after the errors had been "
        "seen.\n\nThe same with no label in sight:"
    )
    page.table(sets, list(DEFAULTS), plain, corner="error, %")
