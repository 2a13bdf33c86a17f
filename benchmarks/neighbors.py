"""Nearest neighbours of all samples: CPU seconds and recall. ``make bench-neighbors``.

Each row of the table is a data set. The recall is measured on 500 samples: the share of
the 15 neighbours that are no farther than the 15th exact one. The exact neighbours are
found by brute force with scikit-learn, timed on these samples and scaled to all.

Documents are sparse counts of words, transformed as by a fit: two data sets of real
text, and draws of a topic model with about 110 distinct words each.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from maxmargin.datasets import make_bent_clusters
from maxmargin.rows.preparation import hellinger
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.smoothers.approximate_neighbors import ApproximateNeighbors
from maxmargin.smoothers.sparse_neighbors import SparseNeighbors

K = 15
N_CHECKED = 500


def data_sets(quick):
    """Yield names and samples."""
    yield from real_data()
    random = np.random.RandomState(0)
    yield "Gaussian, no structure", random.randn(10_000, 20)
    yield "Gaussian, no structure", random.randn(10_000, 200)
    sizes = (10_000,) if quick else (10_000, 100_000, 1_000_000)
    for n_samples in sizes:
        yield "bent clusters", make_bent_clusters(n_samples, 20, 10, random_state=0)[0]
    if not quick:
        yield "bent clusters", make_bent_clusters(20_000, 1000, 10, random_state=0)[0]
    for n_samples in (10_000,) if quick else (20_000, 50_000, 100_000):
        yield "documents, sparse", make_documents(n_samples, 20_000)


def real_data():
    """Yield names and samples of the public data that are there."""
    folder = Path(os.environ.get("MAXMARGIN_DATA", ""))
    dense = ("usps", "letter", "pendigits", "mnist")
    for name in (*dense, "newsgroups_basehock", "newsgroups_pcmac"):
        path = folder / f"{name}.npz"
        if path.exists():
            X = np.load(path)["X"].astype(np.float64)
            if name in dense:
                yield name, X
            else:
                yield f"{name}, sparse", hellinger(sp.csr_array(X))


def make_documents(n_samples, n_features, n_topics=50, length=150):
    """Return the counts of words of documents, three quarters from one topic."""
    random = np.random.RandomState(0)
    prior = 1.0 / np.arange(1, n_features + 1)
    prior *= 0.05 * n_features / prior.sum()
    topics = np.cumsum(random.dirichlet(prior, size=n_topics), axis=1)
    topics[:, -1] = 1.0
    lengths = np.maximum(random.lognormal(np.log(length), 0.5, n_samples), 10)
    rows = np.repeat(np.arange(n_samples), lengths.astype(int))
    own, other = random.randint(n_topics, size=(2, n_samples))
    topic = np.where(random.rand(len(rows)) < 0.75, own[rows], other[rows])
    words = np.empty(len(rows), dtype=int)
    for h in range(n_topics):
        drawn = np.flatnonzero(topic == h)
        words[drawn] = np.searchsorted(topics[h], random.rand(len(drawn)))
    shape = (n_samples, n_features)
    counts = sp.coo_array((np.ones(len(rows)), (rows, words)), shape)
    return hellinger(counts.tocsr())


def find_neighbors(X):
    """Return the neighbours of all samples by the method for their kind."""
    if sp.issparse(X):
        return SparseNeighbors(X).query(X, K + 1)[1][:, 1:]
    return ApproximateNeighbors(X, K).neighbors()


def measure(X):
    """Return CPU seconds, those of brute force, and the recall."""
    rows = np.random.RandomState(1).choice(X.shape[0], N_CHECKED, replace=False)
    start = time.process_time()
    with single_threaded_libraries():
        positions = find_neighbors(X)
    seconds = time.process_time() - start
    start = time.process_time()
    index = NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(X)
    exact = index.kneighbors(X[rows])[0][:, -1]
    brute = (time.process_time() - start) * X.shape[0] / N_CHECKED
    found = np.stack([distances_to(X, i, positions[i]) for i in rows])
    return seconds, brute, np.mean(found <= exact[:, None] * (1 + 1e-4) + 1e-9)


def distances_to(X, row, others):
    """Return the distances of a sample to some others."""
    part = X[np.append(others, row)]
    part = part.toarray() if sp.issparse(X) else part
    return np.linalg.norm(part[:-1] - part[-1], axis=1)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    quick = parser.parse_args().quick
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise SystemExit("set OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1")
    few = np.random.RandomState(0).randn(300, 70)
    with single_threaded_libraries():  # compile
        find_neighbors(few)
        find_neighbors(sp.csr_array(few))
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
