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

DOCS = Path(__file__).parents[2] / "docs"
PAGES = (DOCS / "guide" / "methods.md", DOCS / "papers" / "recipes.md")
WITH_RESULT = re.compile(r"`(\w+\([^`]*\))` \| ([\w -]+) \| (-?\d\.\d\d) \|")


def cells_of(page):
    return "\n".join(
        line for line in page.read_text().splitlines() if line.startswith("|")
    )


ROWS = [
    (call, name, float(index))
    for page in PAGES
    for call, name, index in WITH_RESULT.findall(cells_of(page))
]


def data_of(name):
    if name == "iris":
        return load_iris(return_X_y=True)
    if name == "checkerboard":
        return make_checkerboard(1000, random_state=0)
    X, y = load_digits(return_X_y=True)
    pair = "1-7" if name == "60 digits" else name.removeprefix("digits ")
    rows = np.flatnonzero(np.isin(y, [int(digit) for digit in pair.split("-")]))
    rows = rows[:60] if name == "60 digits" else rows
    return X[rows], y[rows]


def test_every_method_is_listed_and_every_call_has_a_result():
    methods, recipes = map(cells_of, PAGES)
    assert [name for name in published.PUBLIC if f"`{name}(" not in methods] == []
    calls = re.findall(r"`([A-Z]\w+\([^`]*\))`", methods + recipes)
    assert len(calls) == len(ROWS) > 50


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
