"""Who knows the classes and nothing else comes closer to them by answers."""

import pytest
from sklearn.datasets import load_iris, load_wine

pytest.importorskip("fastapi", reason="needs the extra app")
from benchmarks.app_oracle import N_CHOOSE, Visitor, visit


def test_answers_choose_a_labelling_and_refine_it(server):
    X, y = load_wine(return_X_y=True)
    scores = visit(server.client, X, y, n_answers=10)
    assert len(scores) == 11
    assert scores[N_CHOOSE] >= scores[0] - 0.02  # the fit itself can be chosen
    assert scores[10] > scores[0] + 0.05


def test_answers_find_a_cluster_that_is_missing(server):
    """Two clusters are found in the columns of iris as they are."""
    X, y = load_iris(return_X_y=True)
    scores = visit(server.client, X, y, n_answers=10, choose=False)
    assert scores[0] < 0.6
    assert scores[10] > scores[0] + 0.15


def test_a_refused_answer_is_not_given_again(server, iris):
    visitor = Visitor(server.client, load_iris().target)
    visitor.path = f"/api/works/{server.fit(iris, clusters=3)['id']}"
    first = server.client.get(f"{visitor.path}/pairs").json()[0]
    visitor.correct = lambda **action: False
    assert visitor.refine()
    assert visitor.refused == {(first["first"], first["second"])}
    assert visitor.refine() and len(visitor.refused) == 2
