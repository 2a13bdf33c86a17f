"""The cache of compiled code."""

import importlib.util
import pickle
import sys

import numba
import pytest

import maxmargin.compiled

SOURCE = """\
from maxmargin.compiled import compiled


@compiled
def double(x):
    return 2 * x
"""
NO_CACHE = numba.config.DISABLE_JIT or not maxmargin.compiled._CACHE
pytestmark = pytest.mark.skipif(NO_CACHE, reason="needs the cache of numba")


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return a function that imports the module as a new process does.

    Its cache is beside it, also where another folder is set for all caches.
    """
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    path = tmp_path / "doubling.py"
    path.write_text(SOURCE)

    def fresh():
        spec = importlib.util.spec_from_file_location("doubling", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["doubling"] = module
        spec.loader.exec_module(module)
        return module.double

    yield fresh
    sys.modules.pop("doubling", None)


def called(function):
    """Return the numbers of entries that were found and not found in the cache."""
    assert function(21) == 42
    stats = function.stats
    return sum(stats.cache_hits.values()), sum(stats.cache_misses.values())


def test_the_second_process_finds_the_code(load):
    assert called(load()) == (0, 1)
    assert called(load()) == (1, 0)


def test_code_of_another_version_is_compiled_again(load, monkeypatch):
    assert called(load()) == (0, 1)
    monkeypatch.setattr(maxmargin.compiled, "__version__", "0.0.1")
    assert called(load()) == (0, 1)
    assert called(load()) == (1, 0)


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize("content", [b"", b"damaged", pickle.dumps("other")])
def test_files_that_cannot_be_read_are_replaced(load, tmp_path, suffix, content):
    assert called(load()) == (0, 1)
    files = list(tmp_path.rglob(f"*.{suffix}"))
    assert len(files) == 1
    files[0].write_bytes(content)
    assert called(load()) == (0, 1)
    assert called(load()) == (1, 0)


def test_entries_of_classes_that_are_gone_are_replaced(load, tmp_path):
    assert called(load()) == (0, 1)
    (data,) = tmp_path.rglob("*.nbc")
    data.write_bytes(b"cmaxmargin.search.state\nGoneRecord\n.")
    assert called(load()) == (0, 1)
    assert called(load()) == (1, 0)
