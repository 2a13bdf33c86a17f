"""One step on large snapshots, as a ratio to k-means on both of them."""

import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.evolving.methods import STRATEGIES, make
from maxmargin.datasets import make_evolving_gaussians

REPEATS = 3  # of which the fastest counts


def seconds(work):
    """Return the processor time of a piece of work, over all threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def k_means_on_both(first, second):
    """Return the time of k-means, started once, on two snapshots."""

    def work():
        for one in (first, second):
            KMeans(2, n_init=1, random_state=0).fit(one.X)

    return float(np.min([seconds(work) for _ in range(REPEATS)]))


def step_seconds(name, loss, first, second):
    """Return the time of the second step, and its NMI."""
    times = []
    for seed in range(REPEATS):
        model = make(name, 2, seed, loss=loss).partial_fit(first.X)
        times.append(seconds(lambda model=model: model.partial_fit(second.X)))
    return float(np.min(times)), normalized_mutual_info_score(second.y, model.labels_)


def print_speed(sizes=(10_000, 100_000, 1_000_000), losses=("squared", "hinge")):
    """Print the time of the second step; the fastest of some, processor time."""
    print("\nOne step on n x 2, beside KMeans(n_init=1) on both snapshots")
    for loss in losses:  # what is compiled at the first call is not counted
        small = make_evolving_gaussians(10_000, 1, random_state=0)
        for name in STRATEGIES:
            step_seconds(name, loss, *small)
    for n_objects in sizes:
        first, second = make_evolving_gaussians(n_objects, 1, random_state=0)
        peer = k_means_on_both(first, second)
        for loss in losses:
            for name in STRATEGIES:
                own, nmi = step_seconds(name, loss, first, second)
                print(
                    f"{n_objects:8d} {loss:8s}{name:4s} {own:6.2f} s, "
                    f"{own / peer:5.2f} x k-means ({peer:.3f} s), NMI {nmi:.3f}",
                    flush=True,
                )
