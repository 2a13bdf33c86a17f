"""The public data sets on which methods are compared.

Files are read from the folder that the environment variable ``MAXMARGIN_DATA`` names.
Data sets that are not there are fetched from OpenML, if it has them.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn import datasets as builtin
from sklearn.preprocessing import StandardScaler


class Dataset(NamedTuple):
    """Samples, their classes, and the kind of their features."""

    name: str
    X: np.ndarray
    y: np.ndarray
    kind: str  # "measurements", "images" or "counts"

    def prepared(self, max_samples: int = 5000) -> "Dataset":
        """Return the data set as it is passed to the methods that are compared.

        At most ``max_samples`` samples are kept, drawn with a fixed seed. Constant
        features are dropped. Measurements are standardised; images and counts are not.
        """
        X, y = self.X, self.y
        if len(X) > max_samples:
            rows = np.random.RandomState(0).choice(len(X), max_samples, replace=False)
            X, y = X[np.sort(rows)], y[np.sort(rows)]
        X = X[:, X.min(axis=0) < X.max(axis=0)].astype(np.float64)
        if self.kind == "measurements":
            X = StandardScaler().fit_transform(X)
        return self._replace(X=X, y=np.unique(y, return_inverse=True)[1])


class MissingData(OSError):
    """Raised if a data set is neither in the data folder nor available on OpenML."""


class _Source(NamedTuple):
    file: str  # name of the file without suffix, or key of _BUILTIN
    kind: str = "measurements"
    classes: tuple[int, ...] | None = None  # the classes to keep, by default all
    openml: int | None = None  # number of the data set on OpenML


SUITE = {
    "iris": _Source("iris"),
    "wine": _Source("wine"),
    "wdbc": _Source("wdbc"),
    "digits": _Source("digits", "images"),
    "two moons": _Source("two moons"),
    "ionosphere": _Source("ionosphere", openml=59),
    "letter": _Source("letter", openml=6),
    "letter A-B": _Source("letter", classes=(0, 1), openml=6),
    "letter A-D": _Source("letter", classes=(0, 1, 2, 3), openml=6),
    "satellite": _Source("satellite", openml=182),
    "satellite 1-2": _Source("satellite", classes=(0, 1), openml=182),
    "mnist": _Source("mnist", "images", openml=554),
    "usps": _Source("usps", "images", openml=41082),
    "usps 1-4": _Source("usps", "images", (1, 2, 3, 4), 41082),
    "usps 5-8": _Source("usps", "images", (5, 6, 7, 8), 41082),
    "coil20": _Source("coil20", "images"),
    "pendigits": _Source("pendigits", openml=32),
    "vowel": _Source("vowel"),
    "pima_diabetes": _Source("pima_diabetes", openml=37),
    "bupa_liver": _Source("bupa_liver"),
    "breast_cancer_wisconsin": _Source("breast_cancer_wisconsin", openml=15),
    "svmguide1": _Source("svmguide1"),
    "w1a": _Source("w1a", "counts"),
    "ringnorm": _Source("ringnorm", openml=1496),
    "image_segmentation": _Source("image_segmentation", openml=36),
    "newsgroups_basehock": _Source("newsgroups_basehock", "counts"),
    "newsgroups_pcmac": _Source("newsgroups_pcmac", "counts"),
}


def load_dataset(name: str) -> Dataset:
    """Load a data set of the suite.

    Parameters
    ----------
    name : str
        One of ``SUITE``.

    Returns
    -------
    data : Dataset
        With ``X``, ``y``, and ``prepared()`` for the data as methods are compared on.

    Examples
    --------
    >>> from maxmargin.datasets import load_dataset
    >>> load_dataset("iris").prepared().X.shape
    (150, 4)
    """
    if name not in SUITE:
        raise ValueError(f"{name!r} is not in the suite: use one of {sorted(SUITE)}.")
    source = SUITE[name]
    if source.file in _BUILTIN:
        X, y = _BUILTIN[source.file]()
    else:
        X, y = _from_folder(source.file) or _from_openml(name, source.openml)
    if source.classes is not None:
        rows = np.isin(y, source.classes)
        X, y = X[rows], y[rows]
    return Dataset(name, X, y, source.kind)


_BUILTIN: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "iris": lambda: builtin.load_iris(return_X_y=True),
    "wine": lambda: builtin.load_wine(return_X_y=True),
    "wdbc": lambda: builtin.load_breast_cancer(return_X_y=True),
    "digits": lambda: builtin.load_digits(return_X_y=True),
    "two moons": lambda: builtin.make_moons(1000, noise=0.1, random_state=0),
}


def find_data_file(name: str) -> Path | None:
    """Return the path of ``name.npz`` in the data folder, None if it is not there."""
    folder = os.environ.get("MAXMARGIN_DATA")
    path = Path(folder or "") / f"{name}.npz"
    return path if folder and path.exists() else None


def _from_folder(file: str) -> tuple[np.ndarray, np.ndarray] | None:
    path = find_data_file(file)
    if path is None:
        return None
    with np.load(path) as arrays:
        return arrays["X"], arrays["y"]


def _from_openml(name: str, number: int | None) -> tuple[np.ndarray, np.ndarray]:
    if number is None:
        raise MissingData(
            f"{name} was not found and is not on OpenML: set the environment variable "
            "MAXMARGIN_DATA to the folder that has it."
        )
    try:
        X, y = builtin.fetch_openml(
            data_id=number, return_X_y=True, as_frame=False, parser="liac-arff"
        )
    except Exception as error:
        raise MissingData(
            f"{name} is not in the folder MAXMARGIN_DATA and could not be fetched from "
            f"OpenML: {error}."
        ) from error
    rows = ~np.isnan(X).any(axis=1)
    return X[rows], np.unique(y[rows], return_inverse=True)[1]
