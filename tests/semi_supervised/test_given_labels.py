"""Partly missing labels of any type, names of new classes, and pairs."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.semi_supervised.given_labels import (
    check_pairs,
    name_classes,
    split_labels,
)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([7, -1, 3, 7], [3, 7]),
        ([7.0, -1.0, 3.0, 7.0], [3, 7]),
        (["ox", "-1", "ant", "ox"], ["ant", "ox"]),
        (np.array(["ox", None, "ant", "ox"], dtype=object), ["ant", "ox"]),
        (np.array([7, -1, 3, 7], dtype=object), [3, 7]),
        ([7.0, np.nan, 3.0, 7.0], [3, 7]),
        (np.array(["ox", np.nan, "ant", "ox"], dtype=object), ["ant", "ox"]),
        (pd.Series(["ox", None, "ant", "ox"], dtype="category"), ["ant", "ox"]),
        (pd.Series(["ox", pd.NA, "ant", "ox"], dtype="string"), ["ant", "ox"]),
        (pd.Series([7, pd.NA, 3, 7], dtype="Int64"), [3, 7]),
        (pl.Series([7, None, 3, 7]), [3, 7]),
    ],
)
def test_missing_labels(y, classes):
    found, numbers = split_labels(y, 4)
    assert found.tolist() == classes
    np.testing.assert_array_equal(numbers, [1, -1, 0, 1])


def test_no_label_is_missing_among_bools():
    _, numbers = split_labels(np.array([True, False, True]), 3)
    np.testing.assert_array_equal(numbers, [1, 0, 1])


def test_the_names_of_nothing_are_names():
    found, _ = split_labels(np.array(["None", "nan", "ox"], dtype=object), 3)
    assert found.tolist() == ["None", "nan", "ox"]


def test_a_single_class_is_warned_of():
    """As with the classes -1 and 1, of which -1 means that there is no label."""
    y = np.where(np.arange(20) < 10, -1, 1)
    X = np.random.RandomState(0).randn(20, 2) + 9 * y[:, None]
    with pytest.warns(UserWarning, match="All labels are 1.*The label -1 means"):
        SemiSupervisedMaxMargin(random_state=0).fit(X, y)
    model = SemiSupervisedMaxMargin(2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.transduction_ == 1, y == 1)


def test_fewer_clusters_than_classes():
    """scikit-learn's checks set one cluster, so that this is not an error."""
    with pytest.warns(UserWarning, match="n_clusters=2 is less than the 3 classes"):
        model = SemiSupervisedMaxMargin(2).fit(np.eye(3), [0, 1, 2])
    assert model.classes_.tolist() == [0, 1, 2]


def test_all_labels_missing():
    classes, numbers = split_labels([-1, -1], 2)
    assert len(classes) == 0
    np.testing.assert_array_equal(numbers, [-1, -1])


def test_one_label_for_each_sample():
    with pytest.raises(ValueError, match="y has 2 labels and X has 3 samples"):
        split_labels([0, 1], 3)


@pytest.mark.parametrize(
    ("classes", "n_classes", "expected"),
    [
        ([1, 2, 5], 5, [1, 2, 5, 0, 3]),
        ([1, 2], 2, [1, 2]),
        ([], 2, [0, 1]),
        ([False, True], 3, [0, 1, 2]),
        (["a", "new 1"], 4, ["a", "new 1", "new 2", "new 3"]),
    ],
)
def test_names_of_new_classes(classes, n_classes, expected):
    assert name_classes(np.array(classes), n_classes).tolist() == expected


def test_pairs():
    np.testing.assert_array_equal(check_pairs("must_link", [(0, 2)], 3), [[0, 2]])
    assert check_pairs("must_link", None, 3).shape == (0, 2)
    assert check_pairs("must_link", [], 3).shape == (0, 2)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1, 2)], "must_link must hold pairs of sample numbers"),
        ([(0.0, 1.0)], "must_link must hold pairs of sample numbers"),
        ([(0, 3)], "sample numbers from 0 to 3: they must be between 0 and 2"),
    ],
)
def test_bad_pairs(pairs, message):
    with pytest.raises(ValueError, match=message):
        check_pairs("must_link", pairs, 3)
