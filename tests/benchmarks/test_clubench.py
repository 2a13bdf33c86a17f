"""The page of the benchmark CLUBench."""

import numpy as np
import pytest

pytest.importorskip("benchmarks.clubench", reason="needs the repository's root")

from benchmarks.accuracy.measures import indices
from benchmarks.accuracy.methods import Method
from benchmarks.accuracy.store import Store
from benchmarks.accuracy.tasks import Task, load_task
from benchmarks.clubench.__main__ import HERE, PAGE, write_page


def test_the_three_scores_of_labels():
    y = np.repeat([0, 1], 4)
    labels = np.array([1, 1, 1, 0, 0, 0, 0, 0])  # one of eight is wrong
    task = Task("eight", np.zeros((8, 1)), (y,))
    found = indices(Method("fixed", lambda X, k, seed: labels), task, 2)
    assert found["acc"] == [7 / 8] * 2
    # Of 28 pairs, 9 are together in both, 12 in the classes, 13 in the labels.
    chance = 12 * 13 / 28
    ari = (9 - chance) / ((12 + 13) / 2 - chance)
    assert found["ari"] == pytest.approx([ari] * 2)
    assert 0 < found["nmi"][0] < 1
    assert found["of"] == len(found["cpu"]) == 2


def test_columns_are_standardised_and_rows_the_same(data_folder):
    raw = load_task("clubench_raw", "wine")
    task = load_task("clubench", "wine")
    np.testing.assert_allclose(task.X.std(axis=0), 1)
    np.testing.assert_allclose(np.corrcoef(task.X[:, 3], raw.X[:, 3])[0, 1], 1)
    np.testing.assert_array_equal(task.references[0], raw.references[0])
    assert task.counts == [3]


def test_the_page_is_that_of_the_results(tmp_path):
    page = tmp_path / "page.md"
    write_page(Store(HERE / "results.json").read(), page)
    assert page.read_text() == PAGE.read_text()
    assert "{" not in page.read_text()
