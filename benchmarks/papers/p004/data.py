"""The data sets of section 4, unscaled as the paper has them.

- Digits are the 1797 of the UCI repository that scikit-learn ships. Where the paper has
  about 390 of each digit (sections 3 and 4.1), it has the other part of the same data.
- Of svmguide1 and ringnorm 500 samples of each class are drawn, as in the paper. Draws
  matter, so that there are two.
- ``image`` is the two-class version of UCI's image segmentation from the benchmark
  repository that the paper names: 2086 distinct rows, the 18 columns that are not
  constant, standardised, of which 1010 are drawn, as many as that repository tests on.
  Which of the seven classes are joined there we could not look up. Cement, window and
  grass against the rest (898 and 1188 rows) comes close to the paper's k-means error.
- w1b is not to be had, and w1a, of the same origin, has no more than 72 samples of the
  smaller class where the paper draws 500.
"""

import numpy as np

from benchmarks.data.suite import MissingData, load_dataset
from benchmarks.papers.protocol import load_pair

SETS = (
    "3-8", "1-7", "2-7", "8-9", "ionosphere", "w1b", "svmguide1-a", "letter A-B",
    "satellite 1-2", "image", "ringnorm",
)  # fmt: skip
DRAWS = 2
PER_CLASS = 500
IMAGE_CLASSES = (3, 4, 6)
IMAGE_ROWS = 1010


def load(name, draws=DRAWS):
    """Return the draws, samples and classes each, of a data set of Table 1."""
    if name == "w1b":
        raise MissingData("w1b: w1a has 72 samples of a class of which 500 are drawn.")
    if name == "image":
        return [draw_image(seed) for seed in range(draws)]
    if name in ("svmguide1-a", "ringnorm"):
        data = load_dataset(name.removesuffix("-a"))
        X = data.X.astype(np.float64)
        return [draw(X, data.y, PER_CLASS, seed) for seed in range(draws)]
    return [load_pair(name)]


def draw(X, y, number, seed):
    """Return so many samples of each class."""
    random = np.random.RandomState(seed)
    rows = [
        random.choice(np.flatnonzero(y == h), number, replace=False)
        for h in np.unique(y)
    ]
    rows = np.sort(np.concatenate(rows))
    return X[rows], y[rows]


def draw_image(seed):
    """Return a part of the two-class version of image segmentation."""
    data = load_dataset("image_segmentation")
    X, rows = np.unique(data.X.astype(np.float64), axis=0, return_index=True)
    X = X[:, X.min(axis=0) < X.max(axis=0)]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    chosen = np.random.RandomState(seed).choice(len(X), IMAGE_ROWS, replace=False)
    return X[chosen], np.isin(data.y[rows], IMAGE_CLASSES)[chosen]
