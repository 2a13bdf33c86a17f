"""`TableEncoder`: roles of columns, missing values, other libraries, files."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from maxmargin.tables import TableEncoder, TableError


@pytest.fixture
def frame(random):
    n = 300
    group = random.randint(3, size=n)
    return pd.DataFrame(
        {
            "size": group * 3.0 + random.randn(n),
            "weight": group - random.randn(n),
            "kind": np.array(["red", "green", "blue"])[group],
            "flag": group == 1,
            "rooms": group + random.randint(2, size=n),
            "day": pd.Timestamp("2020-01-01")
            + pd.to_timedelta(group * 9 + np.arange(n), "D"),
        }
    )


def roles_of(frame, **parameters):
    columns = TableEncoder(**parameters).fit(frame).columns_
    return {name: column.role for name, column in columns.items()}


def test_roles(frame, random):
    n = len(frame)
    frame = frame.assign(
        number=np.arange(n),
        account=random.permutation(n) + 10_000_000,
        user=[f"user {i}" for i in range(n)],
        constant="x",
        one=1.0,
        empty=pd.Series([None] * n, dtype=object),
        note=[f"this is the note of row {i}" for i in range(n)],
        city=np.array(["10115", "20095", "80331"])[random.randint(3, size=n)],
        code=np.array(["007", "070", "700"])[random.randint(3, size=n)],
        price=[f"{price:.2f}" for price in random.rand(n) * 100],
        start=[f"{d:02d}.{m:02d}.2021" for d, m in random.randint(1, 13, size=(n, 2))],
        iso=[f"2021-{m:02d}-{d:02d}" for d, m in random.randint(1, 13, size=(n, 2))],
        when=[f"{d:02d}/{m:02d}/2021" for d, m in random.randint(1, 13, size=(n, 2))],
        grade=pd.Categorical(random.randint(4, size=n)),
    )
    assert roles_of(frame) == {
        **{"size": "number", "weight": "number", "kind": "category"},
        **{"flag": "category", "rooms": "few values", "day": "number"},
        **{"number": "id", "account": "id", "user": "id", "constant": "constant"},
        **{"one": "constant", "empty": "empty", "note": "text", "city": "category"},
        **{"code": "category", "price": "number", "start": "number"},
        **{"iso": "number", "when": "category", "grade": "category"},
    }
    columns = TableEncoder().fit(frame).columns_
    assert "cannot be told apart" in columns["when"].reason
    assert columns["day"].reason.startswith("date")
    assert columns["user"].weight == columns["constant"].weight == 0.0


def test_given_roles(frame):
    given = {"rooms": "number", "size": "ignored", "flag": "number", "kind": "ignored"}
    with pytest.raises(ValueError, match="has a column 'z' that the table has not"):
        TableEncoder(roles={"z": "number"}).fit(frame)
    with pytest.raises(ValueError, match="must be one of 'number'"):
        TableEncoder(roles={"size": "id"}).fit(frame)
    del given["flag"]
    found = roles_of(frame, roles=given)
    assert {name: found[name] for name in given} == given
    names = TableEncoder(roles={"rooms": "category"}).fit(frame).get_feature_names_out()
    assert {"rooms=0", "rooms=3"} <= set(names)


def test_numbers_are_standardised_or_not(frame):
    found = TableEncoder().fit_transform(frame)
    np.testing.assert_allclose(found[:, 0].mean(), 0.0, atol=1e-12)
    np.testing.assert_allclose(found[:, 0].std(), 1.0)
    raw = TableEncoder(scale=False).fit_transform(frame)
    np.testing.assert_array_equal(raw[:, 0], frame["size"])


def test_numbers_alone_are_not_changed(random):
    frame = pd.DataFrame(random.randint(3, size=(50, 4)) * 1.0, columns=list("abcd"))
    encoder = TableEncoder().fit(frame)
    np.testing.assert_array_equal(encoder.transform(frame), frame)
    frame.loc[3, "a"] = np.nan
    filled = TableEncoder().fit_transform(frame)
    assert np.isfinite(filled).all()
    known = frame.notna().to_numpy()
    np.testing.assert_array_equal(filled[known], frame.to_numpy()[known])


def test_a_missing_number_is_expected_from_the_others(random):
    n = 500
    x = random.randn(n)
    frame = pd.DataFrame({"x": x, "twice": 2.0 * x + 1.0, "c": list("ab") * (n // 2)})
    gone = random.rand(n) < 0.1
    frame.loc[gone, "twice"] = np.nan
    encoder = TableEncoder(scale=False).fit(frame)
    assert encoder.columns_["twice"].n_missing == gone.sum()
    found = encoder.transform(frame)[gone, 1]
    assert (
        np.abs(found - (2.0 * x[gone] + 1.0)).mean() < 0.4
    )  # of a standard deviation of 2


def test_a_missing_category_is_no_category(frame):
    gone = frame.assign(kind=frame["kind"].where(np.arange(len(frame)) % 5 > 0))
    encoder = TableEncoder().fit(gone)
    assert encoder.columns_["kind"].n_missing == 60
    names = [n for n in encoder.get_feature_names_out() if n.startswith("kind=")]
    assert sorted(names) == ["kind=blue", "kind=green", "kind=red"]
    signs = frame.assign(kind=gone["kind"].fillna("?"))
    np.testing.assert_array_equal(encoder.transform(signs), encoder.transform(gone))


def test_rare_values_are_grouped_and_unknown_ones_told(frame, random):
    frame = frame.assign(city=[f"c{min(i % 60, 6)}" for i in range(len(frame))])
    frame.loc[:3, "city"] = ["p", "q", "r", "s"]
    frame["city"] = np.where(frame["size"] > 1, frame["city"], "c1")
    encoder = TableEncoder(roles={}).fit(frame)
    block = encoder.features.expectations.blocks[-1]
    assert block.name == "city"
    assert block.values[-1] == "(other)"
    assert encoder.transform(frame.assign(city="new")).shape[0] == len(frame)
    with pytest.warns(UserWarning, match="'kind' has values that it did not have"):
        encoder.transform(frame.assign(kind="violet"))


def test_libraries_agree(frame):
    expected = TableEncoder().fit_transform(frame)
    table = pa.Table.from_pandas(frame)
    kinds = frame.assign(kind=frame["kind"].astype("category"))
    polars = pl.from_pandas(frame)
    tables = (table, table.to_reader(70), polars, polars.lazy(), kinds)
    for other in (*tables, pl.from_pandas(kinds)):
        if isinstance(other, pa.RecordBatchReader):
            found = TableEncoder().fit(table).transform(other)
        else:
            found = TableEncoder().fit_transform(other)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_order_of_rows_does_not_matter(frame, random):
    order = random.permutation(len(frame))
    expected = TableEncoder().fit_transform(frame)
    found = TableEncoder().fit_transform(frame.iloc[order])
    np.testing.assert_allclose(found, expected[order], atol=1e-9)


def test_transform_depends_on_the_row_alone(frame):
    encoder = TableEncoder().fit(frame)
    expected = encoder.transform(frame)
    np.testing.assert_allclose(encoder.transform(frame[50:60]), expected[50:60])
    blocks = list(encoder.iter_blocks(pl.from_pandas(frame), 128))
    assert [len(block) for block in blocks] == [128, 128, 44]
    np.testing.assert_allclose(np.concatenate(blocks), expected, atol=1e-9)


def test_many_rows_are_learned_from_a_part(frame, monkeypatch):
    monkeypatch.setattr("maxmargin.tables.encoder.MAX_ROWS", 100)
    encoder = TableEncoder().fit(frame)
    assert encoder.columns_["kind"].weight > 0.5
    assert encoder.transform(frame).shape[0] == len(frame)


def test_booleans_with_missing_values_are_objects(frame):
    encoder = TableEncoder().fit(frame)
    objects = frame.assign(flag=frame["flag"].astype(object))
    np.testing.assert_array_equal(encoder.transform(objects), encoder.transform(frame))
    encoder = TableEncoder().fit(objects)
    np.testing.assert_array_equal(encoder.transform(frame), encoder.transform(objects))


def test_clone_and_pickle(frame):
    encoder = TableEncoder(roles={"rooms": "number"}).fit(frame)
    loaded = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(loaded.transform(frame), encoder.transform(frame))
    assert clone(encoder).get_params() == encoder.get_params()
    with pytest.raises(ValueError, match="feature names should match"):
        encoder.transform(frame[frame.columns[::-1]])


def test_what_cannot_be_encoded(frame):
    with pytest.raises(TypeError, match="make a data frame of it"):
        TableEncoder().fit(np.eye(3))
    with pytest.raises(TableError, match="'s' of the DataFrame holds no numbers"):
        TableEncoder().fit(frame.assign(s=[{}] * len(frame)))
    with pytest.raises(ValueError, match="infinity in column 'size'"):
        TableEncoder().fit(frame.assign(size=np.inf))
    with pytest.raises(ValueError, match="No column can be compared: c"):
        TableEncoder().fit(frame.assign(c="a")[["c"]])
    with pytest.raises(ValueError, match="0 sample"):
        TableEncoder().fit(frame[:0])


def test_many_columns_have_few_functions_or_medians(random, monkeypatch):
    frame = pd.DataFrame(random.randn(80, 40), columns=[f"c{j}" for j in range(40)])
    frame.iloc[::9, 3] = np.nan
    monkeypatch.setattr("maxmargin.tables.basis.MAX_FUNCTIONS", 80)
    encoder = TableEncoder().fit(frame)
    assert {block.size for block in encoder.features.expectations.blocks} == {2}
    assert np.isfinite(encoder.transform(frame)).all()
    monkeypatch.setattr("maxmargin.tables.encoder.MAX_COLUMNS", 39)
    found = TableEncoder().fit_transform(frame)
    np.testing.assert_array_equal(found, frame.fillna(frame.median()))
