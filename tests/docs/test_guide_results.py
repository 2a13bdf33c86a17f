"""What the calls of the guides find, not only that they run."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from tests.cli.command import run
from tests.docs.test_code_blocks import ROOT, code_of

# Blocks with objects of libraries that the test extra lacks: others are asserted here.
LIBRARIES = ("bertopic", "scanpy", "adata")
WINE, DIGITS = load_wine().target, load_digits().target[:600]


@pytest.fixture
def names(request, tmp_path, monkeypatch):
    """Return the names that the code of a page defines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    page = ROOT / "docs" / "guide" / f"{request.param}.md"
    found = {"__name__": "page"}
    code = code_of(page, without=LIBRARIES)
    exec(compile(code, str(page), "exec"), found)
    return found


def of_page(name):
    return pytest.mark.parametrize("names", [name], indirect=True)


@of_page("evolving")
def test_evolving(names):
    model, calm, noisy, stream = (
        names[n] for n in ("model", "calm", "noisy", "stream")
    )
    truth = np.repeat([0, 1, 2], 30)
    for record in model.history_:
        assert record.moved == 0
        assert adjusted_rand_score(record.labels, truth) > 0.95
    assert names["churn"](model.history_[1].labels, model.history_[0].labels) == 0
    assert (names["last"].left, names["last"].stayed + names["last"].moved) == (10, 80)
    assert adjusted_rand_score(calm.labels_, truth[10:]) > 0.7
    assert noisy.half_life_ >= 4
    (event,) = stream.history_[-1].events
    assert event.kind == "split"
    assert set(event.objects.tolist()) <= set(range(75, 90))
    assert len(names["later"].history_) == 3
    np.testing.assert_array_equal(
        names["groups"].labels_ == names["groups"].labels_[0], np.arange(20) < 10
    )


@of_page("few_labels")
def test_few_labels(names):
    assert names["right"].mean() > 0.9
    for i, j in names["must"]:
        assert DIGITS[i] == DIGITS[j]
        assert names["model"].labels_[i] == names["model"].labels_[j]
    assert len(names["must"]) + len(names["cannot"]) == 15
    assert names["same"]
    assert names["apart"]
    assert names["classifier"].score(names["X"][400:], DIGITS[400:]) > 0.8


@of_page("few_labels")
def test_corrected_clusters(names):
    """Labels change the clusters that they contradict, and those become better."""
    found, known, X = names["found"], names["known"], names["X"]
    model = names["SemiSupervisedMaxMargin"](init=found, random_state=0)
    corrected = model.fit(X, known, cannot_link=[(0, 1)]).transduction_
    np.testing.assert_array_equal(corrected[known >= 0], known[known >= 0])
    changed = corrected != found
    assert 0 < changed.sum() < 100
    before, after = (adjusted_rand_score(one, DIGITS) for one in (found, corrected))
    assert after > before


@of_page("how_it_decides")
def test_how_it_decides(names):
    assert names["model"].scale_ is not None
    assert names["model"].degrees_of_freedom_ / 3 == pytest.approx(1.35)
    assert adjusted_rand_score(names["model"].labels_, WINE) > 0.75


@of_page("images")
def test_images(names):
    truth = np.zeros((60, 90), dtype=int)
    truth[40:], truth[20:45, 30:50] = 1, 2
    for labels in (names["labels"], names["segmenter"].labels_):
        assert adjusted_rand_score(labels.ravel(), truth.ravel()) > 0.94
    np.testing.assert_array_equal(names["segmenter"].classes_, [1, 2, 3])
    barn = names["matte"][22:43, 32:48]
    assert barn.mean() > 0.9 > 0.1 > names["matte"][:15].mean()


@of_page("large")
def test_large(names):
    _, truth = names["make_blobs"](6_000, n_features=8, centers=5, random_state=0)
    X = names["X"]
    for labels in (names["clusters"].labels_, names["small"].labels_, names["labels"]):
        assert adjusted_rand_score(labels, truth) == 1.0
    assert adjusted_rand_score(names["model"].predict(X), truth) == 1.0


@of_page("number")
def test_number(names):
    clusters = names["clusters"]
    assert clusters.n_clusters_ == names["table"].best == 4
    assert 4 in clusters.layers_
    assert len(np.unique(names["finer"])) == 6
    noise = names["labels"] == -1  # one row in twenty
    assert noise.sum() == 15
    assert (clusters.outlier_scores_[noise] > 1).all()


@of_page("table")
def test_table(names):
    model, table = names["model"], names["table"]
    assert adjusted_rand_score(names["labels"], WINE) > 0.75
    assert names["raw"].scale_ is None
    assert adjusted_rand_score(names["mixed"].labels_, names["segment"]) == 1.0
    assert names["mixed"].columns_["channel"].weight < 0.05
    np.testing.assert_array_equal(model.predict(names["new"]), model.labels_[:4])
    rows = names["rows"]
    np.testing.assert_array_equal(model.labels_[rows], [0, 1, 2])
    fit = names["MaxMarginClustering"]
    equal = fit(3, balance="equal", random_state=0).fit(table)
    assert sorted(np.bincount(equal.labels_)) == [59, 59, 60]
    shares = np.bincount(
        fit(3, balance=[0.3, 0.4, 0.3], random_state=0).fit_predict(table)
    )
    np.testing.assert_allclose(shares / len(table), [0.3, 0.4, 0.3], atol=0.01)
    chances = names["sure"].predict_proba(table)
    np.testing.assert_array_equal(chances.argmax(axis=1), names["sure"].labels_)
    assert names["read"].number_names == ("price",)


@of_page("streams")
def test_streams(names):
    _, truth = names["make_blobs"](6_000, n_features=3, centers=4, random_state=0)
    model = names["model"]
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    whole = names["MaxMarginClustering"](4, random_state=0).fit(names["X"])
    np.testing.assert_array_equal(model.labels_, whole.labels_)
    assert adjusted_rand_score(model.labels_, truth) > 0.95
    assert names["block"].shape == (2_000, 2)


@of_page("dask")
def test_dask(names):
    _, truth = names["make_blobs"](6_000, n_features=8, centers=5, random_state=0)
    assert names["labels"].chunks == ((1_500,) * 4,)
    assert adjusted_rand_score(names["labels"].compute(), truth) == 1.0


@of_page("texts")
def test_texts(names):
    food, sport = np.split(names["clusters"].labels_, 2)
    assert set(food) != set(sport)
    assert len(set(food)) == len(set(sport)) == 1
    new = names["clusters"].predict(["bread with cheese", "who won the match?"])
    assert list(new) == [food[0], sport[0]]
    found = names["describe_clusters"](names["texts"] * 5, [0, 0, 0, 0, 1, 1, 1, 1] * 5)
    assert "bread" in found[0].keywords
    assert "team" in found[1].keywords


@of_page("sources")
def test_sources(names):
    model, classes = names["model"], names["classes"]
    together = adjusted_rand_score(model.labels_, classes)
    for half in names["sources"].values():
        alone = names["MaxMarginClustering"](10, random_state=0).fit_predict(half)
        assert together > adjusted_rand_score(alone, classes)
    np.testing.assert_array_equal(model.predict(names["few"]), model.labels_[:5])


def test_app(tmp_path, monkeypatch):
    """The command of an export labels the rows as they were corrected."""
    pytest.importorskip("fastapi", reason="needs the extra app")
    from maxmargin.app.server import make_app

    text = (ROOT / "docs" / "guide" / "app.md").read_text()
    (command,) = re.findall(r"^maxmargin (app .*--corrections.*)$", text, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    iris = load_iris()
    rows = [f"{i},{a},{b},{c},{d}" for i, (a, b, c, d) in enumerate(iris.data.tolist())]
    Path("customers.csv").write_text("\n".join(["id,a,b,c,d", *rows]))
    wrong = [83, 106]  # of the second and the third class, each in the other's cluster
    content = {
        "format": "maxmargin corrections",
        "version": 1,
        "table": "customers.csv",
        "settings": {"clusters": 3},
        "actions": [{"kind": "apart", "rows": wrong}],
    }
    Path("corrections.json").write_text(json.dumps(content))
    run(*command.split())
    found = np.genfromtxt("clusters.csv", delimiter=",", skip_header=1, usecols=1)
    assert found[wrong[0]] != found[wrong[1]]
    assert adjusted_rand_score(iris.target, found) > 0.7
    paths = make_app(tmp_path / "work", ("localhost",), None).app.openapi()["paths"]
    for name in ("datasets", "works", "jobs"):  # that the guide names for scripts
        assert f"`/api/{name}`" in text
        assert any(path.startswith(f"/api/{name}") for path in paths)


@of_page("other_libraries")
def test_other_libraries(names):
    model, labels = names["model"], names["labels"]
    truth = load_digits().target
    assert adjusted_rand_score(model.labels_, truth) > 0.85
    assert adjusted_rand_score(labels, truth) > 0.8  # of rows in half precision
    found = [len(np.unique(layer)) for layer in names["layers"]]
    assert found == sorted(model.layers_, reverse=True)
    assert 10 in found


@of_page("scanpy")
def test_graphs(names):
    truth = load_digits().target
    assert adjusted_rand_score(names["model"].labels_, truth[:1500]) > 0.8
    predicted = names["model"].predict(names["rows"])
    assert adjusted_rand_score(predicted, truth[1500:]) > 0.7
