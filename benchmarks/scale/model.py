"""Time and network bytes from measured costs per row, checked against runs.

``python -m benchmarks.scale.model`` measures what a row costs to search and to label,
adds up what a fit does, and prints the sums beside runs at several sizes, and a
prediction for a cluster.
"""

import argparse
import os
import time

from benchmarks.scale.measure import in_process
from maxmargin import MaxMarginClustering
from maxmargin.datasets import make_bent_clusters
from maxmargin.engine.options import Options, search_size
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.smoothers.eigenvectors import smoothest_vectors
from maxmargin.smoothers.neighbor_index import N_NEIGHBORS, NeighborIndex, mutual_graph
from maxmargin.smoothers.spectral_smoother import VECTORS_PER_CLUSTER

D, K = 20, 10  # features, clusters
SEARCHED, LABELLED = 40_000, 100_000  # rows with which costs are measured
BYTES = 8


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
    return {
        "neighbours": neighbors / SEARCHED,
        "eigenvectors": vectors / SEARCHED,
        "the rest of a search": (fit - neighbors - vectors) / SEARCHED,
        "label of a further row": label / LABELLED,
    }


def predict_seconds(n, cost, workers=1):
    """Return the seconds of a fit of n rows, labels shared by the workers."""
    searched = min(n, search_size(n, D, Options(K, memory=1e12)))
    *search, label = cost.values()
    return searched * sum(search) + (n - searched) * label / workers


def main():
    """Print costs, the check and the prediction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[10**4, 10**5, 10**6, 10**7]
    )
    sizes = parser.parse_args().sizes
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise SystemExit("set OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1, as runs have")
    cost = row_costs()
    print("| step | CPU microseconds per row |\n|---|---|")
    for step, value in cost.items():
        print(f"| {step} | {1e6 * value:.1f} |")
    print("\n| rows | predicted CPU s | measured |\n|---|---|---|", flush=True)
    for n in sizes:
        found = in_process("benchmarks.scale.methods", "maxmargin", "bent", n, 0)
        print(f"| {n:,} | {predict_seconds(n, cost):.1f} | {found['cpu']:.1f} |")
    n, workers = 10**9, 100
    part = search_size(n, D, Options(K, memory=1e12))
    total = predict_seconds(n, cost, workers)
    print(
        f"\nA billion rows on {workers} workers: {total:.0f} s, "
        f"{part * D * BYTES / 1e6:.1f} MB of rows to the client."
    )


if __name__ == "__main__":
    main()
