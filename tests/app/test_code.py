"""The code that the page shows is run, and gives the labels of the page."""

import contextlib
import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from maxmargin import SemiSupervisedMaxMargin

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin.app.builtin import write_builtin
from maxmargin.app.code import python_code
from maxmargin.app.schemas import Settings
from maxmargin.app.tasks import Step, advance, start

ACTIONS = {
    "nothing": [],
    "pairs and labels": [
        {"kind": "assign", "rows": [60, 70], "cluster": 1},
        {"kind": "together", "rows": [10, 20, 30]},
        {"kind": "apart", "rows": [100, 110]},
    ],
    "unsure": [
        {"kind": "assign", "rows": [60], "cluster": 1},
        {"kind": "unsure", "rows": [60]},
    ],
    "merge and split": [
        {"kind": "apart", "rows": [100, 110]},
        {"kind": "merge", "clusters": [2, 0]},
        {"kind": "rename", "cluster": 2, "name": "both", "color": None},
        {"kind": "split", "cluster": 2, "into": 3},
        {"kind": "assign", "rows": [5, 6], "cluster": 1},
    ],
    "levels": [
        {"kind": "apart", "rows": [100, 110]},
        {"kind": "level", "clusters": 5},
        {"kind": "merge", "clusters": [0, 2]},
        {"kind": "together", "rows": [10, 20]},
        {"kind": "level", "clusters": 3},
        {"kind": "level", "clusters": 2},
        {"kind": "assign", "rows": [5, 6], "cluster": 0},
    ],
    "the level of the fit": [
        {"kind": "merge", "clusters": [0, 1]},
        {"kind": "level", "clusters": 3},
    ],
    "answers that prove one more cluster": [
        {"kind": "apart", "rows": [0, 70]},
        *({"kind": "apart", "rows": [row, 150]} for row in (0, 70)),
        *({"kind": "apart", "rows": [row, 100]} for row in (0, 70, 150)),
        {"kind": "together", "rows": [70, 71]},
    ],
    "new clusters": [
        {"kind": "assign", "rows": list(range(8)), "cluster": None},
        {"kind": "recluster", "rows": list(range(30, 90)), "into": 2},
        {"kind": "together", "rows": [100, 101]},
    ],
}


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    return str(write_builtin("wine", tmp_path_factory.mktemp("wine")))


def work(table, settings, actions):
    """Return the steps as the page stores them, and the last clustering."""
    engine, step = start(table, settings, lambda event: None)
    step = Step(engine.explore(step.clustering)[0], step.about)
    steps = [{**step.clustering.about(), **step.about}]
    for action in actions:
        step = advance(engine, step.clustering, action)
        steps.append({**step.clustering.about(), **step.about})
    return engine, steps, step.clustering


def run(code):
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)
    return names


@pytest.mark.parametrize("actions", ACTIONS.values(), ids=ACTIONS.keys())
@pytest.mark.parametrize("method", ["maxmargin", "k-means"])
def test_code_gives_the_labels_of_the_page(wine, method, actions):
    if method == "k-means":  # which has no levels
        actions = [one for one in actions if one["kind"] != "level"]
    settings = Settings(clusters=3, label="class", method=method)
    _, steps, state = work(wine, settings, actions)
    code = python_code(wine, settings.model_dump(), steps)
    assert "maxmargin.app" not in code
    assert_array_equal(run(code)["labels"], state.labels)


def test_labels_are_those_of_the_estimator(wine):
    settings = Settings(clusters=3, label="class")
    actions = ACTIONS["pairs and labels"]
    engine, _, state = work(wine, settings, actions)
    y = np.full(len(engine.X), -1)
    y[[60, 70]] = 1
    model = SemiSupervisedMaxMargin(
        init=engine.estimator.labels_, scale=False, random_state=0
    )
    links = {"must_link": [(10, 20), (20, 30)], "cannot_link": [(100, 110)]}
    assert_array_equal(model.fit(engine.X, y, **links).transduction_, state.labels)
