"""Time and network bytes from measured block costs, checked against runs.

``python -m benchmarks.scale.model`` measures what one block costs, adds up what a fit
does, and prints the sums beside runs at several sizes, and a prediction for a cluster.
"""

import argparse
import os
import time

import numpy as np

from benchmarks.scale.measure import in_process
from maxmargin import MaxMarginClustering
from maxmargin.clustering.fit import plan_search
from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import Options
from maxmargin.clustering.part_classifier import GRAM_PER_LANDMARK, PASS_SAMPLES
from maxmargin.datasets import make_bent_clusters
from maxmargin.kernels.feature_map import KernelColumns
from maxmargin.kernels.kernel import make_kernel
from maxmargin.kernels.low_rank_smoother import factor_corner, gram_of_block
from maxmargin.rows.blocks import BLOCK_ROWS
from maxmargin.search.passes import Decisions, pass_block

D, K, M = 20, 10, 800  # features, clusters, landmarks
PASSES = 12  # passes of the classifier, as seen on these data
BYTES = 8


def seconds(function, repeats=5):
    """Return the CPU seconds of a call, the least of some."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def block_costs():
    """Return the seconds of each step on one block of rows."""
    random = np.random.RandomState(0)
    X, _ = make_bent_clusters(BLOCK_ROWS, D, K, random_state=0)
    part, _ = make_bent_clusters(4000, D, K, random_state=0)
    weights = np.ones(BLOCK_ROWS)
    kernel = make_kernel("rbf", X, random=random)
    feature_map = KernelColumns(kernel, X[:M])
    inner = factor_corner(kernel, X, X[:M])
    columns = feature_map(X)
    decisions = Decisions(random.randn(M, K), np.zeros(K))
    model = MarginModel(feature_map, *decisions)
    search = MaxMarginClustering(K, random_state=0)
    search.fit(part[:300])
    return {
        "search": seconds(lambda: search.fit(part), 3),
        "gram": seconds(lambda: gram_of_block(inner, columns.copy(), weights)),
        "columns": seconds(lambda: feature_map(X)),
        "pass": seconds(lambda: pass_block(columns, weights, decisions)),
        "label": seconds(lambda: model.label(X)),
    }


def predict_seconds(n, cost, workers=1):
    """Return the seconds of a fit of n rows, work on blocks shared by the workers."""
    plan = plan_search(n, D, Options(K, memory=1e12))
    passed = min(n, PASS_SAMPLES) / BLOCK_ROWS
    gram = min(n, GRAM_PER_LANDMARK * M) / BLOCK_ROWS
    rounds = 2 if plan.n_parts > 1 else 1  # parts compete on as much as the winner has
    shared = gram * (cost["gram"] + cost["columns"])
    shared += rounds * passed * (cost["columns"] + PASSES * cost["pass"])
    shared += n / BLOCK_ROWS * cost["label"]
    return plan.n_parts * cost["search"] * plan.size / 4000 + shared / workers


def network_bytes(n):
    """Return the bytes to the client: rows searched, inner products, one pass."""
    plan = plan_search(n, D, Options(K, memory=1e12))
    blocks = np.ceil(PASS_SAMPLES / BLOCK_ROWS)
    return {
        "rows searched": plan.n_parts * plan.size * D * BYTES,
        "inner products": np.ceil(GRAM_PER_LANDMARK * M / BLOCK_ROWS) * M * M * BYTES,
        "one pass": blocks * (M * K + K) * BYTES,
    }


def main():
    """Print costs, the check and the prediction."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10**5, 10**6, 10**7])
    sizes = parser.parse_args().sizes
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise SystemExit("set OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1, as runs have")
    cost = block_costs()
    print(f"| step, {BLOCK_ROWS} rows | CPU ms |\n|---|---|")
    for name, value in cost.items():
        print(f"| {name} | {1000 * value:.1f} |")
    print("\n| rows | predicted CPU s | measured |\n|---|---|---|", flush=True)
    for n in sizes:
        measured = in_process("benchmarks.scale.methods", "maxmargin", "bent", n, 0)
        predicted = predict_seconds(n, cost)
        print(f"| {n:,} | {predicted:.1f} | {measured['cpu']:.1f} |", flush=True)
    print(f"\n1e9 rows, 100 workers: {predict_seconds(10**9, cost, 100):.0f} s")
    for name, value in network_bytes(10**9).items():
        print(f"{name}: {value / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
