import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin import MaxMarginClustering
from maxmargin.tables import TableEncoder
from maxmargin.tables.preprocessing import MAX_VALUES, Preprocessor, fit_preprocessor
from maxmargin.tables.samples import TableOptions, read_samples
from maxmargin.tables.table import Table, TableError, Text


def make_table(random, n_rows=60):
    numbers = random.randn(n_rows, 2) * [1.0, 50.0] + [3.0, 100.0]
    codes = random.randint(3, size=n_rows)
    return Table(
        ("height", "income"),
        numbers,
        {"town": Text(codes, ("Ulm", "Bonn", "Kiel"))},
        names=("height", "town", "income"),
    )


def test_text_of_few_rows_as_scikit_learn_does_it(random):
    table = make_table(random, 19)
    numbers, town = table.numbers.copy(), table.texts["town"]
    X, rows = fit_preprocessor(table).transform(table)
    preprocessor = fit_preprocessor(make_table(np.random.RandomState(0), 19))
    assert preprocessor.scaled
    scaled = StandardScaler(with_mean=False).fit_transform(numbers)
    words = np.array(town.values)[town.codes][:, None]
    names = fit_preprocessor(make_table(random, 19)).feature_names
    assert len(rows) == len(numbers)
    assert names[0] == "height"
    assert names[-1] == "income"
    np.testing.assert_allclose(X[:, [0, -1]], scaled)
    encoder = OneHotEncoder(sparse_output=False).fit(words)
    found = {tuple(column) for column in X[:, 1:-1].T}
    assert found == {tuple(column) for column in encoder.transform(words).T}


def related_table(random, n_rows=90):
    """Towns that the numbers tell, and a channel that nothing tells."""
    table = make_table(random, n_rows)
    town = table.texts["town"]
    table.numbers[:, 0] += 10.0 * town.codes
    channel = Text(random.randint(2, size=n_rows), ("shop", "web"))
    return replace(
        table,
        texts={"town": town, "channel": channel},
        names=(*table.names, "channel"),
    )


def test_text_is_encoded_as_the_estimators_do(random):
    """By its expectation given the other columns, in a file and in a data frame."""
    table = related_table(random)
    frame = pd.DataFrame(table.numbers, columns=["height", "income"])
    for name, text in table.texts.items():
        frame[name] = np.array(text.values)[text.codes]
    encoder = TableEncoder().fit(frame[list(table.names)])
    expected = encoder.transform(frame[list(table.names)])
    preprocessor = fit_preprocessor(table)
    X, _ = preprocessor.transform(table)
    names = encoder.get_feature_names_out().tolist()
    assert preprocessor.feature_names == names
    words = [j for j, name in enumerate(names) if "=" in name]
    np.testing.assert_allclose(X[:, words], expected[:, words], atol=1e-12)
    assert encoder.columns_["town"].weight > 0.5 > encoder.columns_["channel"].weight
    notes = " ".join(preprocessor.notes)
    assert "'town' counts by its expectation" in notes


def test_units_of_expectations_are_shares(random):
    table = related_table(random)
    preprocessor = fit_preprocessor(table)
    X, _ = preprocessor.transform(table)
    means = preprocessor.inverse_transform(X.mean(axis=0)[None])[0]
    town = table.texts["town"]
    shares = np.bincount(town.codes) / len(town.codes)
    for name, mean in zip(preprocessor.feature_names, means, strict=True):
        if name.startswith("town="):
            value = town.values.index(name.removeprefix("town="))
            assert mean == pytest.approx(shares[value], abs=1e-6)


def test_json_keeps_expectations(random):
    table = related_table(random)
    preprocessor = fit_preprocessor(table)
    again = Preprocessor.from_json(json.loads(json.dumps(preprocessor.to_json())))
    X = preprocessor.transform(replace(table, numbers=table.numbers.copy())).X
    np.testing.assert_array_equal(again.transform(table).X, X)


def test_json_keeps_the_encoding_of_new_rows(random):
    preprocessor = fit_preprocessor(make_table(random, 19), missing="median")
    again = Preprocessor.from_json(json.loads(json.dumps(preprocessor.to_json())))
    assert again == preprocessor
    new = Table(
        ("height", "income"),
        np.array([[3.0, np.nan], [np.inf, 100.0]]),
        {"town": Text(np.array([0, -1]), ("Rom",))},  # an unknown and a missing value
        names=("height", "town", "income"),
    )
    X, rows = again.transform(new)
    assert rows.tolist() == [0, 1]
    assert np.isfinite(X).all()
    text = X[:, 1:-1]
    assert text[0].sum() == 0
    assert text[1].tolist() == [1.0, 0.0, 0.0]  # the most frequent value
    np.testing.assert_allclose(again.inverse_transform(X)[0, 0], 3.0)
    np.testing.assert_allclose(
        again.inverse_transform(X)[0, -1], preprocessor.features[-1].fill
    )


@pytest.mark.parametrize("missing", ["error", "median", "drop"])
def test_missing_values(random, missing):
    table = make_table(random)
    table.numbers[5, 0] = np.nan
    table.texts["town"].codes[7] = -1
    if missing == "error":
        with pytest.raises(TableError, match=r"height \(1\), town \(1\): replace"):
            fit_preprocessor(table)
        return
    preprocessor = fit_preprocessor(table, missing=missing)
    X, rows = preprocessor.transform(table)
    assert np.isfinite(X).all()
    assert len(X) == len(rows) == (60 if missing == "median" else 58)
    assert not {5, 7} & set(rows) or missing == "median"


def test_scale_is_for_columns_in_different_units(random):
    X = random.rand(50, 8)
    names = tuple("abcdefgh")
    assert not fit_preprocessor(Table(names, X, names=names)).scaled
    X[:, :3] *= 1000.0
    X[7, 7] = np.nan
    table = Table(names, X, names=names)
    preprocessor = fit_preprocessor(table, missing="median")
    assert preprocessor.scaled
    X = X[np.isfinite(X).all(axis=1)]
    model = MaxMarginClustering(2, random_state=0).fit(X)
    scales = [encoding.scale for encoding in preprocessor.features]
    np.testing.assert_allclose(scales[:7], table.numbers[:, :7].std(axis=0))
    assert model.scale_ is not None  # the same rule
    X[:, 3:5] *= 1000.0  # five of eight, three are negligible
    assert not fit_preprocessor(Table(names, X, names=names)).scaled
    assert MaxMarginClustering(2, random_state=0).fit(X).scale_ is None
    X[:, 3:5] /= 1000.0
    assert fit_preprocessor(Table(names, X, names=names)).scaled
    assert not fit_preprocessor(Table(names, X, names=names), scale="off").scaled
    counts = np.zeros((50, 8))
    counts[random.randint(50, size=20), random.randint(8, size=20)] = 1.0
    counts[np.arange(8), np.arange(8)] = [1, 1, 1, 1, 1, 1, 100, 100]
    table = Table(names, counts, names=names)
    assert not fit_preprocessor(table).scaled
    assert fit_preprocessor(table, scale="on").scaled
    counts[0, 0] = 1.5
    assert fit_preprocessor(table).scaled


def test_ids_are_no_features(random):
    numbers = np.column_stack([np.arange(40) + 7, random.randn(40)])
    words = Text(np.arange(40), tuple(f"p{i}" for i in range(40)))
    table = Table(
        ("number", "x"), numbers, {"who": words}, names=("number", "who", "x")
    )
    preprocessor = fit_preprocessor(table)
    assert preprocessor.columns == ["x"]
    assert sum("looks like ids" in note for note in preprocessor.notes) == 2
    assert fit_preprocessor(table, named=["number"]).columns == ["number", "x"]


def test_only_the_most_frequent_values_of_text_become_features(random):
    codes = np.repeat(np.arange(70), 4)
    codes[:200] = 0
    text = Text(codes, tuple(f"v{i}" for i in range(70)))
    table = Table((), np.empty((280, 0)), {"t": text}, names=("t",))
    preprocessor = fit_preprocessor(table)
    assert len(preprocessor.feature_names) <= MAX_VALUES
    assert preprocessor.feature_names[0] == "t=v0"


def test_constant_and_empty_columns():
    table = Table(("a", "b"), np.array([[1.0, 2.0], [1.0, 3.0]]), names=("a", "b"))
    X, _ = fit_preprocessor(table, scale="on").transform(table)
    assert X[:, 0].tolist() == [1.0, 1.0]
    table = Table(("a",), np.full((3, 1), np.nan), names=("a",))
    with pytest.raises(TableError, match="'a' has no values"):
        fit_preprocessor(table, missing="median")


def test_a_column_that_changed_its_kind(random):
    preprocessor = fit_preprocessor(make_table(random))
    turned = Table(("town",), np.zeros((3, 1)), names=("town",))
    with pytest.raises(TableError, match="'height' must hold numbers"):
        preprocessor.transform(turned)


def test_samples_of_a_file(tmp_path, random):
    path = tmp_path / "table.csv"
    rows = [f"p{i},{i % 3},{random.randn()},2026" for i in range(30)]
    rows[4] = "p4,1,,2026"
    path.write_text("who,class,x,year\n" + "\n".join(rows) + "\n")
    options = TableOptions(id_column="who", missing="drop")
    samples = read_samples(str(path), options, label="class", time="year")
    kept = np.delete(np.arange(30), 4)
    assert samples.preprocessor.feature_names == ["x"]
    assert samples.X.shape == (29, 1)
    assert samples.id_name == "who"
    assert samples.ids.tolist() == [f"p{i}" for i in kept]
    assert samples.labels.tolist() == (kept % 3).tolist()
    assert set(samples.times) == {2026}
    assert samples.notes == ("1 row with missing values is left out",)
    options = TableOptions(features=["x"], missing="median")
    samples = read_samples(str(path), options)
    assert samples.id_name == "row"
    assert samples.ids.tolist() == list(range(30))
    assert samples.labels is None
    assert samples.times is None


@pytest.mark.parametrize(
    ("name", "low", "is_code"),
    [
        ("zip", 10_000, True),
        ("ZipCode", 10_000, True),
        ("postal_code", 1000, True),
        ("account", 10_000_000, True),
        ("number", 1_000_000_000, True),
        ("salary", 10_000, False),
        ("price", 100_000, False),
        ("ocean", 10_000, False),
        ("zip", 9990, False),  # of different lengths
        ("code", 10, False),
    ],
)
def test_integers_that_are_names_are_codes(name, low, is_code):
    random = np.random.RandomState(0)
    values = low + random.choice(12, 100).astype(float)
    table = Table((name, "x"), np.column_stack([values, random.randn(100)]))
    table = replace(table, names=(name, "x"))
    preprocessor = fit_preprocessor(table)
    assert ("are taken for codes" in " ".join(preprocessor.notes)) == is_code
    encodings = {encoding.name: encoding for encoding in preprocessor.features}
    values = encodings[name].values
    assert (values is not None and str(low) in values) == is_code


def test_account_numbers_are_no_features():
    random = np.random.RandomState(0)
    accounts = 10_000_000 + random.permutation(10_000)[:100].astype(float)
    table = Table(("account", "x"), np.column_stack([accounts, random.randn(100)]))
    preprocessor = fit_preprocessor(replace(table, names=("account", "x")))
    assert preprocessor.columns == ["x"]
    assert "'account' looks like ids" in " ".join(preprocessor.notes)


def test_an_encoding_of_another_release_is_named(random):
    stored = fit_preprocessor(make_table(random)).to_json()
    for field in stored["features"]:
        field["center"] = 0.5
    with pytest.raises(TableError, match="another release: fit and save again"):
        Preprocessor.from_json(stored)
