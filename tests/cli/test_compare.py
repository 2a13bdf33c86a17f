"""`maxmargin compare` and `maxmargin classify`."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris
from tests.cli.command import run

from maxmargin.cli.compare import _evaluate, make_methods


def test_classify(iris, tmp_path):
    frame = pd.read_csv(iris)
    frame.loc[frame.index % 10 != 0, "species"] = None
    few, out, model = tmp_path / "few.csv", tmp_path / "o.csv", tmp_path / "m.npz"
    frame.to_csv(few, index=False)
    result = run("classify", few, "--label", "species", "--id", "plant",
                 "--out", out, "--json")  # fmt: skip
    summary = json.loads(result.stdout)
    assert summary["method"] == "SemiSupervisedMaxMargin"
    assert summary["labelled"] == 15
    truth = pd.read_csv(iris)["species"]
    assert (pd.read_csv(out)["species"] == truth).mean() > 0.85
    result = run("classify", iris, "--label", "species", "--drop", "plant",
                 "--model", model)  # fmt: skip
    assert "accuracy on held-out rows: " in result.stdout
    result = run("predict", model, iris, "--out", "-")
    lines = result.stdout.splitlines()
    assert lines[0] == "row,species"
    named = [line.split(",")[1] for line in lines[1:]]
    assert np.mean(np.array(named) == truth.to_numpy()) > 0.9


@pytest.mark.parametrize(
    ("labels", "continuous"),
    [
        (np.random.RandomState(0).randn(60), True),
        (np.arange(60) * 7, True),
        (np.arange(60) % 10, False),
        (np.arange(60) % 3 + 0.5, False),
        ([f"c{i % 25}" for i in range(60)], False),
    ],
)
def test_classify_needs_classes(tmp_path, labels, continuous):
    table = tmp_path / "t.csv"
    x = np.random.RandomState(1).randn(60)
    pd.DataFrame({"x": x, "y": labels}).to_csv(table, index=False)
    result = run("classify", table, "--label", "y", code=1 if continuous else 0)
    assert ("is continuous" in result.stderr) == continuous


def test_compare(iris, tmp_path, monkeypatch):
    def few(n_clusters):
        names = ("max margin", "cutting planes", "k-means", "Ward", "HDBSCAN")
        return {name: make_methods(n_clusters)[name] for name in names}

    monkeypatch.setattr("maxmargin.cli.compare.make_methods", few)
    picture = tmp_path / "maps.png"
    result = run("compare", iris, "-k", 3, "--label", "species", "--rows", 60,
                 "--picture", picture)  # fmt: skip
    for name in ("max margin", "k-means", "Ward", "silhouette", "stability", "ARI"):
        assert name in result.stdout
    assert "60 of 150 rows" in result.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_every_method_of_compare_runs():
    X = load_iris().data[::5]
    for name, method in make_methods(2).items():
        labels = method.fit_predict(X)
        assert len(set(labels[labels >= 0])) == 2, name


def test_equal_sizes_of_many_clusters_are_left_out(tmp_path, monkeypatch):
    assert "max margin, equal" in make_methods(20)
    assert "max margin, equal" not in make_methods(21)
    k_means = {"k-means": make_methods(21)["k-means"]}
    monkeypatch.setattr("maxmargin.cli.compare.make_methods", lambda k: k_means)
    path = tmp_path / "t.csv"
    np.savetxt(path, np.random.RandomState(0).randn(300, 2), delimiter=",")
    result = run("compare", path, "-k", 21)
    assert "equal sizes are left out with more than 20 clusters" in result.stderr


def test_single_rows_that_are_in_no_part_have_no_stability():
    class First(BaseEstimator):
        """Clusters that are a column."""

        def fit_predict(self, X):
            return X[:, 0].astype(int)

    X = np.random.RandomState(0).randn(5000, 2)
    X[:, 0] = np.arange(5000) % 2
    X[:8, 0] = np.arange(2, 10)
    found = _evaluate("first", First(), X, None, 0, np.random.RandomState(0))
    assert found.stability == pytest.approx(1.0)
