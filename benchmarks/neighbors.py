"""Nearest neighbours of all samples: CPU seconds and recall. ``make bench-neighbors``.

Each row of the table is a data set. The recall is measured on 500 samples: the share of
the 15 neighbours that are no farther than the 15th exact one. The exact neighbours are
found by brute force with scikit-learn, timed on these samples and scaled to all. The
same is measured for pynndescent, if it is installed, with its defaults and one thread.

Documents are sparse counts of words, transformed as by a fit: two data sets of real
text, and draws of a topic model with about 110 distinct words each.
"""

import argparse
import importlib.util
import os
import time
from functools import partial
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
EMBEDDINGS = ("agnews", "banking77", "snips7", "stackoverflow20", "tweet89")


def data_sets(quick):
    """Yield names, with numbers of rows and columns, and functions of the samples."""
    yield from real_data()
    for columns in (20, 200):
        random = np.random.RandomState(0)
        yield (
            f"Gaussian, no structure | 10,000 | {columns}",
            partial(random.randn, 10_000, columns),
        )
    sizes = [(10_000, 20)]
    if not quick:
        sizes += [(100_000, 20), (1_000_000, 20), (20_000, 1000)]
    for n, columns in sizes:
        yield f"bent clusters | {n:,} | {columns}", partial(make_bent, n, columns)
    for n in (10_000,) if quick else (20_000, 50_000, 100_000):
        yield f"documents, sparse | {n:,} | 20,000", partial(make_documents, n, 20_000)


def make_bent(n_samples, n_features):
    """Return ten bent clusters."""
    return make_bent_clusters(n_samples, n_features, 10, random_state=0)[0]


def real_data():
    """Yield names and functions of the public data that are there."""
    folder = Path(os.environ.get("MAXMARGIN_DATA", ""))
    dense = ("usps", "letter", "pendigits", "mnist")
    for name in (*dense, "newsgroups_basehock", "newsgroups_pcmac"):
        path = folder / f"{name}.npz"
        if path.exists():
            rows, columns = np.load(path)["X"].shape
            kind = "" if name in dense else ", sparse"
            yield f"{name}{kind} | {rows:,} | {columns}", partial(load, path, kind)
    paths = [folder / "embeddings" / f"{name}.npz" for name in EMBEDDINGS]
    if all(path.exists() for path in paths):
        yield "embeddings | 100,000 | 384", partial(mix_embeddings, paths, 100_000)


def load(path, kind):
    """Return the samples of a file, counts as a fit compares them."""
    X = np.load(path)["X"].astype(np.float64)
    return hellinger(sp.csr_array(X)) if kind else X


def mix_embeddings(paths, n_samples):
    """Return points between random embeddings of sentences and others of their class.

    There are 23,472 sentences in all, and some of them are taken more than once.
    """
    random = np.random.RandomState(0)
    sets = [np.load(path) for path in paths]
    X = np.concatenate([one["X"] for one in sets]).astype(np.float32)
    labels = [f"{j} {label}" for j, one in enumerate(sets) for label in one["y"]]
    classes = np.unique(labels, return_inverse=True)[1]
    members = [np.flatnonzero(classes == h) for h in range(classes.max() + 1)]
    chosen = random.randint(len(X), size=n_samples)
    others = np.array([random.choice(members[h]) for h in classes[chosen]])
    shares = random.uniform(0.0, 0.5, size=(n_samples, 1)).astype(np.float32)
    return (1.0 - shares) * X[chosen] + shares * X[others]


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


def pynndescent_neighbors(X):
    """Return the neighbours of all samples by pynndescent with its defaults."""
    from pynndescent import NNDescent

    rows = X.astype(np.float32)
    found = NNDescent(rows, n_neighbors=K + 1, n_jobs=1, random_state=0)
    return found.neighbor_graph[0][:, 1:]


def measure(X, searches):
    """Return CPU seconds and recall of each search, and the seconds of brute force."""
    rows = np.random.RandomState(1).choice(X.shape[0], N_CHECKED, replace=False)
    start = time.process_time()
    index = NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(X)
    exact = index.kneighbors(X[rows])[0][:, -1]
    brute = (time.process_time() - start) * X.shape[0] / N_CHECKED
    figures = []
    for search in searches:
        start = time.process_time()
        with single_threaded_libraries():
            positions = search(X)
        seconds = time.process_time() - start
        found = np.stack([distances_to(X, i, positions[i]) for i in rows])
        recall = np.mean(found <= exact[:, None] * (1 + 1e-4) + 1e-9)
        figures += [f"{seconds:.1f}", f"{recall:.3f}"]
    return [*figures, *["", ""] * (2 - len(searches)), f"{brute:.1f}"]


def distances_to(X, row, others):
    """Return the distances of a sample to some others."""
    part = X[np.append(others, row)]
    part = part.toarray() if sp.issparse(X) else part
    return np.linalg.norm(part[:-1] - part[-1], axis=1)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--only", default="", help="rows of the table with this text")
    options = parser.parse_args()
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise SystemExit("set OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1")
    dense, sparse = [find_neighbors], [find_neighbors]
    if importlib.util.find_spec("pynndescent") is not None:
        dense.append(pynndescent_neighbors)
    few = np.random.RandomState(0).randn(5000, 70)
    with single_threaded_libraries():  # compile
        for search in dense:
            search(few)
            search(few[:, :20])
        find_neighbors(sp.csr_array(few[:300]))
    print(
        "| data | rows | columns | CPU s | recall | pynndescent, CPU s | its recall | "
        "brute force, CPU s |"
    )
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name, make in data_sets(options.quick):
        if options.only in name:
            X = make()
            figures = measure(X, sparse if sp.issparse(X) else dense)
            print(f"| {name} | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
