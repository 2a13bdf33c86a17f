"""Theorems 1 and 2 of paper 000: the time of one fitness.

With what is stored, the fitness of a mutated labelling takes O(s n) time, and O(s r)
with r basis vectors, if s labels are flipped. Here: CPU time of a generation with one
parent and one offspring and a fixed number of flips. It has the mutation, the fitness
and, where the offspring survives, the update of what is stored.
"""

import numpy as np
from sklearn.datasets import make_blobs

from benchmarks.papers.p000.runs import exact_rows, landmark_rows, make_problem
from benchmarks.papers.times import add_growth, cpu_seconds
from maxmargin.published.search.evolution import evolve, labels_within
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import PLAIN_SUM

TITLE = "Paper 000, Theorems 1 and 2: time of one fitness"

SAMPLES, VECTORS, FLIPS = 2000, 200, 8  # where they are not varied
GENERATIONS = 20_000
SETTING = {"alpha": 0.5, "width": 1}
EXACT, FAST = "EvoMMC, µs", "FastEvoMMC, µs"


def measure(n_samples, n_vectors, n_flips, generations):
    """Return the CPU seconds of a generation; without vectors, of Theorem 1."""
    X, y = make_blobs(n_samples, 10, centers=2, random_state=0)
    problem, random = make_problem(X, y), np.random.RandomState(0)
    if n_vectors is None:
        rows = exact_rows(problem, SETTING)
    else:
        rows = landmark_rows(problem, SETTING, 0, n_vectors, random)
    balance = make_balance(0.1, 2, problem.weights)._replace(objective=PLAIN_SUM)
    start = labels_within(problem.weights, balance, random)

    def run():
        return evolve(
            rows,
            problem.weights,
            [start],
            balance,
            np.random.RandomState(1),
            whole=n_vectors is None,
            n_flips=n_flips,
            patience=generations,
            last_generation=generations - 1,
        )

    return cpu_seconds(run) / run().n_generations


def run(store, page):
    """Measure and write the page."""
    generations = store.pick(GENERATIONS, 500)
    page.text(__doc__.partition("\n")[2])

    def times(key, places):
        return [
            store.cell(f"{key}, {where}", lambda w=where: measure(*w, generations))
            for where in places
        ]

    samples = store.pick((500, 1000, 2000, 4000), (200, 400))
    vectors = store.pick((50, 100, 200, 400, 800), (20, 40))
    flips = store.pick((4, 8, 16, 32, 64), (4, 8))
    fixed, kept = store.pick(SAMPLES, 400), store.pick(VECTORS, 40)
    exact = times("samples", [(n, None, FLIPS) for n in samples])
    fast = times("samples", [(n, kept, FLIPS) for n in samples])
    page.text(f"Against n, with s = {FLIPS} flips and r = {kept}:")
    columns = {EXACT: (exact, 1e6), FAST: (fast, 1e6)}
    add_growth(page, "n", samples, columns, {EXACT: 1, FAST: 0})
    fast = times("vectors", [(fixed, r, FLIPS) for r in vectors])
    page.text(f"Against r, with n = {fixed} and s = {FLIPS}:")
    add_growth(page, "r", vectors, {FAST: (fast, 1e6)}, {FAST: 1})
    exact = times("flips", [(fixed, None, s) for s in flips])
    fast = times("flips", [(fixed, kept, s) for s in flips])
    page.text(f"Against s, with n = {fixed} and r = {kept}:")
    columns = {EXACT: (exact, 1e6), FAST: (fast, 1e6)}
    add_growth(page, "s", flips, columns, {EXACT: 1, FAST: 1})
