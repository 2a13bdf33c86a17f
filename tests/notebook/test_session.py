"""The widget of a notebook, without a browser."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, load_wine

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin

pytest.importorskip("anywidget", reason="needs anywidget")

from maxmargin.notebook.bundle import bundle
from maxmargin.notebook.explorer import FOLDER

X, Y = load_iris(return_X_y=True)


@pytest.fixture
def model():
    return MaxMarginClustering(3, random_state=0).fit(X)


@pytest.fixture
def widget(model):
    return model.explore(X)


def shown(widget):
    """Return the clusters that the map shows."""
    return np.frombuffer(widget._labels, "<i4")


def test_the_map_shows_the_clusters_of_the_model(model, widget):
    np.testing.assert_array_equal(shown(widget), model.labels_)
    xy = np.frombuffer(widget._xy, "<f4").reshape(-1, 2)
    assert xy.shape == (150, 2)
    assert np.abs(xy).max() <= 1
    assert [c["size"] for c in widget._clusters] == np.bincount(model.labels_).tolist()


def test_without_corrections_the_labels_stay(model, widget):
    assert isinstance(widget.corrected, SemiSupervisedMaxMargin)
    np.testing.assert_array_equal(widget.corrected.labels_, model.labels_)
    assert widget.corrected is widget.corrected


def test_rows_are_assigned_and_undone(model, widget):
    rows = np.flatnonzero(model.labels_ == 0)[:5].tolist()
    widget.correct("assign", rows=rows, cluster=1)
    assert set(widget.corrected.labels_[rows]) == {1}
    np.testing.assert_array_equal(widget.corrected.labels_, shown(widget))
    widget.undo()
    np.testing.assert_array_equal(widget.corrected.labels_, model.labels_)
    widget.redo()
    assert set(widget.corrected.labels_[rows]) == {1}
    widget.undo()
    widget.correct("assign", rows=rows, cluster=None)
    assert len(widget.steps) == 2
    assert widget.corrected.classes_.tolist() == [0, 1, 2, 3]


def test_clusters_are_merged_split_and_named(model, widget):
    widget.correct("rename", cluster=0, name="blue")
    assert widget.names == {0: "blue"}
    widget.correct("merge", clusters=[0, 2])
    expected = np.where(model.labels_ == 2, 0, model.labels_)
    np.testing.assert_array_equal(widget.corrected.labels_, expected)
    widget.correct("split", cluster=0)
    assert len(widget.corrected.classes_) == 3
    np.testing.assert_array_equal(widget.corrected.transduction_, shown(widget))
    kept = model.labels_ == 1
    np.testing.assert_array_equal(shown(widget)[kept], 1)


def test_pairs_hold(widget):
    labels = shown(widget)
    first, second = (int(np.flatnonzero(labels == h)[0]) for h in (0, 2))
    widget.correct("together", rows=[first, second])
    after = widget.corrected.labels_
    assert after[first] == after[second]
    widget.undo()
    other = int(np.flatnonzero(labels == 0)[1])
    widget.correct("apart", rows=[first, other])
    after = widget.corrected.labels_
    assert after[first] != after[other]


def test_the_corrected_model_predicts_samples_of_the_user():
    X, _ = load_wine(return_X_y=True)  # columns on different scales
    model = MaxMarginClustering(3, random_state=0).fit(X)
    widget = model.explore(X)
    rows = np.flatnonzero(model.labels_ == 0)[:3].tolist()
    widget.correct("assign", rows=rows, cluster=1)
    agreement = np.mean(widget.corrected.predict(X) == widget.corrected.labels_)
    assert agreement > 0.95
    np.testing.assert_allclose(widget.corrected.scale_, model.scale_)
    np.testing.assert_array_equal(widget.corrected.labels_, shown(widget))


def test_tables_texts_and_sparse_samples():
    pd = pytest.importorskip("pandas")
    color = np.array(["red", "green", "blue"])[Y]
    frame = pd.DataFrame(X, columns=list("abcd")).assign(color=color)
    random = np.random.RandomState(0)
    topics = [
        "apple pear plum fig kiwi lime".split(),
        "bus train car ship bike".split(),
    ]
    texts = [" ".join(random.choice(topics[i % 2], 4)) for i in range(60)]
    counts = sp.csr_array(random.poisson(0.05, (80, 40)) + np.eye(80, 40))
    for samples, n in ((frame, 150), (texts, 60), (counts, 80)):
        model = MaxMarginClustering(2, random_state=0).fit(samples)
        widget = model.explore(samples)
        np.testing.assert_array_equal(shown(widget), model.labels_)
        row = int(np.flatnonzero(model.labels_ == 0)[0])
        widget.correct("assign", rows=[row], cluster=1)
        assert widget.corrected.labels_.shape == (n,)
        assert widget.corrected.labels_[row] == 1
        np.testing.assert_array_equal(widget.corrected.labels_, shown(widget))


def test_messages_of_the_front_end(widget):
    answers = []
    widget.send = answers.append
    widget._receive(widget, {"kind": "assign", "rows": [0], "cluster": 2}, [])
    widget._receive(widget, {"kind": "assign", "rows": [0], "cluster": 7}, [])
    widget._receive(widget, {"kind": "undo"}, [])
    widget._receive(widget, {"kind": "redo"}, [])
    assert [a["done"] for a in answers] == [True] * 4
    assert "There is no cluster 7" in answers[1]["error"]
    assert shown(widget)[0] == 2


@pytest.mark.parametrize(
    "action, message",
    [
        ({"kind": "paint"}, "paint"),
        ({"kind": "assign", "rows": [150]}, "Row 150 is not in the table"),
        ({"kind": "apart", "rows": [1, 1]}, "two different rows"),
        ({"kind": "merge", "clusters": [1]}, "clusters"),
    ],
)
def test_impossible_corrections_change_nothing(widget, action, message):
    before = shown(widget)
    with pytest.raises(ValueError, match=message):
        widget.correct(**action)
    np.testing.assert_array_equal(shown(widget), before)
    assert len(widget.steps) == 1


def test_one_cluster_has_no_corrected_model(widget):
    widget.correct("merge", clusters=[0, 1, 2])
    with pytest.raises(ValueError, match="There is one cluster"):
        _ = widget.corrected


def test_other_samples_are_refused(model):
    with pytest.raises(ValueError, match="not the samples that the model was fitted"):
        model.explore(X[:100])
    with pytest.raises(ValueError, match="not the samples that the model was fitted"):
        model.explore(X[::-1])
    kernel = MaxMarginClustering(2, kernel="precomputed", random_state=0).fit(X @ X.T)
    with pytest.raises(ValueError, match="without a precomputed kernel"):
        kernel.explore(X @ X.T)


def test_without_anywidget_the_cure_is_named(model, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "maxmargin.notebook.explorer", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'maxmargin\[notebook\]'"):
        model.explore(X)


def test_a_bundle_has_each_module_before_those_that_import_it():
    text = bundle(FOLDER / "widget.js")
    names = re.findall(r'"(\w+\.js)": "', text)
    assert names[-1] == "widget.js"
    assert len(names) == len(set(names))
    assert names.index("geometry.js") < names.index("map.js") < names.index("widget.js")
    assert "../app" not in text
    page = Path(FOLDER).parent / "app" / "static"
    assert set(names[:-1]) <= {path.name for path in page.glob("*.js")}
