"""Means over the tasks of a suite."""

from typing import NamedTuple

import numpy as np
from scipy.stats import gmean, rankdata


class Agreement(NamedTuple):
    """The mean agreement over the tasks, the lowest one, and its task."""

    mean: float
    worst: float
    name: str


def entries(results, suite, method, what):
    """Return the results of a method by the names of the tasks."""
    return {
        name: result
        for key, result in results.items()
        for own, name, one, measure in [key.split("/")]
        if (own, one, measure) == (suite, method, what)
    }


def mean_ari(result):
    """Return the mean over the seeds; a failed run found nothing."""
    return float(np.mean(result.get("ari", [0.0])))


def seed_agreement(results, suite, method, what="accuracy"):
    """Return the agreement of fits with different seeds, None if there are none."""
    found = entries(results, suite, method, what)
    return _agreement({n: r["agreement"] for n, r in found.items() if "agreement" in r})


def part_agreement(results, suite, method):
    """Return the agreement of fits on parts of the rows, None if there are none."""
    found = entries(results, suite, method, "stability")
    return _agreement(
        {n: np.mean(r["pairs"]) for n, r in found.items() if "pairs" in r}
    )


def _agreement(values):
    if not values:
        return None
    worst = min(values, key=values.get)
    return Agreement(float(np.mean(list(values.values()))), values[worst], worst)


def complete_methods(results, suite, methods, what):
    """Return the methods that were run on each task that any of them was run on.

    Those that failed on half of the tasks or more are left out.
    """
    found = {m: entries(results, suite, m, what) for m in methods}
    names = set().union(*found.values())
    return [
        m
        for m, own in found.items()
        if own.keys() == names and 2 * _n_failed(own) < len(names)
    ]


def _n_failed(found):
    return sum("failed" in result for result in found.values())


def score_table(results, suite, methods, what="accuracy"):
    """Return the names of the tasks and their mean ARI (tasks x methods).

    Only the tasks that all the methods were run on are in the table.
    """
    columns = [entries(results, suite, method, what) for method in methods]
    names = [n for n in columns[0] if all(n in c for c in columns)] if columns else []
    scores = [[mean_ari(column[name]) for column in columns] for name in names]
    return names, np.array(scores).reshape(len(names), len(methods))


def mean_ranks(scores):
    """Return the mean rank of each method, 1 for the best."""
    return rankdata(-scores, axis=1).mean(axis=0)


def cpu_seconds(results, suite, method, what="accuracy"):
    """Return the median CPU seconds of a fit for each task that did not fail."""
    found = entries(results, suite, method, what)
    return {n: float(np.median(r["cpu"])) for n, r in found.items() if "cpu" in r}


def time_ratio(results, suite, method, base="kmeans"):
    """Return the geometric mean of the ratio of CPU seconds to those of ``base``."""
    own, other = (cpu_seconds(results, suite, m) for m in (method, base))
    ratios = [own[name] / other[name] for name in own if name in other]
    return float(gmean(ratios)) if ratios else None
