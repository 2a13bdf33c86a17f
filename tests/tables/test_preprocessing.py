"""Tables of files, encoded as the estimators encode data frames."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.model_file import read_model_file
from maxmargin.tables import TableEncoder
from maxmargin.tables.preprocessing import fit_preprocessor
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


def frame_of(table):
    frame = pd.DataFrame(table.numbers.copy(), columns=list(table.number_names))
    for name, text in table.texts.items():
        frame[name] = np.array([*text.values, None], dtype=object)[text.codes]
    return frame[list(table.names)]


def with_gaps(table, random):
    table.numbers[random.rand(*table.numbers.shape) < 0.1] = np.nan
    for text in table.texts.values():
        text.codes[random.rand(len(table)) < 0.1] = -1
    return table


@pytest.mark.parametrize("n_rows", [15, 90])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("scale", ["auto", "off"])
def test_features_are_those_of_the_estimators(random, n_rows, gaps, scale):
    table = related_table(random, n_rows)
    if gaps:
        table = with_gaps(table, random)
    frame = frame_of(table)
    encoder = TableEncoder(scale=scale == "auto").fit(frame)
    expected = encoder.transform(frame)
    preprocessor = fit_preprocessor(table, scale, "median")
    assert preprocessor.feature_names == encoder.get_feature_names_out().tolist()
    assert preprocessor.encoder.columns_ == encoder.columns_
    np.testing.assert_array_equal(preprocessor.transform(table).X, expected)


@pytest.mark.parametrize("kernel", ["auto", "linear", "cosine"])
def test_labels_are_those_of_the_estimators(random, tmp_path, kernel):
    frame = frame_of(with_gaps(related_table(random, 200), random))
    frame["who"] = [f"person {i}" for i in range(200)]
    days = pd.date_range("2020-01-01", periods=200)
    frame = frame.assign(since=days.strftime("%d.%m.%Y"), day=days.strftime("%Y-%m-%d"))
    frame["flag"] = (frame["height"] > 10) | (random.rand(200) < 0.2)
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    model = MaxMarginClustering(3, kernel=kernel, random_state=0)
    expected = model.fit_predict(pd.read_csv(path))
    samples = read_samples(str(path), TableOptions(missing="median"))
    model.set_params(scale=False)
    np.testing.assert_array_equal(model.fit_predict(samples.X), expected)


@pytest.mark.parametrize("gaps", [False, True])
def test_numbers_beside_ids_are_not_changed(random, gaps):
    numbers = random.randn(60, 3) * [1.0, 2.0, 3.0]
    numbers[:, 2] = np.rint(numbers[:, 2])
    if gaps:
        numbers[::7, 0] = np.nan
    names = ("a", "b", "few")
    who = Text(np.arange(60), tuple(f"p{i}" for i in range(60)))
    table = Table(names, numbers, {"who": who}, names=("who", *names))
    frame = frame_of(table)
    expected = TableEncoder().fit_transform(frame[list(names)])
    np.testing.assert_array_equal(TableEncoder().fit_transform(frame), expected)
    found = fit_preprocessor(table, missing="median").transform(table).X
    np.testing.assert_array_equal(found, expected)
    labels = MaxMarginClustering(2, random_state=0).fit_predict(frame)
    alone = MaxMarginClustering(2, random_state=0).fit_predict(frame[list(names)])
    np.testing.assert_array_equal(labels, alone)


def test_notes_say_what_columns_are(random):
    notes = " ".join(fit_preprocessor(related_table(random)).notes)
    assert "column 'town': category, 3 values; the other columns explain" in notes
    assert "numeric columns are divided by their standard deviations" in notes


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


def test_units_of_numbers(random):
    table = with_gaps(related_table(random), random)
    known = ~np.isnan(table.numbers)
    preprocessor = fit_preprocessor(table, missing="median")
    X = preprocessor.inverse_transform(preprocessor.transform(table).X)
    for j, name in enumerate(table.number_names):
        column = preprocessor.feature_names.index(name)
        np.testing.assert_allclose(
            X[known[:, j], column], table.numbers[known[:, j], j]
        )


def test_a_model_file_keeps_the_encoding_of_new_rows(random):
    table = related_table(random)
    preprocessor = fit_preprocessor(table, missing="median")
    X = preprocessor.transform(table).X
    file = io.BytesIO()
    model = MaxMarginClustering(2, scale=False, random_state=0).fit(X)
    save_model(file, model, {"preprocessor": preprocessor, "rows": [1, 2]})
    about = read_model_file(file).about
    assert about["rows"] == [1, 2]
    again = about["preprocessor"]
    assert again.notes == preprocessor.notes
    np.testing.assert_array_equal(again.transform(table).X, X)
    new = Table(
        ("height", "income"),
        np.array([[3.0, np.nan], [np.inf, 100.0]]),
        {
            "town": Text(np.array([0, -1]), ("Rom",)),  # an unknown and a missing value
            "channel": Text(np.array([0, 0]), ("web",)),
        },
        names=("height", "town", "income", "channel"),
    )
    assert again.unseen(new) == {"town": (1, "Rom")}
    X, rows = again.transform(new)
    assert rows.tolist() == [0, 1]
    assert np.isfinite(X).all()
    np.testing.assert_allclose(again.inverse_transform(X)[0, 0], 3.0)
    assert load_model(file).predict(X).shape == (2,)


def test_numbers_without_gaps_have_medians_for_new_rows(random):
    numbers = random.randn(50, 2)
    table = Table(("a", "b"), numbers.copy(), names=("a", "b"))
    preprocessor = fit_preprocessor(table, scale="on", missing="median")
    new = Table(("a", "b"), np.array([[np.nan, 1.0]]), names=("a", "b"))
    X = preprocessor.inverse_transform(preprocessor.transform(new).X)
    np.testing.assert_allclose(X, [[np.median(numbers[:, 0]), 1.0]])


@pytest.mark.parametrize("missing", ["error", "median", "drop"])
def test_missing_values(random, missing):
    table = make_table(random)
    table.numbers[5, 0] = np.nan
    table.texts["town"].codes[7] = -1
    if missing == "error":
        with pytest.raises(TableError, match=r"height \(1\), town \(1\): replace"):
            fit_preprocessor(table, missing=missing)
        return
    preprocessor = fit_preprocessor(table, missing=missing)
    told = any("missing in height (1), town (1)" in one for one in preprocessor.notes)
    assert told == (missing == "median")
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
    scales = preprocessor.divisors
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


def test_constant_and_empty_columns():
    table = Table(("a", "b"), np.array([[1.0, 2.0], [1.0, 3.0]]), names=("a", "b"))
    X, _ = fit_preprocessor(table, scale="on").transform(table)
    assert X[:, 0].tolist() == [1.0, 1.0]
    table = Table(("a",), np.full((3, 1), np.nan), names=("a",))
    with pytest.raises(TableError, match=r"No column can be compared: a \(empty"):
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
    assert ("different codes" in " ".join(preprocessor.notes)) == is_code
    role = preprocessor.encoder.columns_[name].role
    assert (role == "category") == is_code
    assert (f"{name}={low}" in preprocessor.feature_names) <= is_code


def test_account_numbers_are_no_features():
    random = np.random.RandomState(0)
    accounts = 10_000_000 + random.permutation(10_000)[:100].astype(float)
    table = Table(("account", "x"), np.column_stack([accounts, random.randn(100)]))
    preprocessor = fit_preprocessor(replace(table, names=("account", "x")))
    assert preprocessor.columns == ["x"]
    assert "'account' looks like ids" in " ".join(preprocessor.notes)


def test_a_column_that_outweighs_the_other_is_told(random):
    numbers = random.randn(50, 2) * [1.0, 1e4]
    table = Table(("x", "income"), numbers, names=("x", "income"))
    notes = fit_preprocessor(table).notes
    assert len(notes) == 1
    assert notes[0].startswith("column 'income' outweighs the other one")
    for scale in ("on", "off"):
        assert "outweighs" not in " ".join(fit_preprocessor(table, scale).notes)
