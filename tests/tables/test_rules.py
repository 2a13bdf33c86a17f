import json

import numpy as np
import pytest
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin.tables.errors import TableError
from maxmargin.tables.rules import MOST_VALUES, Rules, learn_rules
from maxmargin.tables.table import Table, Text


def make_table(random, n_rows=60):
    numbers = random.randn(n_rows, 2) * [1.0, 50.0] + [3.0, 100.0]
    codes = random.randint(3, size=n_rows)
    return Table(
        ("height", "income"),
        numbers,
        {"town": Text(codes, ("Ulm", "Bonn", "Kiel"))},
        names=("height", "town", "income"),
    )


def test_numbers_and_text_as_scikit_learn_does_it(random):
    table = make_table(random)
    numbers, town = table.numbers.copy(), table.texts["town"]
    X, rows = learn_rules(table).apply(table)
    rules = learn_rules(make_table(np.random.RandomState(0)))
    assert rules.scaled
    scaled = StandardScaler().fit_transform(numbers)
    words = np.array(town.values)[town.codes][:, None]
    names = learn_rules(make_table(random)).names
    assert len(rows) == len(numbers)
    assert names[0] == "height"
    assert names[-1] == "income"
    np.testing.assert_allclose(X[:, [0, -1]], scaled)
    encoder = OneHotEncoder(sparse_output=False).fit(words)
    found = {tuple(column) for column in X[:, 1:-1].T}
    assert found == {tuple(column) for column in encoder.transform(words).T}


def test_rules_survive_json_and_treat_new_rows_alike(random):
    rules = learn_rules(make_table(random), missing="median")
    again = Rules.from_json(json.loads(json.dumps(rules.to_json())))
    assert again == rules
    new = Table(
        ("height", "income"),
        np.array([[3.0, np.nan], [np.inf, 100.0]]),
        {"town": Text(np.array([0, -1]), ("Rom",))},  # never seen, and a gap
        names=("height", "town", "income"),
    )
    X, rows = again.apply(new)
    assert rows.tolist() == [0, 1]
    assert np.isfinite(X).all()
    text = X[:, 1:-1]
    assert text[0].sum() == 0
    assert text[1].tolist() == [1.0, 0.0, 0.0]  # the commonest value
    np.testing.assert_allclose(again.original(X)[0, 0], 3.0)
    np.testing.assert_allclose(again.original(X)[0, -1], rules.features[-1].fill)


@pytest.mark.parametrize("missing", ["error", "median", "drop"])
def test_gaps(random, missing):
    table = make_table(random)
    table.numbers[5, 0] = np.nan
    table.texts["town"].codes[7] = -1
    if missing == "error":
        with pytest.raises(TableError, match=r"height \(1\), town \(1\): fill them"):
            learn_rules(table)
        return
    rules = learn_rules(table, missing=missing)
    X, rows = rules.apply(table)
    assert np.isfinite(X).all()
    assert len(X) == len(rows) == (60 if missing == "median" else 58)
    assert not {5, 7} & set(rows) or missing == "median"


def test_scale_is_for_columns_in_different_units(random):
    X = random.rand(50, 8)
    names = tuple("abcdefgh")
    assert not learn_rules(Table(names, X, names=names)).scaled
    X[:, :3] *= 1000.0
    assert learn_rules(Table(names, X, names=names)).scaled
    assert not learn_rules(Table(names, X, names=names), scale="off").scaled
    counts = Table(names, X, names=names)
    assert not learn_rules(counts, count_like=lambda X: True).scaled


def test_names_of_rows_are_no_features(random):
    numbers = np.column_stack([np.arange(40) + 7, random.randn(40)])
    words = Text(np.arange(40), tuple(f"p{i}" for i in range(40)))
    table = Table(
        ("number", "x"), numbers, {"who": words}, names=("number", "who", "x")
    )
    rules = learn_rules(table)
    assert rules.columns == ["x"]
    assert sum("left out, as an id" in note for note in rules.notes) == 2
    assert learn_rules(table, asked=["number"]).columns == ["number", "x"]


def test_only_the_commonest_values_of_text_become_features(random):
    codes = np.repeat(np.arange(70), 4)
    codes[:200] = 0
    text = Text(codes, tuple(f"v{i}" for i in range(70)))
    table = Table((), np.empty((280, 0)), {"t": text}, names=("t",))
    rules = learn_rules(table)
    assert len(rules.names) <= MOST_VALUES
    assert rules.names[0] == "t=v0"


def test_constant_and_empty_columns():
    table = Table(("a", "b"), np.array([[1.0, 2.0], [1.0, 3.0]]), names=("a", "b"))
    X, _ = learn_rules(table, scale="on").apply(table)
    assert X[:, 0].tolist() == [0.0, 0.0]
    table = Table(("a",), np.full((3, 1), np.nan), names=("a",))
    with pytest.raises(TableError, match="'a' has no values"):
        learn_rules(table, missing="median")


def test_a_column_that_changed_its_kind(random):
    rules = learn_rules(make_table(random))
    turned = Table(("town",), np.zeros((3, 1)), names=("town",))
    with pytest.raises(TableError, match="'height' must hold numbers"):
        rules.apply(turned)
