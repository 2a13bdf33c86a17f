"""The tables of methods in the documentation: each call has the result beside it."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import adjusted_rand_score

from maxmargin import published
from maxmargin.datasets import make_checkerboard, make_evolving_gaussians

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "methods.md"
CELLS = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
WITH_RESULT = re.compile(r"`(\w+\([^`]*\))` \| ([\w -]+) \| (\d\.\d\d) \|")
ROWS = [
    (call, name, float(index))
    for line in CELLS
    for call, name, index in WITH_RESULT.findall(line)
]


def data_of(name):
    if name == "iris":
        return load_iris(return_X_y=True)
    if name == "checkerboard":
        return make_checkerboard(1000, random_state=0)
    X, y = load_digits(return_X_y=True)
    rows = np.flatnonzero((y == 1) | (y == 7))
    rows = rows[:60] if name == "60 digits" else rows
    return X[rows], y[rows]


def test_every_method_is_listed_and_every_call_has_a_result():
    text = "\n".join(CELLS)
    assert [name for name in published.PUBLIC if f"`{name}(" not in text] == []
    calls = re.findall(r"`(\w+\([^`]*\))`", text)
    assert len(calls) == len(ROWS) > 30


@pytest.mark.filterwarnings("ignore:.* clusters are empty")
@pytest.mark.parametrize(
    ("call", "name", "index"), ROWS, ids=[f"{call}, {name}" for call, name, _ in ROWS]
)
def test_calls_of_the_tables_on_real_data(call, name, index):
    if '"mmc"' in call:
        pytest.importorskip("scs")
    names = {one: getattr(published, one) for one in published.__all__} | {"np": np}
    snapshots = name == "snapshots"
    X, y = (None, None) if snapshots else data_of(name)
    model = eval(call, names | {"X": X, "y": y})
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    if snapshots:
        for step in make_evolving_gaussians(500, 1, random_state=0):
            model.partial_fit(step.X, ids=step.ids)
        found = adjusted_rand_score(step.y, model.labels_)
    elif is_classifier(model):
        found = model.fit(X, y).score(*make_checkerboard(5000, random_state=1))
    else:
        found = adjusted_rand_score(y, model.fit(X).labels_)
        assert len(np.unique(model.labels_)) > 1
    assert found == pytest.approx(index, abs=0.0101)
