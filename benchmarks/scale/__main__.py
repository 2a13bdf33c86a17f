"""Print the comparison as Markdown. ``make bench-scale``.

One thread each, CPU seconds, every method in a process of its own, one after another.
"""

import argparse
import importlib.util
import os
from pathlib import Path

import numpy as np

from benchmarks.scale.measure import in_process

NAMES = {
    "maxmargin": "MaxMarginClustering",
    "exact": "exact, 5000 rows, predict for all",
    "kmeans": "KMeans(n_init=10)",
    "mini_batch": "MiniBatchKMeans",
    "faiss_kmeans": "faiss k-means, 10 starts",
    "mixture": "GaussianMixture",
}


def run(method, name, size, seed):
    """Return the figures of one method."""
    return in_process("benchmarks.scale.methods", method, name, size, seed)


def compare_sizes(sizes, seeds):
    """Print seconds, their ratio to k-means, accuracy and memory at every size."""
    methods = [m for m in NAMES if m != "faiss_kmeans" or _has("faiss")]
    print("| rows | method | CPU s | of k-means | ARI | MB above the data |")
    print("|---|---|---|---|---|---|")
    for size in sizes:
        figures = {
            method: [run(method, "bent", size, seed) for seed in seeds]
            for method in methods
        }
        base = _mean(figures["kmeans"], "cpu")
        for method in methods:
            seconds = _mean(figures[method], "cpu")
            print(
                f"| {size:,} | {NAMES[method]} | {seconds:.2f} | "
                f"{seconds / base:.2f} | {_mean(figures[method], 'ari'):.3f} | "
                f"{max(f['memory'] for f in figures[method]) / 1e6:.0f} |",
                flush=True,
            )


def compare_mnist(seeds):
    """Print the comparison on all 70,000 digits."""
    print("\n| MNIST, 70,000 rows | CPU s | of k-means | ARI |")
    print("|---|---|---|---|")
    figures = {
        m: [run(m, "mnist", 0, s) for s in seeds] for m in ("kmeans", "maxmargin")
    }
    base = _mean(figures["kmeans"], "cpu")
    for method, runs in figures.items():
        accuracy = [f["ari"] for f in runs]
        print(
            f"| {NAMES[method]} | {_mean(runs, 'cpu'):.1f} | "
            f"{_mean(runs, 'cpu') / base:.2f} | {np.mean(accuracy):.3f} "
            f"({min(accuracy):.3f} to {max(accuracy):.3f}) |",
            flush=True,
        )


def _mean(figures, key):
    return float(np.mean([f[key] for f in figures]))


def _has(module):
    return importlib.util.find_spec(module) is not None


def main():
    """Run what was asked for, by default everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10**4, 10**5, 10**6])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--mapped", type=int, default=10**7)
    parser.add_argument("--dask", type=int, default=10**5)
    options = parser.parse_args()
    if options.sizes:
        compare_sizes(options.sizes, range(options.seeds))
    if (Path(os.environ.get("MAXMARGIN_DATA", "")) / "mnist.npz").exists():
        compare_mnist(range(5 if options.seeds > 2 else options.seeds))
    else:
        print("\nMNIST is left out: set MAXMARGIN_DATA to the folder with mnist.npz")
    if options.mapped:
        found = in_process("benchmarks.scale.mapped_file", options.mapped)
        print(
            f"\nMapped file of {options.mapped:,} x 25, memory_limit='1 GB': "
            f"{found['cpu']:.0f} CPU s, ARI {found['ari']:.3f}, "
            f"peak of anonymous memory {found['peak'] / 1e6:.0f} MB"
        )
    if options.dask and _has("distributed"):
        found = in_process("benchmarks.scale.dask_cluster", options.dask)
        print(
            f"\nDask, two processes, {options.dask:,} rows: {found['dask']:.1f} s, in "
            f"memory {found['memory']:.1f} s, agreement (ARI) {found['agreement']:.4f}"
        )


if __name__ == "__main__":
    main()
