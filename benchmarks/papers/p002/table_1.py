"""Table 1 of paper 002: km-cost and NMI at twelve times on synthetic data.

The paper: two Gaussian clusters of 750 points at (3, 5) and (3, 1) that pass each
other, a = 0.7, means of 50 runs. Features are said to be brought to [0, 1]; the printed
costs are those of the points as they are drawn, so they are taken as such here. Neither
C nor the limit l of the sizes is printed. Here l = 0.03 n, as maximum margin clustering
has it for classes of equal size (Zhang, Tsang and Kwok 2007), and C = 5, settled on
after looking at the km-cost of six draws; with 4, 6 and 10 it differs by less than 0.1
per cent. How the km-cost, and ACC, are read stands in ``costs.py``. CDE, IDE and MI are
the printed ones, `EvolvingMMC` as it is by default.
"""

import numpy as np

from benchmarks.papers.p002.costs import (
    ALL,
    METHODS,
    PEERS,
    READINGS,
    STRATEGIES,
    costs_over_time,
    mean_of_runs,
    paper_method,
)
from benchmarks.papers.page import EVOLVING, Printed
from maxmargin import EvolvingMaxMarginClustering
from maxmargin.datasets import make_evolving_gaussians
from maxmargin.datasets.evolving import CENTERS, DIRECTIONS
from maxmargin.published import EvolvingMMC

TITLE = "Paper 002, Table 1: synthetic data"

N_OBJECTS = 1500
C, SHARE = 5, 0.03  # l is this share of the rows, those of both snapshots


def settings_of(name, n_objects=N_OBJECTS):
    """Return C and l of a strategy."""
    if name not in STRATEGIES:
        return {}
    n_rows = n_objects if name == "MI" else 2 * n_objects
    return {"C": C, "sum_limit": SHARE * n_rows}


UNIT = 1e-3  # of the printed km-cost, for so many objects
BLOCK = 5  # runs in a cell
COSTS = {
    "CDE": "5.630 5.591 5.576 5.642 5.810 6.047 6.376 6.685 6.936 7.191 7.407 7.538",
    "IDE": "5.630 5.590 5.575 5.639 5.806 6.046 6.376 6.685 6.935 7.191 7.407 7.538",
    "MI": "5.635 5.592 5.580 5.642 5.810 6.051 6.380 6.697 6.937 7.201 7.417 7.538",
    "PCQ": "5.649 5.614 5.589 5.648 5.812 6.060 6.393 6.703 6.950 7.211 7.415 7.540",
    "PCM": "5.653 5.627 5.595 5.666 5.833 6.075 6.419 6.742 6.963 7.223 7.431 7.544",
    "ACC": "5.683 5.657 5.620 5.663 5.833 6.075 6.425 6.750 6.963 7.222 7.431 7.544",
    "IND": "5.681 5.653 5.631 5.681 5.826 6.080 6.399 6.705 6.953 7.210 7.420 7.540",
}
NMIS = {
    "CDE": "0.794 0.707 0.629 0.589 0.606 0.643 0.714 0.785 0.854 0.907 0.956 0.983",
    "IDE": "0.796 0.707 0.633 0.602 0.610 0.647 0.717 0.795 0.854 0.906 0.957 0.987",
    "MI": "0.799 0.699 0.652 0.600 0.608 0.645 0.713 0.790 0.851 0.896 0.957 0.987",
    "PCQ": "0.815 0.736 0.644 0.589 0.598 0.637 0.711 0.786 0.837 0.890 0.940 0.973",
    "PCM": "0.826 0.757 0.659 0.593 0.580 0.621 0.675 0.736 0.815 0.867 0.932 0.968",
    "ACC": "0.756 0.688 0.602 0.583 0.573 0.619 0.668 0.730 0.812 0.872 0.928 0.968",
    "IND": "0.754 0.662 0.586 0.573 0.616 0.629 0.703 0.742 0.812 0.892 0.928 0.979",
}
COST_REASON = (
    "the draws: printed costs rise by 33 per cent over time, those of points drawn as "
    "the paper says by 28, for every method; the order is as printed"
)
NMI_REASON = (
    "the draws: the printed value is within 0.03 of the best boundary between two "
    "Gaussians of unit variance, or above it"
)
TIMES = [f"t = {time}" for time in range(1, 13)]
DEFAULTS = {
    "CDE, defaults": {"strategy": "cohort"},
    "IDE, defaults": {"strategy": "individual"},
    "MI, defaults": {"strategy": "model"},
}


# The other forms of the term of MI, equations (12), (11) and (10).
SHIFTS = ("separate", "present", "past")


class BestBoundary:
    """Labels by the nearer one of the means from which the points are drawn."""

    def __init__(self, seed):
        self.time = 0

    def partial_fit(self, X, ids=None, time=None):
        """Label the next snapshot."""
        means = CENTERS + 0.25 * self.time * DIRECTIONS
        squares = ((X[:, None, :] - means) ** 2).sum(axis=2)
        self.labels_ = squares.argmin(axis=1)
        self.time += 1


def printed(lines):
    """Return the numbers of the paper as the page wants them."""
    return {
        (name, time): Printed(float(value), digits=3)
        for name, line in lines.items()
        for time, value in zip(TIMES, line.split(), strict=True)
    }


def runs_of(make, seeds, n_objects):
    """Return the means over draws of the data."""
    draws = [
        (seed, make_evolving_gaussians(n_objects, 12, random_state=seed))
        for seed in seeds
    ]
    return mean_of_runs([costs_over_time(make(seed), steps) for seed, steps in draws])


def measure(store, name, make, n_runs):
    """Return the means over all runs, which are measured in blocks."""
    n_objects, size = store.pick(N_OBJECTS, 200), store.pick(BLOCK, 2)
    blocks = [
        store.cell(
            f"{name}, runs {first} to {first + size - 1}",
            lambda first=first: runs_of(make, range(first, first + size), n_objects),
        )
        for first in range(0, n_runs, size)
    ]
    return mean_of_runs(blocks)


def measure_methods(store, n_runs):
    """Return the means of the methods of the table, and of the best boundary."""
    n_objects = store.pick(N_OBJECTS, 200)
    found = {
        name: measure(
            store,
            name,
            lambda seed, name=name: paper_method(
                name, 2, seed, **settings_of(name, n_objects)
            ),
            n_runs,
        )
        for name in (*METHODS, ALL)
    }
    return {
        **found,
        "best boundary": measure(store, "best boundary", BestBoundary, n_runs),
    }


def measure_defaults(store, n_defaults):
    """Return the means of the defaults, and of MI with other forms of its term."""
    n_objects = store.pick(N_OBJECTS, 200)
    defaults = {
        name: measure(
            store,
            name,
            lambda seed, way=way: EvolvingMaxMarginClustering(
                2, random_state=seed, **way
            ),
            n_defaults,
        )
        for name, way in DEFAULTS.items()
    }
    for shift in SHIFTS:
        defaults[f"MI, {shift}"] = measure(
            store,
            f"MI, {shift}",
            lambda seed, shift=shift: paper_method(
                "MI", 2, seed, margin_shift=shift, **settings_of("MI", n_objects)
            ),
            n_defaults,
        )
    defaults["MI, adapted"] = measure(
        store,
        "MI, adapted",
        lambda seed: EvolvingMMC(
            2,
            strategy="model",
            formulation="adapted",
            C=C,
            balance=SHARE,
            random_state=seed,
        ),
        n_defaults,
    )
    return defaults


def run(store, page):
    """Measure all methods and write the page."""
    n_runs, n_defaults = store.pick(50, 2), store.pick(BLOCK, 2)
    found = measure_methods(store, n_runs)
    defaults = measure_defaults(store, n_defaults)
    page.text(
        f"Means of {n_runs} draws. CDE, IDE and MI as printed, with a linear kernel, "
        "a = 0.7, C = 5, and l = 0.03 times the number of rows. C and l are not "
        "printed; ours were settled on after looking at the km-cost, not at labels, "
        "of six draws. MI is the form that the paper says it solves, equations (29) "
        "and (30). ACC is k-means on two snapshots; on all snapshots so far, the other "
        "reading, it is shown below and not counted."
    )
    _write_costs(page, found, UNIT * N_OBJECTS / store.pick(N_OBJECTS, 200))
    _write_agreement(page, found)
    page.text(
        "The square loss with a radial kernel, the defaults of "
        "`EvolvingMaxMarginClustering(2)`; MI with the other forms of its term, "
        "equations (12), (11) and (10), and adapted, with the factor (1 - a) / a times "
        f"the mean loss ({n_defaults} draws); and k-means on all snapshots. The term "
        "as printed, the sum over all objects with the factor a = 0.7 itself, holds "
        "the function so near to the previous one that it loses the clusters, in all "
        "of its forms, so that the printed figures of MI cannot come from it."
    )
    others = {**defaults, ALL: found[ALL]}
    page.table(list(others), TIMES, _cells(others, "nmi"))


def _write_agreement(page, found):
    page.text(
        "NMI, geometric mean. The last row is that of the boundary half way between "
        "the true means, which no clustering of one snapshot can be expected to beat."
    )
    page.table(
        [*METHODS, "best boundary"],
        TIMES,
        _cells(found, "nmi"),
        printed(NMIS),
        better="higher",
        reasons=dict.fromkeys(METHODS, NMI_REASON),
        kind=EVOLVING,
    )
    page.text(_order(found, "nmi", max, "highest NMI"))
    gap = np.max([found[name]["nmi"] for name in STRATEGIES], axis=0)
    gap = gap - np.max([found[name]["nmi"] for name in PEERS], axis=0)
    page.text(
        "The best of the three beside the best peer: "
        + ", ".join(f"{value:+.3f}" for value in gap)
        + ". Where clusters overlap, membership of the past (PCM) helps most; later "
        "the best boundary is reached by all that look at one snapshot, k-means "
        "included, which the paper's k-means does not reach."
    )


def _write_costs(page, found, unit):
    page.text(
        "km-cost in the paper's reading: the function found at t labels both snapshots "
        "for CDE, IDE and MI (the labels of t and t - 1 that Algorithm 1 returns), and "
        "an object has one label at both times for the peers (section 2 of the paper). "
        "The printed unit is not told. The printed figures of IND agree within 4 per "
        "cent with the sum of both parts, without the weights 0.7 and 0.3, in "
        "thousands, of the points as they are drawn, and no other reading comes near; "
        "those of Table 2 are twice the cost of k-means in the same way. So that sum "
        "is shown."
    )
    sums = {
        name: {"sum": unit * (np.array(one["snapshot"]) + one["temporal"])}
        for name, one in found.items()
    }
    page.table(
        METHODS,
        TIMES,
        _cells(sums, "sum"),
        printed(COSTS),
        better="lower",
        reasons=dict.fromkeys(METHODS, COST_REASON),
        kind=EVOLVING,
    )
    page.text(_order(found, "paper", min, "lowest km-cost"))
    page.text(
        "All readings of the km-cost in one table, in thousands: the printed figure, "
        "the sum of both parts that is shown above, and equation (20) with its weights "
        "0.7 and 0.3 for the labels of the paper's reading, for carried labels, and "
        "for own labels at both times. With own labels IND has the least by "
        "construction; with carried ones for all, PCQ, which looks for one labelling "
        "of both snapshots."
    )
    rows = {}
    for name in METHODS:
        rows[f"{name}, printed"] = {"km": np.array(COSTS[name].split(), dtype=float)}
        rows[f"{name}, sum"] = {"km": sums[name]["sum"]}
        for reading in READINGS:
            rows[f"{name}, (20), {reading}"] = {
                "km": unit * np.array(found[name][reading])
            }
    page.table(list(rows), TIMES, _cells(rows, "km"))


def _cells(found, what):
    return {
        (name, time): float(value)
        for name, one in found.items()
        for time, value in zip(TIMES, one[what], strict=True)
    }


def _order(found, what, best, words):
    """Say how often each strategy, and the best of the three, is ahead of the peers."""
    peers = [
        best(values) for values in zip(*(found[p][what] for p in PEERS), strict=True)
    ]
    ahead = {
        name: [
            time + 1
            for time, (ours, theirs) in enumerate(
                zip(found[name][what], peers, strict=True)
            )
            if best(ours, theirs) == ours
        ]
        for name in STRATEGIES
    }
    told = "; ".join(f"{name} at t = {_list(ahead[name])}" for name in STRATEGIES)
    return f"The {words} of all, the four peers included: {told}."


def _list(times):
    return ", ".join(map(str, times)) if times else "none"
