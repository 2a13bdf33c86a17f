"""The three suites of clustering tasks: public, shapes and small.

A task has samples and one or more reference labellings. Those of the public suite are
``SUITE``. Those of ``shapes`` are read from the folder ``shapes`` in
``MAXMARGIN_DATA``: one ``.npz`` for each set, with ``X`` and the references ``y0``,
``y1``, ..., whose labels count from 1; 0 is noise. ``tables`` has tables of
measurements as they were published, for the comparison with standardised columns,
``none`` has samples without clusters, and ``clubench`` has the sets of that benchmark,
from the folder ``tables``, with standardised columns or as published.
"""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.no_structure import NAMES, draw_without_structure
from benchmarks.accuracy.small import draw_rows, draw_small, small_names
from benchmarks.data.suite import SUITE, MissingData, find_data_file, load_dataset

BATTERIES = ("fcps", "graves", "other", "sipu", "wut")
LARGE = ("sipu_birch2", "sipu_worms_2")  # in the benchmark of many rows
NOISE = -1


class Task(NamedTuple):
    """Samples and their reference labellings, in which ``NOISE`` is not scored."""

    name: str
    X: np.ndarray
    references: tuple[np.ndarray, ...]

    @property
    def counts(self):
        """The numbers of clusters of the references, one for each reference."""
        return [len(np.unique(y[y != NOISE])) for y in self.references]

    def cut(self, max_samples):
        """Return the task with at most so many rows, drawn with seed 0."""
        rows = draw_rows(len(self.X), max_samples, np.random.RandomState(0))
        return Task(self.name, self.X[rows], tuple(y[rows] for y in self.references))


def _public(name):
    data = load_dataset(name).prepared()
    return Task(name, data.X, (data.y,))


def _small(name):
    data = draw_small(name)
    return Task(name, data.X, (data.y,))


def _shapes_folder():
    return Path(os.environ.get("MAXMARGIN_DATA", "")) / "shapes"


def _shapes_names(batteries):
    names = sorted(path.stem for path in _shapes_folder().glob("*.npz"))
    return [n for n in names if n.split("_")[0] in batteries and n not in LARGE]


def _shape(name):
    path = _shapes_folder() / f"{name}.npz"
    if not path.exists():
        raise MissingData(f"{name}: there is no folder shapes in MAXMARGIN_DATA")
    with np.load(path) as arrays:
        references = [arrays[key] for key in sorted(arrays.files) if key[0] == "y"]
        X = arrays["X"].astype(np.float64)
    return Task(name, X, tuple(y.astype(int) - 1 for y in references))


def _table(name):
    if name != "wdbc":
        return _shape(name)
    data = load_dataset(name)
    return Task(name, data.X.astype(np.float64), (data.y,))


def _none(name):
    X = draw_without_structure(name)
    return Task(name, X, (np.zeros(len(X), dtype=int),))


def _clubench_names():
    folder = Path(os.environ.get("MAXMARGIN_DATA", "")) / "tables"
    return sorted(path.stem for path in folder.glob("*.npz"))


def _clubench_raw(name):
    path = find_data_file(f"tables/{name}")
    if path is None:
        raise MissingData(f"{name}: there is no folder tables in MAXMARGIN_DATA")
    with np.load(path) as arrays:
        y = np.unique(arrays["y"], return_inverse=True)[1]
        return Task(name, arrays["X"].astype(np.float64), (y,))


def _clubench(name):
    task = _clubench_raw(name)
    return task._replace(X=StandardScaler().fit_transform(task.X))


# suite: (function that lists the names, function that loads one)
SUITES = {
    "public": (lambda: list(SUITE), _public),
    "shapes": (lambda: _shapes_names(BATTERIES), _shape),
    "small": (small_names, _small),
    "tables": (lambda: ["wdbc", *_shapes_names(("uci",))], _table),
    "none": (lambda: NAMES, _none),
    "clubench": (_clubench_names, _clubench),
    "clubench_raw": (_clubench_names, _clubench_raw),
}


def task_names(suite):
    """Return the names of the tasks of a suite."""
    return SUITES[suite][0]()


def load_task(suite, name):
    """Load one task."""
    return SUITES[suite][1](name)
