"""Means over the tasks of a suite."""

import numpy as np
from scipy.stats import gmean, rankdata


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


def seed_agreement(results, suite, method):
    """Return the mean agreement of the seeds, the worst one and its task."""
    values = {
        name: result["agreement"]
        for name, result in entries(results, suite, method, "accuracy").items()
        if "agreement" in result
    }
    if not values:
        return None
    worst = min(values, key=values.get)
    return float(np.mean(list(values.values()))), values[worst], worst


def part_agreement(results, suite, method):
    """Return the mean agreement of fits on parts of the rows, the worst, its task."""
    values = {
        name: float(np.mean(result["pairs"]))
        for name, result in entries(results, suite, method, "stability").items()
        if "pairs" in result
    }
    if not values:
        return None
    worst = min(values, key=values.get)
    return float(np.mean(list(values.values()))), values[worst], worst


def score_table(results, suite, methods, what="accuracy"):
    """Return the names of the tasks and their mean ARI (tasks x methods).

    Only the tasks that all the methods were run on are in the table.
    """
    columns = [entries(results, suite, method, what) for method in methods]
    names = [n for n in columns[0] if all(n in column for column in columns)]
    scores = [[mean_ari(column[name]) for column in columns] for name in names]
    return names, np.array(scores).reshape(len(names), len(methods))


def mean_ranks(scores):
    """Return the mean rank of each method, 1 for the best."""
    return rankdata(-scores, axis=1).mean(axis=0)


def time_ratio(results, suite, method, base="kmeans"):
    """Return the geometric mean of the ratio of CPU seconds to those of ``base``."""
    own, other = (entries(results, suite, m, "accuracy") for m in (method, base))
    ratios = [
        np.median(own[name]["cpu"]) / np.median(other[name]["cpu"])
        for name in own
        if "cpu" in own[name] and "cpu" in other.get(name, {})
    ]
    return float(gmean(ratios)) if ratios else None
