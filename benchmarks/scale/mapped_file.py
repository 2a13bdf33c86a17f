"""Cluster a mapped file of ten million rows within one gigabyte; print the figures."""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.scale.measure import timed
from maxmargin import MaxMarginClustering
from maxmargin.datasets import make_bent_clusters

BLOCK = 500_000


def write_rows(path, n_rows):
    """Write clusters of 25 features, block by block; return their classes."""
    rows = np.lib.format.open_memmap(path, "w+", np.float64, (n_rows, 25))
    pool, classes = make_bent_clusters(BLOCK, 25, random_state=0)
    random = np.random.RandomState(1)
    y = np.empty(n_rows, dtype=np.int8)
    for start in range(0, n_rows, BLOCK):
        chosen = random.randint(BLOCK, size=min(BLOCK, n_rows - start))
        block = pool[chosen] + 0.1 * random.randn(len(chosen), 25)
        rows[start : start + len(chosen)] = block
        y[start : start + len(chosen)] = classes[chosen]
    rows.flush()
    return y


if __name__ == "__main__":
    n_rows = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        y = write_rows(path, n_rows)
        X = np.load(path, mmap_mode="r")
        model = MaxMarginClustering(10, memory_limit="1 GB", random_state=0)
        labels, figures = timed(lambda: model.fit_predict(X))
        print(json.dumps(figures | {"ari": adjusted_rand_score(y, labels)}))
