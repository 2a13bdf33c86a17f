"""All 45 pairs of digits, of the UCI repository and of MNIST: Table 2 and Figure 7.

UCI digits are the 1797 that scikit-learn ships, some 360 of a pair. How many images of
MNIST the paper has is not said; with an n x n affinity it cannot be all 14,000 of a
pair. We draw 300 of each digit. The kernel's width is a multiple of the extent, so that
the scale of the pixels does not matter.
"""

from benchmarks.papers.p004.data import draw
from benchmarks.papers.p004.methods import (
    DEFAULTS,
    best,
    measure,
    measure_default,
    repeat,
    starts,
)
from benchmarks.papers.protocol import DIGIT_PAIRS, load_pair

DATA = ("UCI", "MNIST")
METHODS = ("KM", "NC", "iterSVM", "iterSVR")
# Widths and runs that are tried on MNIST; on UCI, those of Table 1.
MNIST_WIDTHS = {"iterSVM": (1, 5), "iterSVR": (2, 4)}
MNIST_RUNS, MNIST_PER_CLASS = 3, 300
QUICK_PAIRS, QUICK_PER_CLASS = ("1-7", "3-8", "3-9"), 100


def measure_pair(data, pair, runs, per_class, stored=None):
    """Return {method: (mean, spread) of each setting} for a pair, then the defaults.

    With what was stored, at the settings that were best there alone.
    """
    if data == "MNIST":
        draws, runs = [draw(*load_pair(f"mnist {pair}"), per_class, 0)], MNIST_RUNS
        widths = MNIST_WIDTHS
    else:
        draws, widths = [load_pair(pair)], {}
    begun = [starts(X, runs) for X, _ in draws]
    found = {
        name: measure(name, draws, runs, widths.get(name), begun)
        if stored is None
        else repeat(name, draws, stored[name], runs, widths.get(name), begun)
        for name in METHODS
    }
    return found | {name: measure_default(name, draws, 1) for name in DEFAULTS}


def measure_all(store):
    """Return {(data, pair): what `measure_pair` returns} from the store of Table 2."""
    name = "004_table_2"
    shared = store if store.path.stem == name else store.beside(name)
    pairs, runs = store.pick(DIGIT_PAIRS, QUICK_PAIRS), store.pick(10, 2)
    per_class = store.pick(MNIST_PER_CLASS, QUICK_PER_CLASS)
    found = {}
    for data in DATA:
        for pair in pairs:
            cell = shared.cell(
                f"{data}, {pair}",
                lambda d=data, p=pair: measure_pair(d, p, runs, per_class),
                lambda stored, d=data, p=pair: measure_pair(
                    d, p, runs, per_class, stored
                ),
            )
            if cell is not None:
                found[data, pair] = cell
    store.missing.update(shared.missing)
    return found


def best_errors(found, data, method):
    """Return the error of each pair of a data set, each at its best setting."""
    return {
        pair: best(cell[method])[0][0] for (d, pair), cell in found.items() if d == data
    }
