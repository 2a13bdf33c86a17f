"""The data sets of section 4.2, unscaled.

- Letter has the classes A to D, USPS the first four classes, digits 0 to 3, and the
  next four, each cut to 500 rows drawn with seed 0; which rows the paper has is not
  said. Of digits 1 to 4, the other reading, k-means has an index of 0.79 in place of
  the 0.61 that is printed.
- COIL is the version of 32 x 32 pixels.
- How the paper's moons lie is not said; its k-means has an index of 0.65, where the
  moons of scikit-learn give 0.25. Ours are set apart until k-means has 0.65, too.
"""

from typing import NamedTuple

import numpy as np
from sklearn.metrics import euclidean_distances

from benchmarks.data.suite import load_dataset

SIZE = 500
SETS = (
    "Coil", "Coil 1-4", "Coil 5-8", "Iris", "Letter", "Moons", "USPS 1-4", "USPS 5-8",
)  # fmt: skip


class Data(NamedTuple):
    """Samples, classes, the number of classes, and the largest distance."""

    X: np.ndarray
    y: np.ndarray
    n_clusters: int
    extent: float


def load(name, most=None, seed=0):
    """Return a data set by the name of Table 1, or at most so many rows of it.

    ``seed`` is that of the rows of Letter and USPS.
    """
    if name == "Moons":
        X, y = moons(SIZE)
    elif name.startswith("Coil"):
        X, y = classes("coil20", name)
    elif name.startswith("USPS"):
        X, y = some_rows(*classes("usps", name), SIZE, seed)
    else:
        data = load_dataset("letter A-D" if name == "Letter" else name.lower())
        X, y = some_rows(data.X, data.y, SIZE, seed)
    X, y = some_rows(np.asarray(X, dtype=np.float64), y, most or len(X))
    extent = float(euclidean_distances(X).max())
    return Data(X, y, len(np.unique(y)), extent)


def classes(file, name):
    """Return the rows of the classes that a name such as "Coil 5-8" counts from 1."""
    data = load_dataset(file)
    if "-" not in name:
        return data.X, data.y
    first, last = name.split()[1].split("-")
    kept = (data.y >= int(first) - 1) & (data.y < int(last))
    return data.X[kept], data.y[kept]


def some_rows(X, y, number, seed=0):
    """Return at most so many rows."""
    if len(X) <= number:
        return X, y
    rows = np.random.RandomState(seed).choice(len(X), number, replace=False)
    return X[rows], y[rows]


def moons(n_samples, seed=0):
    """Return two half circles, one upside down, that k-means cannot tell apart."""
    angles = np.linspace(0, np.pi, n_samples // 2)
    upper = np.column_stack([np.cos(angles), np.sin(angles)])
    lower = np.column_stack([1.5 - np.cos(angles), 0.08 - np.sin(angles)])
    noise = 0.1 * np.random.RandomState(seed).randn(n_samples, 2)
    y = np.repeat([0, 1], n_samples // 2)
    return np.concatenate([upper, lower]) + noise, y
