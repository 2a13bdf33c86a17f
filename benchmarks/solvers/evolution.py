"""Speed of the evolutionary search on a pair of MNIST digits.

Prints how many flips are evaluated in a second with 150 landmarks, and the time of a
whole run of FastEvoMMC on all ones and sevens, r being a hundredth of n, as a share of
the time of ``KMeans(n_init=10)`` on the same rows in the same process with one thread.
The paper has 304 s for it and 605,932 generations. Without the MNIST file (folder
``MAXMARGIN_DATA``), random images in two clusters stand in. Run with ``make
bench-solvers`` or ``python -m benchmarks.solvers.evolution``.
"""

import os
import time
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from maxmargin.metrics import clustering_error
from maxmargin.published.search.evolution import evolve, labels_within, new_breeding
from maxmargin.published.search.flips import (
    next_gain,
    next_gain_of_two,
    set_anchor,
    update_difference,
)
from maxmargin.published.search.mutation import new_moves
from maxmargin.published.search.population import new_population
from maxmargin.rows.sample import draw_sample
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import PLAIN_SUM
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import make_kernel
from maxmargin.smoothers.landmarks import Landmarks, make_smoother

REPEATS = 5
BALANCE = 0.1  # what the sizes of the two digits, 7877 and 7293, ask for


def digit_pair(first=1, second=7):
    """Return all rows of two MNIST digits in [0, 1], or random ones of that shape."""
    path = Path(os.environ.get("MAXMARGIN_DATA", "")) / "mnist.npz"
    if not path.exists():
        random = np.random.RandomState(0)
        y = random.randint(2, size=15_170)
        return random.rand(len(y), 784) + 0.1 * y[:, None], y
    with np.load(path) as file:
        X, y = file["X"], file["y"]
    kept = np.isin(y, (first, second))
    return X[kept] / 255.0, y[kept]


def seconds(function):
    """Return the CPU time of a call, and what it returns."""
    start = time.process_time()
    result = function()
    return time.process_time() - start, result


def flips_per_second(rank=150, n_samples=14_000, n_flips=1_000_000):
    """Return the best rates of evaluating and of deciding single flips on one core.

    The first evaluates every flip that is drawn, the second leaves out those that
    cannot gain by what is remembered of them, as a run does. The population has come
    to rest, so that every flip is turned down. Limits do not bind: no flip is a swap.
    """
    random = np.random.RandomState(0)
    rows = random.randn(n_samples, rank) / np.sqrt(n_samples)
    rows[:, 0] += random.choice([-0.1, 0.1], n_samples)
    weights = np.ones(n_samples)
    balance = make_balance(0.9, 2, weights)._replace(objective=PLAIN_SUM)
    start = labels_within(weights, balance, random)
    run = evolve(rows, weights, [start], balance, random, whole=False)
    population = new_population(rows, weights, balance, [run.labels], 2, whole=False)
    breeding = new_breeding(population, 1, 1, random)
    update_difference(population, 0, breeding.cache)
    set_anchor(breeding.cache)
    moves = new_moves((2,))
    common = (population, 0, breeding.generator, moves, breeding.clock, n_flips, 1e9)
    rates = []
    for function, arguments in (
        (next_gain, common),
        (next_gain_of_two, (*common, breeding.cache)),
    ):
        function(*arguments)
        call = partial(function, *arguments)
        times = [seconds(call)[0] for _ in range(REPEATS)]
        rates.append(n_flips / min(times))
    return rates


def search_times(X, y):
    """Return the time of the features, and time and error of runs from some seeds.

    The same run is repeated, and the least time counts: machines are noisy.
    """
    random = np.random.RandomState(0)

    def features():
        sample = draw_sample(X, np.ones(len(X)), merge=True, limit=None, random=random)
        kernel = make_kernel("rbf", X, random=random)
        return sample, make_smoother(
            X, sample, kernel, Ridge(), Landmarks(len(X) // 100), random
        )

    features_time, (sample, smoother) = seconds(features)
    weights = sample.weights
    rows = smoother.features * weights[:, None]
    balance = make_balance(BALANCE, 2, weights)._replace(objective=PLAIN_SUM)
    runs = []
    for seed in range(REPEATS):

        def one_run(seed=seed):
            own = np.random.RandomState(seed)
            start = labels_within(weights, balance, own)
            return evolve(rows, weights, [start], balance, own, whole=False)

        tries = [seconds(one_run) for _ in range(REPEATS)]
        run = tries[0][1]
        error = clustering_error(y, run.labels[sample.inverse])
        runs.append((min(duration for duration, _ in tries), error, run))
    return features_time, runs


def report():
    """Print the figures."""
    evaluated, decided = flips_per_second()
    print(f"flips a second, r = 150: {evaluated:,.0f} evaluated, ", end="")
    print(f"{decided:,.0f} decided at rest")
    X, y = digit_pair()
    features_time, runs = search_times(X, y)
    means_time = min(
        seconds(lambda: KMeans(2, n_init=10, random_state=0).fit(X))[0]
        for _ in range(REPEATS)
    )
    print(f"\n{len(X)} rows, CPU seconds on one core; error of each run in brackets")
    print(f"k-means, 10 starts  {means_time:8.2f}")
    print(f"kernel features     {features_time:8.2f}")
    for duration, error, run in runs:
        print(
            f"search, one run     {duration:8.2f}   {duration / means_time:.3f} of "
            f"k-means   rounds {run.n_iter}   objective {run.objective:.1f}   "
            f"({100 * error:.2f} %)"
        )
    middle = float(np.median([duration for duration, _, _ in runs]))
    total = features_time + middle
    print(
        f"median search {middle:.2f} s = {middle / means_time:.3f} of k-means; with "
        f"features {total:.2f} s = {total / means_time:.2f}; the paper has 304 s"
    )


def main():
    """Measure with one thread."""
    with threadpool_limits(1):
        evolve_once()
        report()


def evolve_once():
    """Load the compiled code."""
    weights = np.ones(20)
    balance = make_balance(0.3, 2, weights)
    random = np.random.RandomState(0)
    start = labels_within(weights, balance, random)
    evolve(random.rand(20, 3), weights, [start], balance, random, whole=False)


if __name__ == "__main__":
    main()
