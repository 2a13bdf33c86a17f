"""Runs of EvoMMC and FastEvoMMC as paper 000 makes them.

A run is one search from random labels by `maxmargin.published.search.evolution`, as in
``EvolutionaryMaxMarginClustering(n_init=1)``. What does not change from run to run is
computed once here: without landmarks the smoother. FastEvoMMC draws new landmarks for
each run; a seed has the same ones at every point of the grid, so that distances to them
are computed once.
"""

import itertools
from typing import NamedTuple

import numpy as np
from sklearn.metrics import euclidean_distances

from benchmarks.papers.protocol import (
    best_point,
    class_balance,
    counted_seeds,
    extent,
)
from maxmargin.metrics import clustering_error
from maxmargin.published.search.evolution import evolve, labels_within
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import PLAIN_SUM
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import (
    exact_smoother,
    factor_corner,
    factor_gram,
    gram_of_block,
    project_columns,
)

# Footnote 9: lambda n, and sigma in units of s.
ALPHAS = (1 / 2, 1 / 200, 1 / 1000)
WIDTHS = (1, 3, 5)
GRID = tuple(
    {"alpha": alpha, "width": width}
    for alpha, width in itertools.product(ALPHAS, WIDTHS)
)
MEMBERS = {"EvoMMC": 10, "FastEvoMMC": 1}  # mu = nu of section 4.2


KEPT = 20  # seeds whose distances to landmarks are kept


class Problem(NamedTuple):
    """A set of two classes, ready for many runs; each row is a sample."""

    X: np.ndarray
    weights: np.ndarray  # one for each row
    y: np.ndarray  # classes
    extent: float
    balance: float
    distances: dict  # (seed, number of landmarks): squared distances to them


def make_problem(X, y):
    """Return a problem; the balance l is what the classes ask for."""
    return Problem(X, np.ones(len(X)), y, extent(X), class_balance(y), {})


def run_errors(problem, method, setting, seeds, share=0.1):
    """Return the error in per cent of a run for each seed.

    ``share`` is the part of the samples that FastEvoMMC takes as landmarks.
    """
    weights, members = problem.weights, MEMBERS[method]
    exact = method == "EvoMMC"
    balance = make_balance(problem.balance, 2, weights)._replace(objective=PLAIN_SUM)
    rows = exact_rows(problem, setting) if exact else None
    found = []
    for seed in seeds:
        random = np.random.RandomState(seed)
        if not exact:
            number = int(share * len(problem.y))
            rows = landmark_rows(problem, setting, seed, number, random)
        run = evolve(
            rows,
            weights,
            [labels_within(weights, balance, random) for _ in range(members)],
            balance,
            random,
            whole=exact,
            n_offspring=members,
        )
        found.append(100 * clustering_error(problem.y, run.labels))
    return found


def gaussian(problem, setting):
    """Return the kernel ``exp(-|x - x'|^2 / sigma^2)``."""
    return Kernel("rbf", {"gamma": 1.0 / (setting["width"] * problem.extent) ** 2})


def exact_rows(problem, setting):
    """Return the smoother of all samples."""
    everything = np.arange(len(problem.weights))
    return exact_smoother(
        gaussian(problem, setting),
        problem.X,
        problem.weights,
        everything,
        Ridge(setting["alpha"]),
    ).matrix()


def landmark_rows(problem, setting, seed, number, random):
    """Return the features of a smoother with landmarks drawn at random.

    They are those of `maxmargin.smoothers.smoother.landmark_smoother`.
    """
    X, weights = problem.X, problem.weights
    chosen = np.sort(random.choice(len(X), number, replace=False))
    squares = problem.distances.get((seed, number))
    if squares is None:
        squares = euclidean_distances(X, X[chosen], squared=True)
        if len(problem.distances) < KEPT:
            problem.distances[seed, number] = squares
    kernel = gaussian(problem, setting)
    columns = np.exp(-kernel.parameters["gamma"] * squares)
    inner = factor_corner(kernel, X, X[chosen])
    gram = gram_of_block(inner, columns, weights).gram
    _, outer = factor_gram(gram, Ridge(setting["alpha"]), len(X))
    features = columns @ project_columns(inner, outer)
    return np.ascontiguousarray(features) * weights[:, None]


def best_runs(problem, method, share=0.1, grid=GRID, **protocol):
    """Return the best point of the grid and its errors, as JSON can hold them."""
    setting, found = best_point(
        lambda setting, seeds: run_errors(problem, method, setting, seeds, share),
        grid,
        **protocol,
    )
    return {"setting": setting, "errors": found.tolist()}


def repeat_runs(
    problem, method, setting, share=0.1, grid=None, finalists=None, **counts
):
    """Return what `best_runs` does for a point of the grid that is known."""
    seeds, groups = counted_seeds(**counts)
    found = run_errors(problem, method, setting, seeds, share)
    return {"setting": setting, "errors": np.reshape(found, (groups, -1)).tolist()}


def mean_of_best(cell):
    """Return mean and spread of the smallest error of each group of runs."""
    best = np.min(cell["errors"], axis=1)
    return float(best.mean()), float(best.std())
