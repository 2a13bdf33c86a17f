"""One step on large snapshots, as a ratio to k-means on both of them."""

import time

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from benchmarks.evolving.methods import STRATEGIES, make
from maxmargin.datasets import make_evolving_gaussians


def _seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def print_speed(sizes=(100_000, 300_000, 1_000_000), losses=("hinge",)):
    """Print the time of the second step; processor time, all threads."""
    print("\nOne step on n x 2, beside KMeans(n_init=1) on both snapshots")
    for n_objects in sizes:
        first, second = make_evolving_gaussians(n_objects, 1, random_state=0)

        def k_means(first=first, second=second):
            for one in (first, second):
                KMeans(2, n_init=1, random_state=0).fit(one.X)

        peer = np.min([_seconds(k_means) for _ in range(3)])
        for loss in losses:
            for name in STRATEGIES:
                model = make(name, 2, 0, loss=loss).partial_fit(first.X)
                own = _seconds(lambda m=model, s=second: m.partial_fit(s.X))
                nmi = normalized_mutual_info_score(second.y, model.labels_)
                print(
                    f"{n_objects:8d} {loss:8s}{name:4s} {own:6.2f} s, "
                    f"{own / peer:5.2f} x k-means, NMI {nmi:.3f}",
                    flush=True,
                )
