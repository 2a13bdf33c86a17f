"""What holds for the package as a whole."""

import os
import subprocess
import sys

import pytest

import maxmargin

FIT = """
import numpy as np
from maxmargin import MaxMarginClustering
from maxmargin.search import descent, shaking
X = np.random.RandomState(0).randn(40, 2)
MaxMarginClustering(2, kernel="rbf").fit(X)
compiled = [shaking.claim, descent.sweep_moves]
print(sum(sum(f.stats.cache_misses.values()) for f in compiled))
"""


def run(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.split()


def test_import_is_light():
    """Neither scikit-learn nor numba is loaded before a name is used."""
    code = (
        "import sys, maxmargin; print('numba' in sys.modules, 'sklearn' in sys.modules)"
    )
    assert run(code) == ["False", "False"]


def test_a_second_process_does_not_compile_again(tmp_path):
    first = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    second = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    assert int(first[0]) > 0
    assert int(second[0]) == 0


def test_public_names():
    for name in maxmargin.__all__:
        assert getattr(maxmargin, name)
    assert dir(maxmargin) == maxmargin.__all__
    with pytest.raises(AttributeError, match="no attribute 'KMeans'"):
        getattr(maxmargin, "KMeans")  # noqa: B009
