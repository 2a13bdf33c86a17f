"""Print the comparison as Markdown. ``make bench-scale``.

One thread each, CPU seconds, every method in a process of its own, one after another.
"""

import argparse
import importlib.util
import os
import subprocess
from pathlib import Path

import numpy as np

from benchmarks.scale.measure import in_process

NAMES = {
    "maxmargin": "MaxMarginClustering",
    "kmeans": "KMeans(n_init=10)",
    "mini_batch": "MiniBatchKMeans",
    "faiss_kmeans": "faiss k-means, 10 starts",
    "mixture": "GaussianMixture",
    "umap_kmeans": "UMAP and k-means",
    "evoc": "EVoC, which finds the number",
    "ward": "Ward on 10,000 rows",
    "hdbscan": "HDBSCAN, which finds the number",
    "genie": "Genie",
}
MODULES = {
    "faiss_kmeans": "faiss",
    "umap_kmeans": "umap",
    "evoc": "evoc",
    "genie": "genieclust",
}
GENERATED = ("maxmargin", "kmeans", "mini_batch", "faiss_kmeans", "mixture")
DIGITS = ("maxmargin", "kmeans", "mini_batch", "faiss_kmeans", "umap_kmeans", "evoc")
SHAPES = ("maxmargin", "kmeans", "mixture", "ward", "hdbscan", "genie")


def run(method, name, size, seed):
    """Return the figures of one method."""
    return in_process("benchmarks.scale.methods", method, name, size, seed)


def compare(name, size, methods, seeds, peer_seeds):
    """Print seconds, their ratio to k-means, accuracy and memory of some methods."""
    base = None
    for method in sorted(methods, key=lambda one: one != "kmeans"):
        if method in MODULES and not _has(MODULES[method]):
            continue
        own = seeds if method == "maxmargin" else peer_seeds
        try:
            figures = [run(method, name, size, seed) for seed in own]
        except subprocess.CalledProcessError:
            print(f"| {name} | {NAMES[method]} | failed | | | |", flush=True)
            continue
        seconds, accuracy = _mean(figures, "cpu"), [f["ari"] for f in figures]
        base = seconds if base is None else base
        memory = max(f["memory"] for f in figures) / 1e6
        spread = f" ({min(accuracy):.3f} to {max(accuracy):.3f})"
        print(
            f"| {name}{f' {size:,}' if size else ''} | {NAMES[method]} | "
            f"{seconds:.2f} | {seconds / base:.2f} | {np.mean(accuracy):.3f}"
            f"{spread if len(accuracy) > 1 else ''} | {memory:.0f} |",
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
    parser.add_argument(
        "--sets", nargs="*", default=["mnist", "usps", "sipu_worms_2", "sipu_birch2"]
    )
    parser.add_argument("--predict", type=int, default=1)
    parser.add_argument("--startup", type=int, default=1)
    parser.add_argument("--mapped", type=int, default=10**7)
    parser.add_argument("--dask", type=int, default=10**5)
    options = parser.parse_args()
    print("| rows | method | CPU s | of k-means | ARI | MB above the data |")
    print("|---|---|---|---|---|---|")
    for size in options.sizes:
        seeds = range(options.seeds)
        compare("bent", size, GENERATED, seeds, seeds)
    folder = Path(os.environ.get("MAXMARGIN_DATA", ""))
    seeds = range(5 if options.seeds > 2 else options.seeds)
    for name, methods in (
        ("mnist", DIGITS),
        ("usps", DIGITS),
        ("sipu_worms_2", SHAPES),
        ("sipu_birch2", SHAPES),
    ):
        inner = "shapes" if name.startswith("sipu") else ""
        if name not in options.sets:
            continue
        if (folder / inner / f"{name}.npz").exists():
            compare(name, 0, methods, seeds, [0])
        else:
            print(f"{name} is left out: set MAXMARGIN_DATA to the folder with it")
    if options.predict and (folder / "mnist.npz").exists():
        found = in_process("benchmarks.scale.predict")
        print(
            f"\nMNIST, 60,000 rows fitted, 10,000 predicted: {found['cpu']:.2f} CPU s, "
            f"agreement with a fit of all {found['agreement']:.4f}, model file "
            f"{found['bytes'] / 1e6:.0f} MB, {found['kept']:,} rows kept"
        )
    if options.mapped:
        found = in_process("benchmarks.scale.mapped_file", options.mapped)
        print(
            f"\nMapped file of {options.mapped:,} x 25, memory_limit='1 GB': "
            f"{found['cpu']:.0f} CPU s, ARI {found['ari']:.3f}, "
            f"peak of anonymous memory {found['peak'] / 1e6:.0f} MB"
        )
    if options.startup:
        found = in_process("benchmarks.scale.startup")
        print(
            f"\nFirst fit in a new process: nothing compiled {found['cold']:.1f} s, "
            f"compiled code on disk {found['warm']:.2f} s, second fit "
            f"{found['second']:.2f} s"
        )
    if options.dask and _has("distributed"):
        found = in_process("benchmarks.scale.dask_cluster", options.dask)
        print(
            f"\nDask, two processes, {options.dask:,} rows: {found['dask']:.1f} s, in "
            f"memory {found['memory']:.1f} s, agreement (ARI) {found['agreement']:.4f}"
        )


if __name__ == "__main__":
    main()
