"""Clusters of samples that several sources describe."""

import io

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler, normalize

from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.texts import TextEncoder


@pytest.fixture(scope="module")
def halves():
    """Two sources: each separates two pairs of four groups, neither separates all."""
    random = np.random.RandomState(0)
    y = np.repeat(np.arange(4), 75)
    first = random.randn(300, 2) + 5.0 * (y // 2)[:, None]
    second = 100 * (random.randn(300, 3) + 5.0 * (y % 2)[:, None])
    return first, second, y


def fitted(X, n_clusters=4, **options):
    return MaxMarginClustering(n_clusters, random_state=0, **options).fit(X)


def test_sources_complete_each_other(halves):
    first, second, y = halves
    model = fitted([first, second])
    assert adjusted_rand_score(y, model.labels_) > 0.95
    for alone in (first, second):
        assert adjusted_rand_score(y, fitted(alone).labels_) < 0.8
    assert list(model.source_weights_) == ["0", "1"]
    assert sum(model.source_weights_.values()) == pytest.approx(1)
    np.testing.assert_array_equal(model.predict([first, second]), model.labels_)
    values = model.decision_function([first[:7], second[:7]])
    np.testing.assert_array_equal(values.argmax(axis=1), model.labels_[:7])
    assert len(np.unique(model.labels_at(2))) == 2
    assert model.outlier_scores_.shape == model.probabilities_.shape == (300,)


def test_named_sources_in_any_order(halves):
    first, second, _ = halves
    model = fitted({"size": first, "color": second})
    assert list(model.source_weights_) == ["size", "color"]
    labels = model.predict({"color": second, "size": first})
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(fitted([first, second]).labels_, model.labels_)


def test_units_of_the_sources_do_not_matter(halves):
    first, second, _ = halves
    labels = fitted([first, second]).labels_
    np.testing.assert_array_equal(
        fitted([1000 * first, 0.125 * second]).labels_, labels
    )


def test_order_of_rows_does_not_matter(halves):
    first, second, _ = halves
    order = np.random.RandomState(1).permutation(300)
    turned = fitted([first[order], second[order]]).labels_
    np.testing.assert_array_equal(turned, fitted([first, second]).labels_[order])


def test_the_number_of_clusters_is_found(halves):
    assert fitted(list(halves[:2]), "auto").n_clusters_ == 4


def test_sparse_and_dense_and_frame(halves):
    first, second, _ = halves
    labels = fitted([first, second]).labels_
    for other in (sp.csr_array(second), pd.DataFrame(second, columns=list("abc"))):
        model = fitted([first, other])
        assert adjusted_rand_score(model.labels_, labels) > 0.98
        np.testing.assert_array_equal(model.predict([first, other]), model.labels_)


def test_a_source_of_noise_does_little_harm(halves):
    first, second, y = halves
    noise = np.random.RandomState(3).randn(300, 6)
    model = fitted([first, second, noise])
    assert adjusted_rand_score(y, model.labels_) > 0.95
    assert min(model.source_weights_, key=model.source_weights_.get) == "2"


def test_a_saved_model_predicts_the_same(halves):
    pair = {"a": halves[0], "b": sp.csr_array(halves[1])}
    model = fitted(pair)
    file = io.BytesIO()
    save_model(file, model)
    loaded = load_model(file)
    assert loaded.source_weights_ == model.source_weights_
    np.testing.assert_array_equal(
        loaded.decision_function(pair), model.decision_function(pair)
    )
    with pytest.raises(ValueError, match=r"fitted to 2 sources \('a', 'b'\)"):
        loaded.predict(halves[0])


def test_blocks_limits_and_probability(halves):
    first, second, y = halves
    model = MaxMarginClustering(4, random_state=0)
    order = np.random.RandomState(0).permutation(300)
    for rows in np.split(order, 3):
        model.partial_fit([first[rows], second[rows]])
        assert model.labels_.shape == (100,)
    assert adjusted_rand_score(y, model.predict([first, second])) > 0.95
    sizes = np.bincount(fitted([first, second], 3, balance="equal").labels_)
    np.testing.assert_array_equal(sizes, [100] * 3)
    model = fitted([first, second], probability=True)
    assert model.predict_proba([first, second]).shape == (300, 4)
    assert 0 < model.score([first, second]) <= 1
    assert len(model.representatives([first, second])) == 4


def test_what_is_wrong_is_told(halves):
    first, second, _ = halves
    model = fitted([first, second])
    for call, text in (
        (lambda: fitted([first, second[:9]]), "'0' has 300, '1' has 9"),
        (lambda: model.predict([first]), r"The fit had 2 sources .* are 1 sources"),
        (lambda: model.predict(first), "fitted to 2 sources"),
        (lambda: fitted(first).predict([first, second]), "fitted to one matrix"),
        (lambda: model.predict([first, first]), "'1' has 2 columns and had 3"),
        (lambda: model.predict({"x": first, "y": second}), "give the same ones"),
        (lambda: fitted([first, second], kernel="rbf"), "kernel='rbf' has not"),
        (lambda: fitted({"a": first, "b": ["x"] * 300}), "'b' is no matrix"),
        (lambda: fitted({"a": first, "b": first * np.nan}), "'b' is no matrix .* NaN"),
        (lambda: fitted([first, np.ones((300, 2))]), "source '1' are equal"),
        (lambda: fitted({}), "There is no source"),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_one_matrix_after_several(halves):
    first, second, _ = halves
    model = fitted([first, second]).fit(first)
    assert model.source_weights_ is None
    np.testing.assert_array_equal(model.labels_, fitted(first).labels_)


def test_a_table_after_several(halves):
    first, second, _ = halves
    table = pd.DataFrame(first, columns=["a", "b"])
    several = MaxMarginClustering(4, random_state=0).fit([first[:, :1], first[:, 1:]])
    with pytest.raises(ValueError, match="fitted to 2 sources"):
        several.predict(table)
    for name in ("fit", "partial_fit"):
        model = fitted([first, second])
        getattr(model, name)(table)
        assert model.source_weights_ is None
        np.testing.assert_array_equal(model.predict(table), model.labels_)


def mfeat(folder):
    names = ("fourier", "morphological", "factors", "karhunen")
    files = [np.load(folder / "tables" / f"mfeat_{name}.npz") for name in names]
    return [one["X"].astype(np.float64) for one in files], files[0]["y"]


def texts(folder, name):
    stored = np.load(folder / "embeddings" / f"{name}.npz")
    lines = (folder / "embeddings" / f"{name}.txt").read_text().splitlines()
    words = TfidfVectorizer(stop_words="english", min_df=2, sublinear_tf=True)
    embeddings = normalize(stored["X"].astype(np.float32))
    return [words.fit_transform(lines), embeddings], stored["y"]


@pytest.mark.parametrize("name", ["mfeat", "agnews", "snips7"])
def test_all_sources_are_better_than_each(data_folder, name):
    parts, y = mfeat(data_folder) if name == "mfeat" else texts(data_folder, name)
    k = len(np.unique(y))
    together = adjusted_rand_score(y, fitted(parts, k).labels_)
    alone = [adjusted_rand_score(y, fitted(part, k).labels_) for part in parts]
    dense = [one.toarray() if sp.issparse(one) else one for one in parts]
    joined = np.hstack([StandardScaler().fit_transform(one) for one in dense])
    concatenated = adjusted_rand_score(y, fitted(joined, k).labels_)
    assert together > max(*alone, concatenated)


def test_equal_rows_in_one_source_only():
    """Rows without words are equal, and no cluster of their own."""
    X, y = make_blobs(300, centers=3, cluster_std=0.5, random_state=0)
    words = np.where(np.arange(300)[:, None] % 2, X, 0.0)
    model = fitted([X, words], 3)
    assert adjusted_rand_score(y, model.labels_) > 0.95


@pytest.mark.parametrize("telling", [False, True])
def test_words_beside_numbers(random, telling):
    y = random.randint(3, size=400)
    X = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 4.5]])[y] + random.randn(400, 2)
    first = 100 * y if telling else np.zeros(400, dtype=int)
    own = first[:, None] * (random.rand(400, 9) < 0.5) + random.randint(
        99, size=(400, 9)
    )
    words = [" ".join(f"w{w}" for w in row) for row in own]
    W = TextEncoder().fit_transform(words)
    alone = MaxMarginClustering(3, random_state=0).fit_predict(X)
    both = MaxMarginClustering(3, random_state=0).fit_predict([X, W])
    index = adjusted_rand_score(y, alone)
    assert adjusted_rand_score(y, both) >= (index if telling else 0.9 * index)
