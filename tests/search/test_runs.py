import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from tests.search import naive

from maxmargin import MaxMarginClustering
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import Objective
from maxmargin.search.runs import (
    best_of_restarts,
    fill_empty,
    plus_plus_labels,
    random_labels,
    spectral_labels,
)


def default_value(S, labels, n_clusters):
    return naive.power_sum(S, labels, n_clusters, 1.0)


def search(S, n_clusters, sizes="free", weights=None, seed=0, **options):
    weights = np.ones(len(S)) if weights is None else weights
    balance = make_balance(sizes, n_clusters, weights)
    random = np.random.RandomState(seed)
    return best_of_restarts(S, weights, balance, random_state=random, **options)


@pytest.mark.parametrize("power", [0.7, 1.0])
def test_default_restarts_find_the_global_optimum(smoother_matrix, power):
    """At least 98 % of 100 random problems, checked against every labelling."""
    found = 0
    for problem in range(100):
        random = np.random.RandomState(problem)
        n_clusters = random.randint(2, 4)
        n_samples = random.randint(n_clusters + 2, 12 if n_clusters == 2 else 9)
        if problem % 20 == 0:
            n_samples = 10
        S, _ = smoother_matrix(random, n_samples, alpha=random.choice([0.1, 0.5, 2]))
        best = naive.best_labelling(
            lambda c, S=S, k=n_clusters: naive.power_sum(S, c, k, power),
            n_samples,
            n_clusters,
        )
        balance = make_balance("free", n_clusters, np.ones(n_samples), Objective(power))
        run = best_of_restarts(
            S, np.ones(n_samples), balance, random_state=np.random.RandomState(problem)
        )
        found += run.objective > best - 1e-9
    assert found >= 98


@pytest.mark.parametrize("sizes", ["equal", (2, 5), (0.5, 0.25, 0.25)])
def test_size_limits_hold_and_the_best_is_found(smoother_matrix, seed, sizes):
    S, _ = smoother_matrix(np.random.RandomState(seed), 8)
    balance = make_balance(sizes, 3, np.ones(8))
    low, high = balance.limits

    def feasible(sizes):
        return (sizes >= low).all() and (sizes <= high).all()

    run = search(S, 3, sizes, seed=seed)
    assert feasible(np.bincount(run.labels, minlength=3))
    best = max(best_shifted(S, shift, feasible) for shift in range(3))
    assert run.objective == pytest.approx(best, abs=1e-9)


def best_shifted(S, shift, feasible):
    """The best labelling whose first sample has the label ``shift``."""
    return naive.best_labelling(
        lambda c: default_value(S, (c + shift) % 3, 3),
        8,
        3,
        lambda sizes: feasible(np.roll(sizes, shift)),
    )


@pytest.mark.parametrize("search_name", ["shaking", "steepest", "stochastic"])
def test_a_run_ends_where_no_single_move_improves(random, smoother_matrix, search_name):
    S, _ = smoother_matrix(random, 40)
    run = search(S, 4, search=search_name, n_init=2)
    best = default_value(S, run.labels, 4)
    assert run.objective == pytest.approx(best)
    for j in range(40):
        for d in range(4):
            other = naive.moved(run.labels, j, d)
            if len(np.unique(other)) == 4:
                assert default_value(S, other, 4) <= best + 1e-9


def test_same_seed_same_answer_whatever_the_number_of_jobs(smoother_matrix):
    S, _ = smoother_matrix(np.random.RandomState(0), 120)
    with single_threaded_libraries(1):
        one = search(S, 5, n_init=6)
    with single_threaded_libraries(2):
        two = search(S, 5, n_init=6)
    np.testing.assert_array_equal(one.labels, two.labels)
    assert one.history == two.history


def test_restarts_differ_and_the_best_wins(smoother_matrix):
    S, _ = smoother_matrix(np.random.RandomState(0), 120, alpha=0.05)
    singles = [search(S, 6, n_init=1, seed=s).objective for s in range(8)]
    assert len({round(value, 9) for value in singles}) > 1
    many = search(S, 6, n_init=30).objective
    assert many >= np.median(singles)


def test_given_labels_are_kept_when_they_cannot_be_improved(smoother_matrix):
    S, _ = smoother_matrix(np.random.RandomState(0), 40)
    best = search(S, 3)
    again = search(S, 3, init=best.labels, search="stochastic")
    np.testing.assert_array_equal(again.labels, best.labels)
    assert again.n_moves == 0


def test_random_labels_fill_every_cluster(random):
    assert np.bincount(random_labels(23, 4, random)).tolist() == [6, 6, 6, 5]


def test_plus_plus_labels_put_each_sample_with_its_nearest_seed(random):
    S = np.kron(np.eye(3), np.ones((4, 4)))  # three groups far from each other
    labels = plus_plus_labels(S, np.ones(12), 3, random)
    assert len(np.unique(labels)) == 3
    np.testing.assert_array_equal(labels, np.repeat(labels[::4], 4))


def test_fill_empty_gives_each_cluster_a_sample(random):
    labels = fill_empty(np.zeros(5, dtype=int), 4, random)
    assert sorted(np.bincount(labels, minlength=4)) == [1, 1, 1, 2]


@pytest.mark.parametrize("n_samples", [90, 2400])
def test_the_relaxed_problem_finds_clusters_that_are_far_apart(n_samples):
    """Single moves alone have missed these in every second case."""
    sizes = n_samples // 6 * np.array([2, 2, 1, 1])
    truth = np.repeat(np.arange(4), sizes)
    centers = np.array([[0, 0], [9, 0], [0, 9], [12, 9]])
    for seed in range(10 if n_samples < 1000 else 1):
        random = np.random.RandomState(seed)
        rows = random.randn(n_samples, 2) + centers[truth]
        weights = random.uniform(0.5, 2.0, n_samples)
        kernel = rbf_kernel(rows, gamma=0.02)
        ridge = 0.05 * n_samples / 90
        S = kernel @ np.linalg.inv(kernel + ridge * np.diag(1.0 / weights))
        S = weights[:, None] * S
        labels = spectral_labels(S, weights, 4)
        assert adjusted_rand_score(labels, truth) == 1.0


def test_clusters_that_are_far_apart_are_found():
    for seed in range(10):
        random = np.random.RandomState(seed)
        truth = np.repeat([0, 1, 2, 3], [30, 30, 15, 15])
        X = random.randn(90, 2) + np.array([[0, 0], [9, 0], [0, 9], [12, 9]])[truth]
        model = MaxMarginClustering(4, kernel="rbf", random_state=seed).fit(X)
        assert adjusted_rand_score(model.labels_, truth) == 1.0
