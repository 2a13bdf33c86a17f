"""Table 2 of paper 000: seconds and generations of single runs.

The paper: CPU time and generations of a run, means of ten, with the settings behind
Table 1, in Python 2.5 on a 3 GHz Core Duo. Here: one fit of
``EvolutionaryMaxMarginClustering`` with one start, kernel and smoother included, one
thread. A run ends when it has gone long without improvement, so generations depend on
what "long" means; here it is until a flip that gains would have been missed with a
chance of one in a hundred.
"""

import time

import numpy as np

from benchmarks.papers.p000.cells import METHODS, evolution_cell, mnist_cell
from benchmarks.papers.p000.runs import MEMBERS
from benchmarks.papers.page import Printed
from benchmarks.papers.protocol import PAIRS, class_balance, extent, load_pair
from maxmargin.published import EvolutionaryMaxMarginClustering

TITLE = "Paper 000, Table 2: seconds and generations"

PATIENCE = 1500  # generations without a change; 4.6 n is the default for one member
PRINTED = {
    "3-8": ((20.80, 4923), (3.41, 8254)),
    "1-7": ((16.61, 3600), (2.92, 6978)),
    "2-7": ((18.40, 4374), (3.93, 9636)),
    "8-9": ((14.46, 3320), (3.09, 7383)),
    "ionosphere": ((14.18, 3288), (4.12, 10248)),
    "letter A-B": ((72.09, 26867), (44.16, 66297)),
    "satellite 1-2": ((94.95, 58107), (70.44, 157971)),
    "mnist 1-2": (None, (274.60, 565929)),
    "mnist 1-7": (None, (304.00, 605932)),
}


def measure_runs(pair, method, setting, n_runs, patience="auto"):
    """Return mean seconds of preparation and search, and mean generations."""
    X, y = load_pair(pair)
    members = MEMBERS[method]
    share = 0.01 if pair.startswith("mnist") else 0.1
    model = EvolutionaryMaxMarginClustering(
        alpha=setting["alpha"],
        gamma=1.0 / (setting["width"] * extent(X)) ** 2,
        balance=class_balance(y),
        landmarks=int(share * len(X)) if method == "FastEvoMMC" else None,
        population_size=members,
        n_offspring=members,
        init="random",
        n_init=1,
        patience=patience,
    )
    model.fit(X[:100])  # loads the compiled code
    seconds, generations = [], []
    for seed in range(n_runs):
        start = time.process_time()
        model.set_params(random_state=seed).fit(X)
        seconds.append(time.process_time() - start)
        generations.append(model.n_generations_)
    return [float(np.mean(seconds)), float(np.mean(generations))]


def run(store, page):
    """Measure and write the page."""
    settings = store.beside("000_table_1")
    seconds, generations, printed_rule = {}, {}, {}
    n_runs = store.pick(10, 2)
    for pair in store.pick(tuple(PRINTED), PAIRS[:5]):
        for column, method in enumerate(METHODS):
            if PRINTED[pair][column] is None:
                continue
            cell_of = evolution_cell if pair in PAIRS else mnist_cell
            best = cell_of(settings, pair, method)
            cell = best and store.cell(
                f"{pair}: {method}",
                lambda pair=pair, method=method, best=best: measure_runs(
                    pair, method, best["setting"], n_runs
                ),
            )
            if cell:
                seconds[pair, method], generations[pair, method] = cell
            cell = best and store.cell(
                f"{pair}: {method}, patience {PATIENCE}",
                lambda pair=pair, method=method, best=best: measure_runs(
                    pair, method, best["setting"], n_runs, PATIENCE
                ),
            )
            if cell:
                printed_rule[pair, method] = cell[1]
    page.text(
        "CPU seconds, means of ten runs with the settings that Table 1 chose; in "
        "brackets the paper's, and how many times as long they are. Input checks, "
        "kernel and smoother are included. The paper ran numpy on a 3 GHz Core Duo."
    )
    compared = {
        place: f"{value:.2g} ({paper.value:.2f}, {paper.value / value:.0f} x)"
        for place, paper in printed(0).items()
        if (value := seconds.get(place))
    }
    page.table(PRINTED, METHODS, compared, printed(0), corner="seconds")
    page.text("Generations:")
    page.table(PRINTED, METHODS, generations, printed(1), corner="generations")
    page.text(
        "The paper stops a run when the fitness has not changed for a longer period of "
        "generations, and does not say how long. The default here grows with the "
        "number of samples, which is why pairs of MNIST take more generations than in "
        f"the paper. Generations with `patience={PATIENCE}`, a period that is the same "
        "for all sets:"
    )
    page.table(PRINTED, METHODS, printed_rule, printed(1), corner="generations")


def printed(place):
    """Return the printed seconds (0) or generations (1)."""
    return {
        (pair, method): Printed(value[place], digits=0 if place else 2)
        for pair, values in PRINTED.items()
        for method, value in zip(METHODS, values, strict=True)
        if value is not None
    }
