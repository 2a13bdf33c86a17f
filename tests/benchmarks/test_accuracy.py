"""The accuracy benchmark: scores, draws, cached results."""

import json

import numpy as np
import pytest

pytest.importorskip("benchmarks.accuracy", reason="needs the repository's root")

from benchmarks.accuracy import run, summary
from benchmarks.accuracy.measures import accuracy, score, stability
from benchmarks.accuracy.methods import Method
from benchmarks.accuracy.no_structure import DRAWS, ROWS, draw_without_structure
from benchmarks.accuracy.plan import METHODS, PLANS
from benchmarks.accuracy.probability import calibration_error
from benchmarks.accuracy.run import is_done
from benchmarks.accuracy.small import draw_small, small_names
from benchmarks.accuracy.store import Store, key_of
from benchmarks.accuracy.tasks import Task

HALVES = np.repeat([0, 1], 50)


def by_sign(X, n_clusters, seed):
    """Two clusters, or each row its own where another number is asked for."""
    return (X[:, 0] > 0).astype(int) if n_clusters == 2 else np.arange(len(X))


def task(*references):
    return Task("signs", np.where(HALVES, 1.0, -1.0)[:, None], references)


def test_noise_is_not_scored_and_the_best_reference_counts():
    noisy = HALVES.copy()
    noisy[::10] = -1
    wrong = np.arange(100) % 2
    labels = HALVES.copy()
    labels[::10] = 1 - labels[::10]
    assert score((wrong,), lambda k: labels) < 0.1
    assert score((HALVES,), lambda k: labels) < 0.9
    assert score((wrong, noisy), lambda k: labels) == 1


def test_a_fit_for_each_number_of_clusters():
    asked = []

    def fit(X, n_clusters, seed):
        asked.append((n_clusters, seed))
        return by_sign(X, n_clusters, seed)

    three = HALVES + (np.arange(100) > 90)
    result = accuracy(Method("signs", fit), task(HALVES, three), 2)
    assert asked == [(2, 0), (3, 0), (2, 1), (3, 1)]
    assert result["ari"] == [1, 1]
    assert result["agreement"] == 1


def test_agreement_of_seeds_that_differ():
    def fit(X, n_clusters, seed):
        return by_sign(X, 2, seed) if seed < 2 else np.arange(100) % 2

    result = accuracy(Method("swings", fit), task(HALVES), 3)
    assert result["ari"][:2] == [1, 1]
    assert result["agreement"] == pytest.approx(1 / 3, abs=0.02)


def test_methods_that_find_the_number_report_it_without_noise():
    def fit(X, n_clusters, seed):
        assert n_clusters is None
        return np.where(np.arange(100) < 10, -1, HALVES)

    result = accuracy(Method("noise", fit, finds_number=True), task(HALVES), 1)
    assert result["found"] == [2]


def test_parts_have_common_rows_only():
    sizes = []

    def fit(X, n_clusters, seed):
        sizes.append(len(X))
        return by_sign(X, n_clusters, seed)

    assert stability(Method("signs", fit), task(HALVES), 5) == {"pairs": [1, 1, 1]}
    assert sizes == [95] * 6


def test_calibration_error():
    confidence = np.array([0.95, 0.95, 0.55, 0.55])
    assert calibration_error(confidence, confidence) == pytest.approx(0)
    frequency = np.array([1.0, 0.5, 0.55, 0.55])
    assert calibration_error(confidence, frequency) == pytest.approx(0.1)


def test_small_tasks_repeat_and_keep_their_promises():
    names = [n for n in small_names() if n.split(",")[0] in ("iris", "digits", "wdbc")]
    assert len(names) == 5
    for name in names:
        data = draw_small(name)
        np.testing.assert_array_equal(data.X, draw_small(name).X)
        n_classes = len(np.unique(data.y))
        if name.endswith("few rows"):
            assert 100 <= len(data.X) <= 300
        else:
            assert len(data.X) <= 500
            assert 2 <= n_classes <= (2 if "iris" in name else 4)


def test_draws_without_structure():
    X = draw_without_structure("uniform, 10 columns")
    assert X.shape == (DRAWS * ROWS, 10)
    assert 0 <= X.min() < X.max() <= 1


def test_store_keeps_what_others_wrote(tmp_path):
    path = tmp_path / "results.json"
    first, second = Store(path), Store(path)
    keys = [key_of("small", f"iris, {i}", "kmeans", "accuracy") for i in range(2)]
    first.put(keys[0], {"ari": [0.5]})
    second.put(keys[1], {"failed": "no"})
    assert json.loads(path.read_text()) == first.read()
    assert set(first.read()) == set(keys)
    assert len(path.read_text().splitlines()) == 4
    first.forget([keys[0]])
    assert set(second.read()) == {keys[1]}


def test_more_seeds_are_run_again():
    assert is_done({"seeds": 2}, {"of": 5})
    assert not is_done({"seeds": 5}, {"of": 2})
    assert not is_done({"seeds": 1}, None)
    assert is_done({"seeds": 5}, {"failed": "no"})


class FakeWorker:
    """Measures what it has an answer for; anything else was interrupted."""

    def __init__(self, method):
        pass

    def ask(self, job):
        return {"of": 5} if job["name"] == "iris" else {"missing": "no data"}

    def kill(self):
        pass


def test_what_is_missing_is_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "Worker", FakeWorker)
    store = Store(tmp_path / "results.json")
    jobs = {name: {"name": name, "seeds": 5} for name in ("iris", "wine")}
    run.run_method(store, "kmeans", jobs, False, 2)
    assert store.read() == {"iris": {"of": 5}}
    run.run_method(store, "kmeans", {"iris": {"name": "wine", "seeds": 5}}, True, 1)
    assert store.read() == {}


def test_means_of_a_suite():
    results = {
        "public/a/kmeans/accuracy": {"ari": [0.2, 0.4], "cpu": [1, 1], "agreement": 1},
        "public/b/kmeans/accuracy": {"ari": [0.5], "cpu": [2], "agreement": 0.4},
        "public/a/ward/accuracy": {"ari": [0.9], "cpu": [4]},
        "public/b/ward/accuracy": {"failed": "no"},
        "public/c/kmeans/accuracy": {"ari": [0.1], "cpu": [1], "agreement": 0.7},
        "public/c/ward/accuracy": {"ari": [0.1], "cpu": [4]},
        **{f"public/{name}/evoc/accuracy": {"failed": "no"} for name in "abc"},
        "public/a/genie/accuracy": {"ari": [1.0], "cpu": [1]},
    }
    methods = summary.complete_methods(
        results, "public", ("kmeans", "ward", "genie", "evoc"), "accuracy"
    )
    assert methods == ["kmeans", "ward"]
    names, scores = summary.score_table(results, "public", methods)
    assert names == ["a", "b", "c"]
    np.testing.assert_allclose(scores, [[0.3, 0.9], [0.5, 0], [0.1, 0.1]])
    np.testing.assert_allclose(summary.mean_ranks(scores), [1.5, 1.5])
    mean, *worst = summary.seed_agreement(results, "public", "kmeans")
    assert mean == pytest.approx(0.7)
    assert worst == [0.4, "b"]
    assert summary.time_ratio(results, "public", "ward") == pytest.approx(4)


def test_plans_name_known_methods():
    assert {m for plan in PLANS.values() for m in plan.methods} == set(METHODS)
