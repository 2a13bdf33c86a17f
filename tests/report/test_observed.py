"""What groups of rows have in cells, beside pandas."""

import numpy as np
import pandas as pd
import pytest

from maxmargin.report.observed import observed
from maxmargin.tables.table import Text


@pytest.fixture
def rows(random):
    groups = random.randint(-1, 3, size=200)
    rooms = random.choice([1.0, 2.0, 5.0, np.nan], 200) + 1e6
    codes = random.randint(-1, 2, size=200)
    return groups, rooms, codes


def test_means_shares_and_variances(rows):
    groups, rooms, codes = rows
    found = observed({"rooms": rooms, "town": Text(codes, ("Ulm", "Bonn"))}, groups, 3)
    assert list(found) == ["rooms", "town=Ulm", "town=Bonn"]
    towns = np.where(codes < 0, np.nan, codes)
    for name, cells in [("rooms", rooms), ("town=Bonn", towns)]:
        known = pd.Series(cells)[groups >= 0].dropna()
        own = groups[known.index]
        one = found[name]
        np.testing.assert_allclose(one.means, known.groupby(own).mean())
        np.testing.assert_array_equal(one.sizes, known.groupby(own).size())
        np.testing.assert_allclose(one.variance, known.var(ddof=0), rtol=1e-3)
        between = known.groupby(own).transform("mean").var(ddof=0)
        share = between / known.var(ddof=0)
        np.testing.assert_allclose(one.share_between, share, rtol=1e-3)
    total = found["town=Ulm"].means + found["town=Bonn"].means
    np.testing.assert_allclose(total, 1.0)


def test_a_column_that_is_missing_in_a_group_is_left_out(rows):
    groups, rooms, codes = rows
    cells = {
        "rooms": np.where(groups == 1, np.nan, rooms),
        "town": Text(np.where(groups == 2, -1, codes), ("Ulm", "Bonn")),
    }
    assert observed(cells, groups, 3) == {}


def test_a_constant_has_no_variance():
    groups = np.array([0, 0, 1])
    one = observed({"x": np.full(3, 0.1)}, groups, 2)["x"]
    assert one.variance == one.share_between == 0.0
