"""Two fits of every estimator with default parameters, the second of other samples."""

from functools import partial

import numpy as np
from fuzz_estimators import make
from fuzz_profile import N_INPUTS, QUICK
from sklearn.datasets import make_blobs

SEEDED = {"random_state": 0}
# What each estimator needs besides the defaults, so that a fit takes a fraction of a
# second.
PARAMETERS = {
    "MaxMarginClustering": {"n_clusters": 3} | SEEDED,
    "SemiSupervisedMaxMargin": SEEDED,
    "EvolvingMaxMarginClustering": {"n_clusters": 2} | SEEDED,
    "ImageSegmenter": {"n_clusters": 2, "n_cells": 60} | SEEDED,
    "EvolutionaryMaxMarginClustering": {"n_clusters": 2, "last_generation": 7} | SEEDED,
    "LeastSquaresMaxMarginClustering": {"n_clusters": 2, "n_init": 1} | SEEDED,
    "IterativeMaxMarginClustering": {"n_clusters": 2} | SEEDED,
    "CuttingPlaneMaxMarginClustering": {"n_clusters": 2} | SEEDED,
    "SemidefiniteMaxMarginClustering": {"formulation": "gmmc"} | SEEDED,
    "LeaderClustering": {"n_centers": 5},
    "RecursiveBisection": {"n_clusters": 3} | SEEDED,
    "ReducedSVC": SEEDED,
    "EvolvingMMC": SEEDED,
    "EvolvingKMeans": {"n_clusters": 2} | SEEDED,
    "EvolvingSpectralClustering": {"n_clusters": 2} | SEEDED,
}
N_ROWS = {"SemidefiniteMaxMarginClustering": 20}


class Task:
    """An estimator, and two sets of samples with the arguments of a fit."""

    def __init__(self, name, method="fit", **more):
        self.name, self.method = name, method
        self.parameters = PARAMETERS[name] | more
        self.inputs = [self._input(number) for number in range(2)]

    def _input(self, number):
        n_rows = N_ROWS.get(self.name, 60) + 8 * number
        if self.name == "ImageSegmenter":
            image = np.random.RandomState(number).randint(0, 60, (12, 16 + number, 3))
            image[4:, 6:] += 150
            return image.astype(np.uint8), {}
        X, y = make_blobs(n_rows, centers=3, random_state=number)
        if self.name.startswith("Evolving"):
            halves = np.arange(n_rows) // (n_rows // 2)
            ids = np.arange(n_rows) % (n_rows // 2)
            return X, {"times": halves, "ids": ids}
        if self.name == "SemiSupervisedMaxMargin":
            return X, {"y": np.where(np.arange(n_rows) < 20, y, -1)}
        if self.name == "ReducedSVC":
            return X, {"y": y}
        return X, {}

    def new(self):
        return make(self.name, self.parameters)

    def fit(self, model, number):
        X, arguments = self.inputs[number]
        return getattr(model, self.method)(X, **arguments)

    def results(self, model):
        """Return all that a fitted estimator says, or None if it is not fitted."""
        if not hasattr(model, "labels_") and not hasattr(model, "classes_"):
            extra = set(vars(model)) - set(self.new().__dict__)
            assert not extra, extra
            return None
        found = [np.asarray(getattr(model, "labels_", 0)), len(vars(model))]
        for name in ("predict", "decision_function", "predict_proba"):
            if hasattr(model, name):
                found += [getattr(model, name)(X) for X, _ in self.inputs]
        return found


def same(first, second):
    """Tell whether two results are equal."""
    if first is None or second is None:
        return first is second
    return all(map(np.array_equal, first, second))


MAIN = "MaxMarginClustering"
TASKS = {name: partial(Task, name) for name in PARAMETERS}
TASKS[f"{MAIN} in blocks"] = partial(Task, MAIN, "partial_fit")
if N_INPUTS > QUICK:  # these take many fits each
    TASKS[f"{MAIN} with probabilities"] = partial(Task, MAIN, probability=True)
