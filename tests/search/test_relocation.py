import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from tests.search.naive import power_sum

from maxmargin.search import relocation
from maxmargin.search.features import Problem, make_passes
from maxmargin.search.objective import MEANS, PLAIN_SUM, Objective
from maxmargin.search.passes import decide_by, pass_block, sum_columns, value_of
from maxmargin.search.relocation import relocate_centers

LENGTHS = Objective(power=0.0, root=0.5)  # the sum of the lengths of the sums
OBJECTIVES = [MEANS, PLAIN_SUM, Objective(power=0.7), LENGTHS]


def naive_objective(features, weights, labels, n_clusters, objective=MEANS):
    weighted = features * weights[:, None]
    S = weighted @ weighted.T
    power, root = objective
    return power_sum(S, labels, n_clusters, power, weights, root)


def equal_limits(n_samples, n_clusters):
    sizes = [n_samples // n_clusters, -(-n_samples // n_clusters)]
    return np.repeat(np.array(sizes, dtype=float)[:, None], n_clusters, axis=1)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_objective_is_that_of_the_smoother(random, objective):
    features, weights = random.randn(80, 4), random.uniform(0.5, 2, 80)
    run = relocate_centers(features, weights, 5, random, objective=objective)
    value = naive_objective(features, weights, run.labels, 5, objective)
    assert run.objective == pytest.approx(value)
    assert run.history[-1] == run.objective
    assert list(run.history) == sorted(run.history)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_passes_end_where_no_pass_gains(random, objective):
    features, weights = random.randn(120, 6), random.randint(1, 4, 120).astype(float)
    labels, identity = random.randint(3, size=120), np.eye(6)
    problem = Problem(features, weights, 3, objective)
    found = make_passes(problem, labels)
    start = naive_objective(features, weights, labels, 3, objective)
    assert found.value > start
    value = naive_objective(features, weights, found.labels, 3, objective)
    assert found.value == pytest.approx(value)
    sums = sum_columns(features, weights, found.labels, 3)
    again = pass_block(features, weights, decide_by(sums, identity, objective))
    assert value_of(again, identity, objective) <= found.value * (1 + 1e-9)


def test_passes_keep_an_optimum(random):
    X = np.concatenate([random.randn(20, 2), random.randn(20, 2) + 30])
    labels = np.repeat([0, 1], 20)
    found = make_passes(Problem(X, np.ones(40), 2), labels)
    np.testing.assert_array_equal(found.labels, labels)


def test_lengths_of_sums_are_the_best_of_many_starts(random):
    """Directions around a circle: each cluster is a range of angles."""
    angles = np.sort(random.uniform(0, 2 * np.pi, 40))
    features = np.column_stack([np.cos(angles), np.sin(angles)])
    run = relocate_centers(features, np.ones(40), 3, random, objective=LENGTHS)
    sums = np.concatenate([np.zeros((1, 2)), np.cumsum(features, axis=0)])
    lengths = np.linalg.norm(sums[None] - sums[:, None], axis=2)  # of each range
    ends = [
        (a, b, c) for a in range(40) for b in range(a + 1, 40) for c in range(b, 41)
    ]
    rest = np.linalg.norm(sums[-1] - (sums[None] - sums[:, None]), axis=2)
    best = max(lengths[a, b] + lengths[b, c] + rest[a, c] for a, b, c in ends)
    assert run.objective == pytest.approx(best)


def test_finds_what_one_start_of_k_means_misses(seed):
    X, _ = make_blobs(
        600, centers=25, center_box=(-20, 20), cluster_std=0.5, random_state=seed
    )
    random = np.random.RandomState(seed)
    run = relocate_centers(X, np.ones(600), 25, random, n_random=1)
    many = KMeans(25, n_init=200, random_state=0).fit(X)
    best = np.sum(X**2) - many.inertia_
    assert run.objective >= best * (1 - 1e-6)


def test_labels_are_those_of_the_nearest_mean(random):
    features = random.randn(200, 3)
    run = relocate_centers(features, np.ones(200), 6, random)
    means = np.stack([features[run.labels == h].mean(axis=0) for h in range(6)])
    distances = ((features[:, None] - means) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distances.argmin(axis=1), run.labels)


def test_a_part_of_many_samples_is_searched(seed, monkeypatch):
    X, _ = make_blobs(
        5000, centers=12, center_box=(-20, 20), cluster_std=0.7, random_state=seed
    )
    weights = np.random.RandomState(seed).uniform(0.5, 2.0, 5000)
    whole = relocate_centers(X, weights, 12, np.random.RandomState(0))
    monkeypatch.setattr(relocation, "PART_SIZE", 700)
    run = relocate_centers(X, weights, 12, np.random.RandomState(0))
    assert run.objective == pytest.approx(whole.objective, rel=1e-3)
    assert list(run.history) == sorted(run.history)
    means = np.stack(
        [np.average(X[run.labels == h], 0, weights[run.labels == h]) for h in range(12)]
    )
    value = np.bincount(run.labels, weights) @ (means**2).sum(axis=1)
    assert value == pytest.approx(run.objective, rel=1e-6)


def test_fewer_samples_than_clusters(random):
    run = relocate_centers(random.randn(3, 2), np.ones(3), 5, random)
    assert sorted(run.labels) == [0, 1, 2]


def test_samples_at_their_centers(random):
    features = np.repeat(np.eye(4), 20, axis=0)
    run = relocate_centers(features, np.ones(80), 4, random)
    assert run.objective == pytest.approx(80.0)


def test_one_cluster(random):
    run = relocate_centers(random.randn(30, 2), np.ones(30), 1, random)
    assert set(run.labels) == {0}


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_sizes_within_limits(random, objective):
    """At least as good as passes within the limits from the same labels."""
    features, weights = random.randn(90, 3), np.ones(90)
    features[:60] += [4, 0, 0]
    limits = equal_limits(90, 4)
    run = relocate_centers(
        features, weights, 4, random, objective=objective, limits=limits
    )
    assert sorted(np.bincount(run.labels)) == [22, 22, 23, 23]
    value = naive_objective(features, weights, run.labels, 4, objective)
    assert run.objective == pytest.approx(value)
    free = relocate_centers(features, weights, 4, random, objective=objective)
    problem = Problem(features, weights, 4, objective, limits)
    plain = make_passes(problem, free.labels)
    assert sorted(np.bincount(plain.labels)) == [22, 22, 23, 23]
    assert run.objective >= plain.value * (1 - 1e-4)  # other random starts


def test_different_limits_of_clusters(random):
    features = random.randn(60, 2)
    limits = np.array([[30.0, 20, 10], [30, 20, 10]])
    run = relocate_centers(features, np.ones(60), 3, random, limits=limits)
    assert np.bincount(run.labels).tolist() == [30, 20, 10]


def test_limits_that_are_met_change_nothing(random, seed):
    features, weights = random.randn(150, 4), random.uniform(0.5, 2.0, 150)
    free = relocate_centers(features, weights, 5, np.random.RandomState(seed))
    sizes = np.bincount(free.labels, weights)
    limits = np.repeat([[sizes.min()], [sizes.max()]], 5, axis=1)
    limited = relocate_centers(
        features, weights, 5, np.random.RandomState(seed), limits=limits
    )
    np.testing.assert_array_equal(limited.labels, free.labels)
    assert limited.history == free.history


def test_given_labels_start_the_search(random):
    features, weights = random.randn(100, 3), np.ones(100)
    start = random.randint(6, size=100)
    run = relocate_centers(features, weights, 6, random, init=start, n_random=0)
    first = make_passes(Problem(features, weights, 6), start)
    assert run.history[0] == pytest.approx(first.value)
    assert run.objective >= first.value
    again = relocate_centers(features, weights, 6, random, init=run.labels, n_random=0)
    np.testing.assert_array_equal(again.labels, run.labels)


def test_given_labels_outside_the_limits(random):
    features, limits = random.randn(100, 3), equal_limits(100, 6)
    start = np.minimum(random.randint(20, size=100), 5)
    run = relocate_centers(
        features, np.ones(100), 6, random, init=start, n_random=0, limits=limits
    )
    assert sorted(np.bincount(run.labels)) == [16, 16, 17, 17, 17, 17]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("limited", [False, True])
def test_more_random_starts_never_lower_the_objective(seed, objective, limited):
    features = np.random.RandomState(seed).randn(120, 3)
    limits = equal_limits(120, 7) if limited else None
    values = [
        relocate_centers(
            features,
            np.ones(120),
            7,
            np.random.RandomState(seed),
            objective=objective,
            limits=limits,
            n_random=number,
        ).objective
        for number in (0, 1, 2, 4, 8)
    ]
    assert (np.diff(values) >= -1e-9 * np.abs(values[0])).all()


def test_limits_of_a_part_of_many_samples(random, monkeypatch):
    features = random.randn(900, 3)
    monkeypatch.setattr(relocation, "PART_SIZE", 200)
    run = relocate_centers(
        features, np.ones(900), 4, random, limits=equal_limits(900, 4)
    )
    assert np.bincount(run.labels).tolist() == [225] * 4
    value = naive_objective(features, np.ones(900), run.labels, 4)
    assert run.objective == pytest.approx(value)


def test_each_start_is_reported(random):
    heard = []
    features = random.randn(80, 3)
    run = relocate_centers(
        features,
        np.ones(80),
        5,
        random,
        n_random=3,
        on_iteration=lambda *one: heard.append(one),
    )
    assert [one[0] for one in heard] == [1, 2, 3, 4, 5]
    assert {one[2] for one in heard} == {"start"}
    assert run.objective in [one[1] for one in heard]


def test_each_relocation_of_a_single_start_is_reported(random):
    heard, features = [], random.randn(80, 3)
    run = relocate_centers(
        features,
        np.ones(80),
        5,
        random,
        init=np.arange(80) % 5,
        n_random=0,
        on_iteration=lambda *one: heard.append(one),
    )
    assert heard == list(enumerate(run.history[:-1]))[1:]


def test_trials_relocate_several_of_many_clusters(random):
    """The first trial has pairs without a common cluster, the others are single."""
    estimates = random.randn(40, 40)
    np.fill_diagonal(estimates, -np.inf)
    first, *others = relocation.relocation_trials(estimates, 10)
    assert 1 < len(first) <= 4
    assert len({one for pair in first for one in pair}) == 2 * len(first)
    assert all(estimates[pair] > 0 for pair in first)
    order = np.argsort(-estimates, axis=None)[:9]
    assert [pair for one in others for pair in one] == [divmod(i, 40) for i in order]
    few = relocation.relocation_trials(estimates[:5, :5], 10)
    assert all(len(one) == 1 for one in few)


def test_a_smaller_part_of_costly_problems(random):
    features, weights = random.randn(9000, 200), np.ones(9000)
    few = relocation.part_size(Problem(features, weights, 10))
    many = relocation.part_size(Problem(features, weights, 150))
    assert few >= 9000
    assert 30 * 150 <= many < 9000


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_passes_over_blocks_are_those_of_one_loop(random, objective, monkeypatch):
    rows, weights = random.randn(500, 5), random.uniform(0.5, 2.0, 500)
    problem = Problem(rows, weights, 4, objective)
    labels = random.randint(4, size=500)
    whole = make_passes(problem, labels)
    monkeypatch.setattr("maxmargin.search.features.FEW_SAMPLES", 0)
    monkeypatch.setattr("maxmargin.search.features.ROWS_PER_BLOCK", 32)
    blocks = make_passes(problem, labels)
    np.testing.assert_array_equal(blocks.labels, whole.labels)
    np.testing.assert_allclose(blocks.sums, whole.sums, atol=1e-9)
    assert blocks.value == pytest.approx(whole.value)
