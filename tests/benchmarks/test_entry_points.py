"""Benchmarks that call parts of the package by name still run, on few rows."""

import importlib
import pkgutil

import benchmarks
import numpy as np
import pytest
from benchmarks import cli

# Scripts for `asv`, and those of libraries that the test extra lacks.
NOT_IMPORTED = ("benchmarks.asv",)


def modules():
    found = pkgutil.walk_packages(benchmarks.__path__, "benchmarks.")
    names = [one.name for one in found if not one.name.endswith("__main__")]
    return [name for name in names if not name.startswith(NOT_IMPORTED)]


@pytest.mark.parametrize("name", modules())
def test_modules_are_imported(name):
    """A name that was moved or renamed in the package is found here."""
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith(("maxmargin", "benchmarks")):
            raise
        pytest.skip(f"needs {error.name}")
    assert module.__doc__


def test_the_steps_of_the_command(tmp_path):
    cli.write_table(tmp_path / "table.parquet", 300)
    found = cli.measure(tmp_path)
    assert found["rows"] == 300
    assert (tmp_path / "labels.parquet").exists()
    assert (tmp_path / "m.npz").exists()


def test_the_oracle_starts():
    """Classes are numbers of NumPy, and the page takes whole numbers."""
    pytest.importorskip("fastapi")
    from benchmarks.corrections import start

    X = np.repeat(np.eye(3), 20, axis=0) + 0.01 * np.random.RandomState(0).randn(60, 3)
    _, state = start(X, np.int64(3))
    assert len(np.unique(state.labels)) == 3
