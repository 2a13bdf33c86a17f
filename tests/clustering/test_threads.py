"""Fits in eight threads at once, also without the global interpreter lock."""

import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from sklearn.datasets import load_digits

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin

N_THREADS = 8
X, Y = load_digits(return_X_y=True)
PARTS = [np.arange(start, 1797, N_THREADS) for start in range(N_THREADS)]


def few_labels(rows):
    y = np.full(len(rows), -1)
    y[:60] = Y[rows[:60]]
    return y


def cluster(rows):
    return MaxMarginClustering(10, random_state=0).fit(X[rows]).labels_


def classify(rows):
    model = SemiSupervisedMaxMargin(random_state=0)
    return model.fit(X[rows], few_labels(rows)).transduction_


@pytest.mark.parametrize("fit", [cluster, classify])
def test_eight_fits_at_once_find_what_single_ones_do(fit):
    expected = [fit(rows) for rows in PARTS]
    barrier = Barrier(N_THREADS)

    def start(rows):
        barrier.wait()
        return fit(rows)

    with ThreadPoolExecutor(N_THREADS) as pool:
        found = list(pool.map(start, PARTS))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_one_model_predicts_in_eight_threads():
    model = MaxMarginClustering(10, random_state=0).fit(X)
    with ThreadPoolExecutor(N_THREADS) as pool:
        found = list(pool.map(lambda rows: model.predict(X[rows]), PARTS))
    for rows, labels in zip(PARTS, found, strict=True):
        np.testing.assert_array_equal(labels, model.predict(X)[rows])


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="needs Python 3.14t"
)
def test_no_package_switches_the_lock_on_again():
    cluster(PARTS[0])
    assert not sys._is_gil_enabled()
