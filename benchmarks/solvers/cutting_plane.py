"""Speed and errors of clustering by cutting planes, as rows of Markdown.

Speed: two overlapping groups in 50 dimensions, a ratio to ``LinearSVC`` on the labels
found, CPU time with one thread, best of some.

Errors: the default setting, which sees no label, and a grid over kernel, C and balance
whose best point is chosen by the labels, as the papers do. A smallest error of many
settings is too good by chance alone; the median of the grid stands beside it, with the
number of settings. Labels are the side of the boundary, ``predict``, as in the papers.
Measurements are standardised, images are not. Run with ``make bench-solvers`` or
``python -m benchmarks.solvers.cutting_plane``.
"""

import itertools
import time
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks.data.suite import MissingData, load_dataset
from maxmargin.metrics import clustering_error
from maxmargin.published import CuttingPlaneMaxMarginClustering

REPEATS = 3
SIZES = (25_000, 50_000, 100_000)
# The loops, starts and limits of this library.
ADAPTED = {
    "formulation": "adapted",
    "balance": 0.3,
    "n_init": 4,
    "tol": 1e-3,
    "random_state": 0,
}

# Data, and the error in per cent that Gieseke et al. (ICML 2009) print for CPMMC.
PRINTED = {
    "3-8": 3.08,
    "1-7": 0.0,
    "2-7": 0.0,
    "8-9": 2.26,
    "letter A-B": 5.53,
    "satellite 1-2": 1.52,
    "ionosphere": 27.64,
}
WIDTHS = (None, 0.2, 0.35, 0.5, 1.0)  # linear, or a share of the largest distance
C_FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # times the default
BALANCES = (0.03, 0.3, 0.5)


def load(name):
    """Return samples and classes."""
    if name[0].isdigit():
        X, y = load_digits(return_X_y=True)
        kept = np.isin(y, [int(digit) for digit in name.split("-")])
        return X[kept], y[kept]
    data = load_dataset(name).prepared()
    return data.X, data.y


def least_seconds(function):
    """Return the least CPU time of some calls, and what the last one returns."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return min(times), result


def speed_rows():
    """Yield a row for each number of samples."""
    CuttingPlaneMaxMarginClustering(**ADAPTED).fit(
        np.random.RandomState(0).randn(50, 3)
    )
    for n_samples in SIZES:
        random = np.random.RandomState(0)
        X = random.randn(n_samples, 50)
        X[:, 0] += 3.0 * random.choice([-1, 1], n_samples)
        model = CuttingPlaneMaxMarginClustering(**ADAPTED)
        ours, fitted = least_seconds(lambda m=model, X=X: m.fit(X))
        labels = fitted.labels_
        peer, _ = least_seconds(lambda X=X, y=labels: LinearSVC().fit(X, y))
        yield f"| {n_samples} x 50 | {ours:.2f} | {peer:.2f} | {ours / peer:.2f} |"


def error(X, y, **setting):
    """Return the error in per cent of one fit, and the C it used."""
    model = CuttingPlaneMaxMarginClustering(**ADAPTED | setting).fit(X)
    return 100 * clustering_error(y, model.predict(X)), model.C_


def rows():
    """Yield a row for each data set."""
    for name, printed in PRINTED.items():
        try:
            X, y = load(name)
        except MissingData as missing:
            yield f"| {name} | not measured: {missing} |"
            continue
        default, _ = error(X, y)
        largest = _largest_distance(X)
        found = []
        for width, balance in itertools.product(WIDTHS, BALANCES):
            kernel = {"balance": balance}
            if width is not None:
                gamma = 1 / (2 * (width * largest) ** 2)
                kernel |= {"kernel": "rbf", "gamma": gamma}
            _, C = error(X, y, **kernel)
            found += [error(X, y, C=C * factor, **kernel)[0] for factor in C_FACTORS]
        yield (
            f"| {name} | {default:.2f} | {np.median(found):.2f} | {min(found):.2f} "
            f"| {len(found)} | {printed:.2f} |"
        )


def _largest_distance(X):
    """Return the largest distance between two samples."""
    squares = (X**2).sum(axis=1)
    return np.sqrt((squares[:, None] + squares - 2 * X @ X.T).max())


def main():
    """Print both tables."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print("| rows | cutting planes, CPU s | LinearSVC, CPU s | ratio |")
        print("|---|---|---|---|")
        for row in speed_rows():
            print(row, flush=True)
        print("\n| data | default % | grid median | grid best | settings | printed |")
        print("|---|---|---|---|---|---|")
        for row in rows():
            print(row, flush=True)


if __name__ == "__main__":
    main()
