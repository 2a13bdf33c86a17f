import numpy as np
import pytest
from benchmarks.data.suite import SUITE, MissingData, load_dataset


def test_measurements_are_standardised_and_images_are_not():
    wine = load_dataset("wine").prepared()
    np.testing.assert_allclose(wine.X.std(axis=0), 1)
    digits = load_dataset("digits").prepared()
    assert digits.X.max() == 16
    assert digits.X.shape == (1797, 61)  # three pixels are always white


def test_rows_are_drawn_with_a_fixed_seed():
    one, two = (load_dataset("digits").prepared(100) for _ in range(2))
    np.testing.assert_array_equal(one.X, two.X)
    assert len(one.y) == 100


def test_every_set_of_the_folder_loads(data_folder):
    for name, source in SUITE.items():
        data = load_dataset(name).prepared(500)
        assert len(data.X) == len(data.y) <= 500
        if source.classes:
            assert len(np.unique(data.y)) == len(source.classes)


def test_missing_data_set_is_named(monkeypatch):
    monkeypatch.delenv("MAXMARGIN_DATA", raising=False)
    with pytest.raises(MissingData, match="coil20"):
        load_dataset("coil20")


def test_unknown_name():
    with pytest.raises(ValueError, match="not in the suite"):
        load_dataset("iriss")
