"""Labels do not depend on what distances do not depend on."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine, make_moons
from sklearn.preprocessing import StandardScaler

from maxmargin import MaxMarginClustering

DATA = {
    "iris": (load_iris().data, 3),
    "wine": (StandardScaler().fit_transform(load_wine().data), 3),
    "digits": (load_digits().data[:900], 10),
    "moons": (make_moons(500, noise=0.1, random_state=0)[0], 2),
}


def rotate(X):
    turn, _ = np.linalg.qr(np.random.RandomState(0).randn(X.shape[1], X.shape[1]))
    return X @ turn


CHANGES = {
    "columns": lambda X: X[:, ::-1].copy(),
    "x 2": lambda X: 2.0 * X,
    "/ 255": lambda X: X / 255,
    "x 1e6": lambda X: 1e6 * X,
    "shift": lambda X: X + 3.0,
    "rotation": rotate,
    "single precision": lambda X: X.astype(np.float32),
    "sparse": sp.csr_array,
    "constant column": lambda X: np.column_stack([X, np.full(len(X), 7.0)]),
}


def labels_of(X, k):
    return MaxMarginClustering(k, random_state=0).fit_predict(X)


@pytest.mark.parametrize("name", DATA)
def test_harmless_changes_leave_the_labels(name):
    X, k = DATA[name]
    expected = labels_of(X, k)
    for change, function in CHANGES.items():
        found = labels_of(function(X), k)
        np.testing.assert_array_equal(found, expected, err_msg=change)


@pytest.mark.parametrize("name", DATA)
def test_order_of_rows(name):
    X, k = DATA[name]
    order = np.random.RandomState(1).permutation(len(X))
    np.testing.assert_array_equal(labels_of(X[order], k), labels_of(X, k)[order])
