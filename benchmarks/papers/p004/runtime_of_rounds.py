"""Section 3 of paper 004: iterSVR ends after about ten rounds, each one SVR.

Here: CPU time and rounds of a fit from the labels of k-means, which are given, against
the number of samples: pairs of MNIST digits, and five sets of Table 1.
"""

import numpy as np

from benchmarks.papers.p004.data import draw
from benchmarks.papers.p004.methods import make, starts
from benchmarks.papers.protocol import PAIRS, load_pair
from benchmarks.papers.times import add_growth, cpu_seconds

TITLE = "Paper 004, section 3: time and rounds of iterSVR"

SETTING = {"width": 3, "balance": 0.3, "C": 500.0}
FIT, ROUND = "fit, s", "round, s"


def measure(name, per_class):
    """Return samples, seconds of a fit and rounds; of all samples without a number."""
    X, y = load_pair(name)
    if per_class is not None:
        X, y = draw(X, y, per_class, 0)
    model = make("iterSVR", SETTING, X, starts(X, 1)[0][0])
    seconds = cpu_seconds(lambda: model.fit(X), repeats=1)
    return [len(X), seconds, model.n_iter_]


def run(store, page):
    """Measure and write the page."""
    page.text(__doc__.partition("\n")[2])
    sizes = store.pick((60, 125, 250, 500), (50, 100))
    found = [
        store.cell(f"mnist 3-8, {size}", lambda s=size: measure("mnist 3-8", s))
        for size in sizes
    ]
    names = store.pick(PAIRS[:5], PAIRS[:2])
    cells = {name: store.cell(name, lambda n=name: measure(n, None)) for name in names}
    if None in found or None in cells.values():
        page.text("Not measured.")
        return
    samples, seconds, rounds = map(list, zip(*found, strict=True))
    page.text(
        "Against the number of samples of MNIST 3-8; rounds: "
        + ", ".join(map(str, rounds))
        + "."
    )
    columns = {
        FIT: (seconds, 1.0),
        ROUND: (np.divide(seconds, rounds).tolist(), 1.0),
    }
    add_growth(page, "samples", samples, columns, {FIT: "2 to 3", ROUND: "2 to 3"})
    page.text("All samples of five sets of Table 1:")
    page.table(
        names,
        ("samples", "rounds", "fit, s"),
        {
            place: text
            for name, (n_samples, spent, n_rounds) in cells.items()
            for place, text in (
                ((name, "samples"), str(n_samples)),
                ((name, "rounds"), str(n_rounds)),
                ((name, "fit, s"), f"{spent:.3g}"),
            )
        },
    )
