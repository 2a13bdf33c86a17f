import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine, make_blobs, make_circles
from sklearn.preprocessing import StandardScaler

from maxmargin import MaxMarginClustering
from maxmargin.selection import cluster_count, select_n_clusters
from maxmargin.selection.cluster_count import (
    NOISE,
    ClusterCountTable,
    CountScore,
    climb,
    table_of,
    try_numbers,
)
from maxmargin.selection.graph_clusters import spaced_numbers


@pytest.mark.parametrize("n_clusters", [3, 6])
def test_blobs(seed, n_clusters):
    X, _ = make_blobs(
        300, centers=n_clusters, n_features=5, cluster_std=0.7, random_state=seed
    )
    found = select_n_clusters(X, range(1, 10), random_state=seed)
    assert found.best == n_clusters


@pytest.mark.parametrize("n_clusters", [20, 40])
def test_many_blobs(n_clusters):
    X, _ = make_blobs(
        20 * n_clusters,
        centers=n_clusters,
        n_features=10,
        cluster_std=0.7,
        random_state=0,
    )
    assert select_n_clusters(X, random_state=0).best == n_clusters


def test_sizes_may_differ():
    X, _ = make_blobs([300, 120, 60, 30], n_features=4, random_state=4)
    assert select_n_clusters(X, range(1, 12), random_state=0).best == 4


def test_more_samples_for_more_clusters(monkeypatch):
    monkeypatch.setattr(cluster_count, "PART", 200)
    X, _ = make_blobs(900, centers=30, n_features=10, cluster_std=0.5, random_state=0)
    assert select_n_clusters(X, random_state=0).best == 30


def test_groups_of_clusters(random):
    # Two groups far apart, each of six clusters that are close to each other.
    X, _ = make_blobs(300, centers=6, n_features=9, random_state=random)
    X = np.concatenate([X, X + random.normal(size=X.shape) + 1000.0])
    assert select_n_clusters(X, range(1, 16), random_state=0).best == 12


@pytest.mark.parametrize("n_features", [2, 10, 50])
@pytest.mark.parametrize("draw", ["normal", "uniform"])
def test_no_clusters(draw, n_features, random):
    X = getattr(random, draw)(size=(200, n_features))
    assert select_n_clusters(X, range(1, 12), random_state=0).best == 1


def test_long_samples_without_clusters(random):
    X = random.normal(size=(200, 2)) * [20.0, 1.0]
    table = select_n_clusters(X, range(1, 6), scale=False, random_state=0)
    assert table.best == 1


def test_few_distinct_rows():
    X = np.repeat(np.random.RandomState(0).normal(size=(8, 5)), 250, axis=0)
    model = MaxMarginClustering("auto", random_state=0).fit(X)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 8


def test_counts():
    random = np.random.RandomState(0)
    rates = random.gamma(0.3, 1.0, size=(4, 100))
    X = random.poisson(np.repeat(rates, 150, axis=0))
    assert MaxMarginClustering("auto", random_state=0).fit(X).n_clusters_ == 4


def test_auto_in_the_estimator():
    X, _ = make_circles(400, factor=0.4, noise=0.04, random_state=0)
    model = MaxMarginClustering("auto", random_state=0).fit(X)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == 2
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    wine = StandardScaler().fit_transform(load_wine().data)
    assert MaxMarginClustering("auto", random_state=0).fit(wine).n_clusters_ == 3


def test_alternatives_are_the_other_maxima():
    X = load_digits().data
    model = MaxMarginClustering("auto", random_state=0).fit(X)
    scores = [one.score for one in model.alternatives_ if one.score is not None]
    assert 9 <= model.n_clusters_ <= 12
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 for score in scores)
    assert model.n_clusters_ not in {one.n_clusters for one in model.alternatives_}
    given = MaxMarginClustering(3, random_state=0).fit(X)
    assert all(one.score is None for one in given.alternatives_)


def test_texts(data_folder):
    with np.load(data_folder / "embeddings" / "snips7.npz") as arrays:
        X = arrays["X"].astype(np.float64)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    assert 7 <= select_n_clusters(X).best <= 9


def test_one_cluster_in_the_estimator():
    X = np.random.RandomState(0).normal(size=(100, 5))
    model = MaxMarginClustering("auto", probability=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X)
    assert model.n_clusters_ == 1
    np.testing.assert_array_equal(model.labels_, np.zeros(100))
    np.testing.assert_array_equal(model.predict(X[:9] + 0.1), np.zeros(9))
    np.testing.assert_allclose(model.predict_proba(X), np.ones((100, 1)))


@pytest.mark.parametrize("n_samples", [2, 3, 4, 9])
def test_auto_with_few_samples(n_samples, recwarn, random):
    X = random.randn(n_samples, 2)
    assert MaxMarginClustering("auto", random_state=0).fit(X).n_clusters_ == 1
    assert not recwarn


def test_the_number_does_not_depend_on_a_seed():
    X = np.random.RandomState(3).normal(size=(150, 2))
    tables = [select_n_clusters(X, range(1, 9), random_state=seed) for seed in (0, 1)]
    assert tables[0] == tables[1]


def test_table():
    X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=4)
    table = select_n_clusters(X, range(1, 7), random_state=0)
    columns = table.to_dict()
    excess = columns["separation"] - columns["reference"]
    limits = (columns["pairs"] * excess - columns["score"])[1:]
    np.testing.assert_allclose(limits, limits[0])
    assert limits[0] > NOISE
    assert columns["pairs"][0] == columns["score"][0] == 0.0
    assert columns["n_clusters"][columns["score"].argmax()] == table.best == 4
    assert columns["boundary"][3] < columns["inner"][3]
    assert [row.n_clusters for row in table.maxima] == [4]
    assert str(table).count("\n") == 6
    assert "4" in next(line for line in str(table).splitlines() if "best" in line)


def peak(*tops):
    """Return scores with a maximum at each of some numbers, the first the largest."""

    def score_of(k):
        heights = [3.0 - i - abs(np.log(k / top)) for i, top in enumerate(tops)]
        return CountScore(k, max(heights) if k > 1 else 0.0, 0.5, *[0.0] * 4)

    return score_of


@pytest.mark.parametrize("best", [2, 9, 10, 11, 61, 100, 137])
def test_the_best_number_is_found_exactly(best):
    found = try_numbers(peak(best), 2000, {}, whole=False)
    assert table_of(found).best == best
    assert len(found) < 45


def test_larger_numbers_only_if_the_best_is_among_the_last():
    assert max(try_numbers(peak(7), 600, {}, whole=True)) <= 50
    assert max(try_numbers(peak(120), 600, {}, whole=False)) <= 50
    found = try_numbers(peak(120), 600, {}, whole=True)
    assert max(found, key=lambda k: found[k].score) == 120


def test_small_numbers_of_fewer_samples_are_kept():
    known = {k: peak(100)(k) for k in (1, 5, 40, 100)}
    tried = []
    found = try_numbers(lambda k: tried.append(k) or peak(100)(k), 4000, known, False)
    assert min(tried) > 50
    assert found[5] is known[5]
    assert 40 in found


def test_spaced_numbers():
    numbers = np.array(spaced_numbers(1000))
    np.testing.assert_array_equal(numbers[:12], [*range(1, 11), 12, 15])
    assert (numbers[10:] / numbers[9:-1] < 1.26).all()
    assert spaced_numbers(3) == [1, 2, 3]
    assert spaced_numbers(0) == []


def test_climbing_ends_at_a_maximum():
    score_of = peak(30)
    found = {k: score_of(k) for k in (1, 20, 40)}
    climb(found, score_of)
    assert table_of(found).best == 30


def scores(**values):
    rows = [CountScore(1, *[0.0] * 6)]
    rows += [CountScore(int(k[1:]), v, *[0.0] * 5) for k, v in values.items()]
    return ClusterCountTable(tuple(rows))


def test_maxima_are_better_than_their_neighbors():
    table = scores(k2=0.1, k4=0.5, k5=0.3, k20=0.4, k40=0.7, k60=-0.2)
    assert table.best == 40
    assert [one.n_clusters for one in table.maxima] == [40, 4]
    assert scores(k2=-0.1, k4=-0.2).best == 1


def test_the_best_number_between_two():
    table = scores(k2=0.1, k4=0.5, k5=0.3, k20=0.4, k40=0.7)
    assert table.best_within(1, np.inf) == 40
    assert table.best_within(1, 30) == 4
    assert table.best_within(5, 19) == 5
    assert table.best_within(6, 19) == 6  # none was scored


@pytest.mark.parametrize("counts", [[], [0, 2], [2, 60]])
def test_bad_numbers(counts):
    with pytest.raises(ValueError, match="from 1 to half of the 100 distinct"):
        select_n_clusters(np.random.RandomState(0).randn(100, 2), counts)


def test_auto_needs_samples():
    with pytest.raises(ValueError, match="precomputed"):
        MaxMarginClustering("auto", kernel="precomputed").fit(np.eye(20))


def test_sizes_limit_the_number():
    X, _ = make_blobs(300, centers=6, n_features=5, cluster_std=0.7, random_state=0)
    free = MaxMarginClustering(random_state=0).fit(X)
    assert free.n_clusters_ == 6
    for balance, expected in (((80, None), 3), ([0.4, 0.6], 2), ((10, None), 6)):
        model = MaxMarginClustering(balance=balance, random_state=0).fit(X)
        assert model.n_clusters_ <= expected
        sizes = np.bincount(model.labels_)
        if isinstance(balance, tuple):
            assert sizes.min() >= balance[0]
        else:
            assert sorted(sizes) == [120, 180]
    np.testing.assert_array_equal(model.labels_, free.labels_)


def test_the_number_is_found_by_default():
    assert MaxMarginClustering().n_clusters == "auto"
