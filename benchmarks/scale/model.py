"""Time and network bytes from measured costs per row, checked against runs.

``python -m benchmarks.scale.model`` measures what a row costs to search and to label,
adds up what a fit does, and prints the sums beside runs at several sizes, and a
prediction for a cluster. With ``--costs`` nothing is measured.
"""

import argparse
import os
import time

import numpy as np

from benchmarks.scale.measure import in_process
from maxmargin import MaxMarginClustering
from maxmargin.datasets import make_bent_clusters
from maxmargin.engine.options import GRAPH_PART, Options, search_size
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.smoothers.eigenvectors import smoothest_vectors
from maxmargin.smoothers.neighbor_index import N_NEIGHBORS, NeighborIndex, mutual_graph
from maxmargin.smoothers.spectral_smoother import VECTORS_PER_CLUSTER

D, K = 20, 10  # features, clusters
SEARCHED, LABELLED = 40_000, 100_000  # rows with which costs are measured
BYTES = 8
STEPS = ("neighbours", "eigenvectors", "the rest of a search", "label of a further row")
# The neighbours of a row cost so much more whenever the rows double, as those that are
# compared are farther apart in memory; measured at 300,000 and a million rows.
GROWTH = 9.4e-6
# Of a row that the model keeps: row, row in single precision, lists, links, features.
KEPT_BYTES = 12 * D + 17 * (N_NEIGHBORS + 5) + 24 * K  # three features a cluster


def seconds(function):
    """Return what a function gives, and its CPU seconds."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def row_costs():
    """Return the CPU seconds per row of each step."""
    X, _ = make_bent_clusters(SEARCHED + LABELLED, D, K, random_state=0)
    part, others = X[:SEARCHED], X[SEARCHED:]
    MaxMarginClustering(K).fit(X[:9000]).predict(X[:10])  # load the compiled code
    with single_threaded_libraries(1):
        index = NeighborIndex(part)
        found, neighbors = seconds(lambda: index.neighbors(N_NEIGHBORS))
        graph = mutual_graph(found)
        n_vectors = VECTORS_PER_CLUSTER * K
        _, vectors = seconds(lambda: smoothest_vectors(graph, n_vectors))
    model, fit = seconds(lambda: MaxMarginClustering(K, random_state=0).fit(part))
    model.predict(others[:10])
    _, label = seconds(lambda: model.predict(others))
    search = [neighbors, vectors, fit - neighbors - vectors]
    costs = [*(one / SEARCHED for one in search), label / LABELLED]
    return dict(zip(STEPS, costs, strict=True))


def search_seconds(n, cost):
    """Return the seconds of the search of n rows."""
    neighbors, vectors, rest, _ = cost.values()
    neighbors += GROWTH * max(np.log2(n / SEARCHED), 0.0)
    return n * (neighbors + vectors + rest)


def predict(n, cost, memory=np.inf, workers=1):
    """Return the rows searched, and the seconds of search and labels of n rows."""
    limit = memory if np.isfinite(memory) else 1e15
    searched = min(n, search_size(n, D, Options(K, memory=limit)))
    first = search_seconds(GRAPH_PART, cost) if searched < n else 0.0
    labels = (n - searched) * list(cost.values())[-1] / workers
    return searched, first + search_seconds(searched, cost), labels


def print_cluster(cost, memory=16e9, workers=100):
    """Print what a fit on a cluster takes, and what is sent, on paper."""
    print(
        f"\n| rows, {workers} workers | searched, client of {memory / 1e9:.0f} GB | "
        "search, CPU s | labels, s | rows to the client, MB | model to each worker, at "
        "most, MB |\n|---|---|---|---|---|---|"
    )
    for n in (10**7, 10**8, 10**9):
        searched, search, labels = predict(n, cost, memory, workers)
        print(
            f"| {n:,} | {searched:,} | {search:.0f} | {labels:.1f} | "
            f"{searched * D * BYTES / 1e6:.0f} | {searched * KEPT_BYTES / 1e6:.0f} |"
        )


def main():
    """Print costs, the check and the prediction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[10**4, 10**5, 10**6, 10**7]
    )
    parser.add_argument(
        "--costs", type=float, nargs=4, help="microseconds a row, measured before"
    )
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise SystemExit("set OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1, as runs have")
    if options.costs:
        cost = dict(zip(STEPS, 1e-6 * np.array(options.costs), strict=True))
    else:
        cost = row_costs()
    print("| step | CPU microseconds per row |\n|---|---|")
    for step, value in cost.items():
        print(f"| {step} | {1e6 * value:.1f} |")
    print("\n| rows | searched | predicted CPU s | measured |\n|---|---|---|---|")
    for n in options.sizes:
        searched, search, labels = predict(n, cost)
        figures = f"| {n:,} | {searched:,} | {search + labels:.1f} |"
        if not options.costs:
            found = in_process("benchmarks.scale.methods", "maxmargin", "bent", n, 0)
            figures += f" {found['cpu']:.1f} |"
        print(figures, flush=True)
    print_cluster(cost)


if __name__ == "__main__":
    main()
