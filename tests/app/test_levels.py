"""Levels of the tree on the page: nested, with numbers that stay."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin.app.levels import Levels


@pytest.fixture(scope="module")
def fitted():
    X, _ = make_blobs(300, centers=5, cluster_std=1.2, random_state=3)
    return MaxMarginClustering(5, random_state=0).fit(X)


def test_levels_are_those_of_the_estimator(fitted):
    levels = Levels.of(fitted)
    assert levels.most == fitted.tree_.n_leaves > 10
    for k in range(1, levels.most + 1):
        found = levels.labels_at(k)
        assert len(np.unique(found)) == k
        assert adjusted_rand_score(found, fitted.labels_at(k)) == 1.0
    assert_array_equal(levels.labels_at(5), fitted.labels_)


def test_one_cluster_changes_from_level_to_level(fitted):
    levels = Levels.of(fitted)
    for k in range(1, levels.most):
        coarse, fine = levels.labels_at(k), levels.labels_at(k + 1)
        moved = coarse != fine
        (new,) = np.setdiff1d(fine, coarse)
        assert_array_equal(moved, fine == new)
        (old,) = np.unique(coarse[moved])  # it was split, and the larger part stays
        assert moved.sum() <= (fine == old).sum()


def test_levels_are_stored(fitted):
    levels = Levels.of(fitted)
    again = Levels.from_arrays(levels.arrays())
    assert again.most == levels.most
    assert_array_equal(again.labels_at(9), levels.labels_at(9))
    assert Levels.from_arrays({}) is None
    with pytest.raises(ValueError, match="no level with 0 clusters"):
        levels.labels_at(0)


def test_without_a_graph_there_are_coarser_levels_only():
    X, _ = load_iris(return_X_y=True)
    model = MaxMarginClustering(4, kernel="rbf", random_state=0).fit(X)
    levels = Levels.of(model)
    assert levels.most == 4
    assert_array_equal(levels.labels_at(4), model.labels_)
    coarse = levels.labels_at(2)
    assert adjusted_rand_score(coarse, model.labels_at(2)) == 1.0
    with pytest.raises(ValueError, match="from 1 to 4"):
        levels.labels_at(5)


def test_a_level_is_a_step_that_can_be_undone(server, iris):
    work = server.fit(iris, clusters=3, label="class")["id"]
    numbers = server.client.get(f"/api/works/{work}/numbers").json()
    assert 3 in numbers["shown"] and numbers["scores"] is None
    first = server.labels(work)
    shown = server.client.get(f"/api/works/{work}/levels/5").content
    step = server.correct(work, kind="level", clusters=5)["step"]
    assert step["text"] == "level of 5 clusters"
    assert len(step["clusters"]) == 5
    assert_array_equal(server.labels(work), np.frombuffer(shown, "<i4"))
    assert 0 < step["margin"] <= 1
    step = server.correct(work, kind="apart", rows=[0, 1])["step"]
    assert len(step["clusters"]) == 5
    assert server.correct(work, kind="level", clusters=1)["step"]["margin"] is None
    for _ in range(3):
        server.client.post(f"/api/works/{work}/undo")
    assert_array_equal(server.labels(work), first)


def test_scores_of_the_numbers(server, iris):
    work = server.fit(iris, clusters=3, label="class")["id"]
    server.wait(server.client.post(f"/api/works/{work}/scores"))
    numbers = server.client.get(f"/api/works/{work}/numbers").json()
    scores = dict(map(tuple, numbers["scores"]))
    assert numbers["best"] == max(scores, key=scores.get) == 2
    automatic = server.fit(iris, clusters="auto", label="class")["id"]
    found = server.client.get(f"/api/works/{automatic}/numbers").json()
    assert dict(map(tuple, found["scores"])) == pytest.approx(scores)


def test_other_methods_have_no_levels(server, iris):
    work = server.fit(iris, clusters=3, method="k-means")["id"]
    assert server.client.get(f"/api/works/{work}/numbers").json()["most"] == 0
    answer = server.client.get(f"/api/works/{work}/levels/2")
    assert answer.status_code == 409
    assert "maximum margin" in answer.json()["detail"]
