"""Tables with categories, dates and missing values: which groups are found."""

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.metrics import adjusted_rand_score

from maxmargin import (
    EvolvingMaxMarginClustering,
    MaxMarginClustering,
    SemiSupervisedMaxMargin,
    load_model,
    save_model,
)

CENTERS = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 4.5]])


def category(random, n_rows, n_values):
    return np.array(list("abcdef"))[random.randint(n_values, size=n_rows)]


def told(random, groups, share):
    """Return a category that is that of the group in a share of the rows."""
    other = random.randint(3, size=len(groups))
    known = random.rand(len(groups)) < share
    return np.array(["red", "green", "blue"])[np.where(known, groups, other)]


@pytest.fixture
def groups(random):
    return random.randint(3, size=500)


@pytest.fixture
def numbers(random, groups):
    return pd.DataFrame(CENTERS[groups] + random.randn(500, 2), columns=["a", "b"])


@pytest.fixture
def mixed(random, groups, numbers):
    days = pd.to_timedelta(groups * 30 + random.randint(20, size=500), "D")
    return numbers.assign(
        kind=told(random, groups, 0.8),
        flag=groups == 1,
        year=2000 + random.randint(3, size=500),
        day=pd.Timestamp("2020-01-01") + days,
        user=[f"user {i}" for i in range(500)],
    )


def index(frame, groups, n_clusters=3):
    labels = MaxMarginClustering(n_clusters, random_state=0).fit_predict(frame)
    return adjusted_rand_score(groups, labels)


@pytest.mark.parametrize("n_values", [3, 4, 5])
def test_a_random_category_does_not_hide_the_groups(n_values, random, groups, numbers):
    alone = index(numbers, groups)
    frame = numbers.assign(channel=category(random, 500, n_values))
    assert index(frame, groups) > 0.9 * alone
    noise = {f"noise {j}": category(random, 500, 2 + j % 4) for j in range(10)}
    assert index(frame.assign(**noise), groups) > 0.9 * alone


def test_random_categories_in_a_wide_table(random):
    groups = random.randint(4, size=1000)
    X = random.randn(4, 30)[groups] + random.randn(1000, 30)
    numbers = pd.DataFrame(X, columns=[f"x{j}" for j in range(30)])
    noise = {f"t{j}": category(random, 1000, 2 + j % 4) for j in range(10)}
    assert index(numbers.assign(**noise), groups, 4) > 0.9 * index(numbers, groups, 4)


def test_categories_that_carry_the_groups_are_used(random, groups):
    frame = pd.DataFrame(random.randn(500, 2), columns=["a", "b"])
    frame = frame.assign(c=told(random, groups, 1.0), d=told(random, groups, 0.95))
    assert index(frame, groups) > 0.9


def test_a_table_of_categories(random, groups):
    frame = pd.DataFrame({f"c{j}": told(random, groups, 0.75) for j in range(6)})
    assert index(frame, groups) > 0.8


def test_penguins():
    """As published, with island, sex, year and missing values."""
    palmerpenguins = pytest.importorskip("palmerpenguins")
    penguins = palmerpenguins.load_penguins()
    assert index(penguins.drop(columns="species"), penguins["species"]) > 0.9


def test_predict_agrees_with_the_fit(mixed, groups):
    model = MaxMarginClustering(3, random_state=0).fit(mixed)
    assert adjusted_rand_score(groups, model.labels_) > 0.9
    np.testing.assert_array_equal(model.predict(mixed), model.labels_)
    np.testing.assert_array_equal(model.predict(mixed[50:60]), model.labels_[50:60])
    assert len(model.representatives(mixed)) == 3
    assert 0.0 < model.score(mixed) <= 1.0
    gaps = mixed.mask(np.random.RandomState(0).rand(*mixed.shape) < 0.1)
    assert adjusted_rand_score(model.predict(gaps), model.labels_) > 0.6


def test_what_was_decided_is_told(mixed):
    mixed.loc[:9, "kind"] = None
    columns = MaxMarginClustering(3, random_state=0).fit(mixed).columns_
    assert list(columns) == list(mixed)
    assert {name: column.role for name, column in columns.items()} == {
        **{"a": "number", "b": "number", "kind": "category", "flag": "category"},
        **{"year": "few values", "day": "number", "user": "id"},
    }
    assert columns["kind"].n_missing == 10
    assert columns["year"].weight < 0.05 < columns["kind"].weight


def test_libraries_agree(mixed):
    expected = MaxMarginClustering(3, random_state=0).fit_predict(mixed)
    table = pa.Table.from_pandas(mixed)
    for other in (table, table.to_reader(70), pl.from_pandas(mixed)):
        model = MaxMarginClustering(3, random_state=0).fit(other)
        np.testing.assert_array_equal(model.labels_, expected)


def test_save_and_load(mixed):
    mixed.loc[::7, "b"] = np.nan
    model = MaxMarginClustering(3, random_state=0).fit(mixed)
    file = io.BytesIO()
    save_model(file, model)
    loaded = load_model(file)
    np.testing.assert_array_equal(loaded.predict(mixed), model.labels_)
    assert loaded.columns_ == model.columns_


def test_partial_fit_keeps_the_encoding(mixed, groups):
    model = MaxMarginClustering(3, random_state=0)
    for start in (0, 250):
        model.partial_fit(mixed[start : start + 250])
    assert adjusted_rand_score(groups, model.predict(mixed)) > 0.9


def test_encoded_tables_and_other_input(mixed, numbers):
    model = MaxMarginClustering(3, random_state=0).fit(mixed)
    with pytest.raises(ValueError, match="give a data frame"):
        model.predict(np.zeros((5, 7)))
    with pytest.raises(ValueError, match="scale has divisors of columns"):
        MaxMarginClustering(3, scale=np.ones(7)).fit(mixed)
    model.fit(numbers)
    assert model.columns_ is None
    np.testing.assert_array_equal(model.predict(numbers), model.labels_)
    model.fit(mixed)
    model.fit(numbers.to_numpy())
    assert model.columns_ is None


def test_text_in_a_column_of_numbers(mixed):
    """Numbers that are stored as text are read, and other text is warned of."""
    model = MaxMarginClustering(3, random_state=0).fit(mixed)
    column = next(name for name, one in model.columns_.items() if one.role == "number")
    written = mixed.assign(**{column: mixed[column].map(repr)})
    np.testing.assert_array_equal(model.predict(written), model.labels_)
    broken = written.assign(**{column: ["much", *written[column][1:]]})
    with pytest.warns(UserWarning, match=f"{column}.*'much'.*treated as missing"):
        found = model.predict(broken)
    np.testing.assert_array_equal(found[1:], model.labels_[1:])


def test_a_few_labels_and_pairs(mixed, groups):
    y = np.full(500, -1)
    y[:30] = groups[:30]
    model = SemiSupervisedMaxMargin(random_state=0).fit(mixed, y)
    assert (model.predict(mixed) == groups).mean() > 0.95
    assert model.columns_["user"].role == "id"
    none = SemiSupervisedMaxMargin(3, random_state=0).fit(mixed, np.full(500, -1))
    expected = MaxMarginClustering(3, random_state=0).fit_predict(mixed)
    np.testing.assert_array_equal(none.labels_, expected)


def test_snapshots_are_encoded_as_the_first_one(mixed, groups):
    frame = mixed.drop(columns="user")
    model = EvolvingMaxMarginClustering(3, random_state=0)
    for start in (0, 250):
        rows = slice(start, start + 250)
        model.partial_fit(frame[rows])
        assert adjusted_rand_score(groups[rows], model.labels_) > 0.9
    assert model.columns_["kind"].role == "category"


def test_scale_of_numbers(mixed, groups):
    """Standardised numbers do not depend on their units, others do."""
    large = mixed.assign(b=mixed["b"] * 1e4)
    np.testing.assert_array_equal(
        MaxMarginClustering(3, random_state=0).fit_predict(large),
        MaxMarginClustering(3, random_state=0).fit_predict(mixed),
    )
    raw = MaxMarginClustering(3, scale=False, random_state=0).fit_predict(large)
    assert adjusted_rand_score(groups, raw) < 0.9


def test_large_tables_in_blocks(mixed, monkeypatch):
    """Encoded again for each step if memory is limited."""
    from maxmargin.clustering import samples as samples_module
    from maxmargin.engine import options as options_module

    for name in ("SEARCH_SAMPLES", "MAX_GRAPH_SAMPLES", "GRAPH_PART"):
        monkeypatch.setattr(options_module, name, 300)
    expected = MaxMarginClustering(3, random_state=0).fit(mixed)
    monkeypatch.setattr(samples_module, "_fits_at_once", lambda *_: False)
    model = MaxMarginClustering(3, random_state=0).fit(mixed)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
