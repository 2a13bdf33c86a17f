"""Section 3 of paper 001: what the centres save is the time to solve.

Here: CPU time of the parts of a fit, for the checkerboard of the paper and for two of
the digits: the centres, the kernel between samples and centres, and the solution of the
reduced problem. Beside it the fit of scikit-learn's SVC, which has all samples.
"""

import numpy as np
from sklearn.metrics import euclidean_distances
from sklearn.svm import SVC

from benchmarks.papers.protocol import load_pair
from benchmarks.papers.times import cpu_seconds
from maxmargin.datasets import make_checkerboard
from maxmargin.published import ReducedSVC
from maxmargin.published.squared_hinge import separate
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.landmarks import span_basis

TITLE = "Paper 001: time to solve the reduced problem"

# Samples, C, gamma and radius; of the digits gamma and radius in units of their extent.
SETS = {
    "checkerboard, 1000": (lambda: make_checkerboard(1000, random_state=0), 400, 50),
    "checkerboard, 4000": (lambda: make_checkerboard(4000, random_state=0), 400, 50),
    "digits 3-8": (lambda: load_pair("3-8"), None, None),
    "mnist 3-8, 4000": (lambda: _first(*load_pair("mnist 3-8"), 4000), None, None),
}
C = 100.0
COLUMNS = ("centres", "accuracy", "find centres", "kernel", "solve", "fit", "SVC")


def _first(X, y, number):
    return X[:number], y[:number]


def measure(name):
    """Return the numbers of `COLUMNS`; times are in CPU seconds."""
    load, squares, radius = SETS[name]
    X, y = load()
    if squares is None:
        middle = float(np.median(euclidean_distances(X[:500])))
        squares, radius = middle**2, 0.9 * middle
    options = {"gamma": 1.0 / squares, "C": C}
    model = ReducedSVC(radius=radius, random_state=0, **options)
    whole = cpu_seconds(lambda: model.fit(X, y), 1)
    fixed = ReducedSVC(centers=model.centers_, random_state=0, **options)
    without = cpu_seconds(lambda: fixed.fit(X, y), 1)
    codes = (y == model.classes_[1]).astype(int)
    basis = span_basis(Kernel("rbf", {"gamma": options["gamma"]}), X, model.centers_)
    features = basis(X)
    kernel = cpu_seconds(lambda: basis(X), 1)
    weights = np.ones(len(X))
    solve = cpu_seconds(
        lambda: separate(features, codes, weights, C, model.tol, model.max_iter), 1
    )
    svc = cpu_seconds(lambda: SVC(C=C, gamma=options["gamma"]).fit(X, y), 1)
    centres = max(whole - without, 0.0)
    return [
        model.n_centers_,
        100 * model.score(X, y),
        centres,
        kernel,
        solve,
        whole,
        svc,
    ]


def run(store, page):
    """Measure and write the page."""
    names = store.pick(list(SETS), ["digits 3-8"])
    page.text(__doc__.partition("\n")[2])
    cells = {}
    for name in names:
        found = store.cell(name, lambda n=name: measure(n))
        for column, value in zip(COLUMNS, found or (), strict=False):
            cells[name, column] = f"{value:.3g}"
    page.table(names, COLUMNS, cells, corner="CPU seconds")
