"""The table of methods in the documentation: each call runs, and finds clusters."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from maxmargin import published

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "methods.md"
CELLS = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
CALLS = [
    call
    for call in re.findall(r"`(\w+\([^`]*\))`", "\n".join(CELLS))
    if call.partition("(")[0] in published.__all__
]


def test_every_method_is_listed():
    text = "\n".join(CELLS)
    assert [name for name in published.__all__ if f"`{name}" not in text] == []


@pytest.mark.parametrize("call", CALLS)
def test_calls_of_the_table(call):
    names = {name: getattr(published, name) for name in published.__all__}
    model = eval(call, names)
    parameters = model.get_params()
    if "random_state" in parameters:
        model.set_params(random_state=0)
    k = parameters.get("n_clusters", 2)
    corners = np.array([[0, 0], [9, 0], [0, 9], [9, 9]], dtype=float)
    X, y = make_blobs(120, centers=corners[:k], random_state=0)
    if is_classifier(model):
        assert model.fit(X, y).score(X, y) > 0.95
    elif "radius" in parameters:
        labels = model.fit(X).labels_
        pure = [len(np.unique(y[labels == one])) == 1 for one in np.unique(labels)]
        assert all(pure)
    else:
        assert adjusted_rand_score(y, model.fit(X).labels_) > 0.95
