"""What a user says of columns: their roles and weights, and how a file is read."""

import numpy as np
import pytest

from maxmargin.tables.preprocessing import fit_preprocessor
from maxmargin.tables.read import read_table, read_table_and_parts
from maxmargin.tables.samples import TableOptions, read_samples
from maxmargin.tables.table import TableError
from maxmargin.tables.text import TextOptions


@pytest.fixture
def path(tmp_path):
    random = np.random.RandomState(0)
    group = random.randint(2, size=120)
    lines = ["age,rooms,channel"]
    for g in group:
        age, rooms = 30 + 20 * g + random.randn(), 2 + g
        lines.append(f"{age:.2f},{rooms},{('web', 'shop')[g]}")
    found = tmp_path / "table.csv"
    found.write_text("\n".join(lines))
    return str(found)


def test_a_given_role_replaces_that_which_is_found(path):
    found = read_samples(path, TableOptions()).preprocessor.encoder.columns_
    assert (found["rooms"].role, found["channel"].role) == ("few values", "category")
    options = TableOptions(roles={"rooms": "number", "gone": "number"})
    given = read_samples(path, options).preprocessor.encoder.columns_
    assert (given["rooms"].role, given["rooms"].reason) == ("number", "as given")


def test_text_is_no_number(path):
    with pytest.raises(TableError, match="'channel' holds text, which is no number"):
        read_samples(path, TableOptions(roles={"channel": "number"}))


@pytest.mark.parametrize("columns", [["age", "rooms"], ["age", "channel"]])
def test_a_weight_multiplies_the_variance_of_a_column(path, columns):
    plain = read_samples(path, TableOptions(features=columns))
    options = TableOptions(features=columns, weights={columns[1]: 4.0})
    heavy = read_samples(path, options)
    names = heavy.preprocessor.feature_names
    own = [n == columns[1] or n.startswith(f"{columns[1]}=") for n in names]
    factor = np.where(own, 2.0, 1.0)
    np.testing.assert_allclose(heavy.X, plain.X * factor)
    table = read_table(path, columns)
    np.testing.assert_allclose(heavy.preprocessor.transform(table).X, heavy.X)
    np.testing.assert_allclose(
        heavy.preprocessor.inverse_transform(heavy.X),
        plain.preprocessor.inverse_transform(plain.X),
    )


def test_weights_of_one_change_nothing(path):
    table = read_table(path)
    assert fit_preprocessor(table, weights={"age": 1.0}).factors is None


def test_a_file_is_read_once_as_a_table_and_as_it_is(path):
    table, parts = read_table_and_parts(path, TextOptions())
    np.testing.assert_array_equal(table.numbers, read_table(path).numbers)
    ages = np.concatenate([part["age"].to_numpy() for part in parts])
    np.testing.assert_array_equal(ages, table.column("age"))
