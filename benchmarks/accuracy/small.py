"""Small tasks made from the public suite: draws of few rows, and subsets of classes.

- ``<set>, few rows``: a draw of 100 to 300 rows of each set.
- ``<set>, few classes``: of each set with more than two classes, 2 to 4 classes (at
  least one is left out) and at most 500 of their rows.

Numbers, classes and rows are drawn with a seed that depends on the name of the task
alone. The columns are prepared as in the public suite, from the rows that were drawn.
"""

import zlib

import numpy as np

from benchmarks.data.suite import SUITE, load_dataset

ROWS, CLASSES = ", few rows", ", few classes"
# Sets with two classes; listed so that names are known without loading the data.
TWO_CLASSES = (
    "wdbc", "two moons", "ionosphere", "letter A-B", "satellite 1-2", "pima_diabetes",
    "bupa_liver", "breast_cancer_wisconsin", "svmguide1", "w1a", "ringnorm",
    "newsgroups_basehock", "newsgroups_pcmac",
)  # fmt: skip


def small_names():
    """Return the names of the small tasks."""
    return [name + ROWS for name in SUITE] + [
        name + CLASSES for name in SUITE if name not in TWO_CLASSES
    ]


def draw_rows(n_samples, size, random):
    """Return the sorted indices of at most ``size`` rows."""
    return np.sort(random.permutation(n_samples)[:size])


def draw_small(name):
    """Return the data set of a small task."""
    source, _, _ = name.rpartition(", ")
    data = load_dataset(source)
    random = np.random.RandomState(zlib.crc32(name.encode()))
    kept = np.arange(len(data.X))
    if name.endswith(CLASSES):
        classes = np.unique(data.y)
        n_kept = random.randint(2, min(4, len(classes) - 1) + 1)
        kept = np.flatnonzero(
            np.isin(data.y, random.choice(classes, n_kept, replace=False))
        )
        size = 500
    else:
        size = random.randint(100, 301)
    rows = kept[draw_rows(len(kept), size, random)]
    return data._replace(name=name, X=data.X[rows], y=data.y[rows]).prepared()
