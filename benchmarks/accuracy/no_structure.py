"""Samples without clusters: how often a method that finds the number finds none."""

import numpy as np

DRAWS, ROWS = 20, 500
KINDS = {
    "normal": lambda random, shape: random.normal(size=shape),
    "uniform": lambda random, shape: random.uniform(size=shape),
}
NAMES = [f"{kind}, {d} columns" for kind in KINDS for d in (2, 10)]


def draw_without_structure(name):
    """Return the rows of 20 independent draws, one below the other."""
    kind, _, columns = name.partition(", ")
    shape = (DRAWS * ROWS, int(columns.split()[0]))
    return KINDS[kind](np.random.RandomState(0), shape)


def structure(method, task, seeds):
    """Return the numbers of clusters found in each draw, noise not counted."""
    draws = np.split(task.X, DRAWS)
    labels = [np.asarray(method.fit(X.copy(), None, 0)) for X in draws]
    return {"found": [len(np.unique(one[one >= 0])) for one in labels]}
