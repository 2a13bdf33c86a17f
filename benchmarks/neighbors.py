"""Nearest neighbours of all samples: CPU seconds and recall. ``make bench-neighbors``.

Each row of the table is a data set. The recall is measured on 500 samples: the share of
the 15 neighbours that are no farther than the 15th exact one. The exact neighbours are
found by brute force with scikit-learn, timed on these samples and scaled to all.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import NearestNeighbors

from maxmargin.datasets import make_bent_clusters
from maxmargin.graph.neighbor_search import ApproximateNeighbors
from maxmargin.resources import single_threaded_libraries

K = 15
N_CHECKED = 500


def data_sets(quick):
    """Yield names and samples."""
    folder = Path(os.environ.get("MAXMARGIN_DATA", ""))
    for name in ("usps", "letter", "pendigits", "mnist"):
        path = folder / f"{name}.npz"
        if path.exists():
            yield name, np.load(path)["X"].astype(np.float64)
    random = np.random.RandomState(0)
    yield "Gaussian, no structure", random.randn(10_000, 20)
    yield "Gaussian, no structure", random.randn(10_000, 200)
    sizes = (10_000,) if quick else (10_000, 100_000, 1_000_000)
    for n_samples in sizes:
        yield "bent clusters", make_bent_clusters(n_samples, 20, 10, random_state=0)[0]
    if not quick:
        yield "bent clusters", make_bent_clusters(20_000, 1000, 10, random_state=0)[0]


def measure(X):
    """Return CPU seconds, those of brute force, and the recall."""
    rows = np.random.RandomState(1).choice(len(X), N_CHECKED, replace=False)
    start = time.process_time()
    with single_threaded_libraries():
        positions = ApproximateNeighbors(X, K).neighbors()
    seconds = time.process_time() - start
    start = time.process_time()
    index = NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(X)
    exact = index.kneighbors(X[rows])[0][:, -1]
    brute = (time.process_time() - start) * len(X) / N_CHECKED
    found = np.linalg.norm(X[rows, None] - X[positions[rows]], axis=2)
    return seconds, brute, np.mean(found <= exact[:, None] * (1 + 1e-4) + 1e-9)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    quick = parser.parse_args().quick
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise SystemExit("set OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1")
    with single_threaded_libraries():
        ApproximateNeighbors(
            np.random.RandomState(0).randn(300, 70).neighbors(), K
        )  # compile
    print("| data | rows | columns | CPU s | brute force, CPU s | recall |")
    print("|---|---|---|---|---|---|", flush=True)
    for name, X in data_sets(quick):
        seconds, brute, recall = measure(X)
        sizes = f"{X.shape[0]:,} | {X.shape[1]}"
        print(
            f"| {name} | {sizes} | {seconds:.1f} | {brute:.1f} | {recall:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
