"""What is measured, with which methods and on which suites."""

from typing import NamedTuple

from benchmarks.accuracy.counting import COUNTING
from benchmarks.accuracy.methods import WITH_NUMBER
from benchmarks.accuracy.store import key_of
from benchmarks.accuracy.tasks import task_names

METHODS = WITH_NUMBER | COUNTING
THREE = ("public", "shapes", "small")


class Plan(NamedTuple):
    """Suites and methods of a measurement."""

    suites: tuple[str, ...]
    methods: tuple[str, ...]


PLANS = {
    "accuracy": Plan(THREE, tuple(WITH_NUMBER)),
    "stability": Plan(("public",), tuple(WITH_NUMBER)),
    "scaling": Plan(("tables",), ("maxmargin", "neighbors", "kmeans", "mixture")),
    "probability": Plan(("public",), ("maxmargin",)),
    "count": Plan(THREE, tuple(COUNTING)),
    "structure": Plan(("none",), tuple(COUNTING)),
    "clubench": Plan(
        ("clubench",), ("maxmargin", "kmeans", "ward", "mixture", "spectral", "umap")
    ),
    "clubench_raw": Plan(("clubench_raw",), ("maxmargin", "kmeans")),
}
ALL_SUITES = (*THREE, "tables", "none", "clubench", "clubench_raw")


def jobs_of(method, suites, whats, sets, seeds):
    """Return the measurements of a method that are asked for, by their keys."""
    seeds = min(seeds, METHODS[method].seeds or seeds)
    return {
        key_of(suite, name, method, what): {
            "what": what,
            "suite": suite,
            "name": name,
            "seeds": seeds,
        }
        for what in whats
        if method in PLANS[what].methods
        for suite in PLANS[what].suites
        if suite in suites
        for name in task_names(suite)
        if not sets or name in sets
    }
