"""Evolution agrees with the paper's formula, flip for flip, and finds the optimum."""

import numpy as np
import pytest
from tests.search import naive

from maxmargin.published.search import evolution
from maxmargin.published.search.evolution import (
    evolve,
    labels_within,
    new_breeding,
    run_generations,
)
from maxmargin.published.search.flips import (
    new_bound_cache,
    next_gain,
    next_gain_of_two,
    set_anchor,
    update_difference,
)
from maxmargin.published.search.mutation import mutate, new_moves, undo
from maxmargin.published.search.population import (
    apply_moves,
    mutation_value,
    new_population,
)
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import PLAIN_SUM, Objective


def low_rank(random, n_samples, rank=6):
    """Rows B and the kernel matrix ``K`` with ``B B' = K (K + alpha)^-1``."""
    Z = random.randn(n_samples, rank)
    alpha = 0.7
    values, vectors = np.linalg.eigh(Z.T @ Z)
    return Z @ vectors / np.sqrt(values + alpha), Z @ Z.T, alpha


@pytest.fixture(params=["low rank", "whole"])
def problem(request, random):
    """Rows, whether they are those of S, S, the kernel and its ridge."""
    B, K, alpha = low_rank(random, 30)
    whole = request.param == "whole"
    return (B @ B.T if whole else B), whole, B @ B.T, K, alpha


def make(rows, whole, n_clusters, random, option=0.3, power=0.0, members=1, slots=2):
    weights = np.ones(len(rows))
    balance = make_balance(option, n_clusters, weights)._replace(
        objective=Objective(power)
    )
    starts = [labels_within(weights, balance, random) for _ in range(members)]
    return new_population(rows, weights, balance, starts, slots, whole=whole), balance


@pytest.mark.parametrize("n_flips", [1, 2, 3, 11, 30])
def test_fitness_is_that_of_the_paper(problem, random, n_flips):
    """For two clusters F(y) falls by 2 / n of what the objective rises by."""
    rows, whole, _, K, alpha = problem
    population, _ = make(rows, whole, 2, random)
    buffers = np.empty(population.sums.shape[1:]), np.empty(2)
    moves, generator = new_moves((60,)), np.array([1], dtype=np.uint64)
    for _ in range(20):
        before = population.labels[0].copy()
        fitness = naive.evolutionary_fitness(K, alpha, 2.0 * before - 1)
        n_moves = mutate(population, 0, n_flips, np.arange(30), generator, moves)
        changed = population.labels[0].copy()
        value = mutation_value(population, 0, moves, n_moves, *buffers)
        undo(population, 0, moves, n_moves)
        np.testing.assert_array_equal(population.labels[0], before)
        expected = naive.evolutionary_fitness(K, alpha, 2.0 * changed - 1)
        rise = value - population.values[0]
        np.testing.assert_allclose(expected - fitness, -2 / 30 * rise, atol=1e-10)
        apply_moves(population, 0, moves, n_moves)
        np.testing.assert_array_equal(population.labels[0], changed)
        np.testing.assert_allclose(population.values[0], value)


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("n_flips", [1, 2, 5])
def test_fitness_with_many_clusters(problem, random, n_flips, power):
    rows, whole, S, _, _ = problem
    population, _ = make(rows, whole, 4, random, power=power)
    buffers = np.empty(population.sums.shape[1:]), np.empty(4)
    moves, generator = new_moves((60,)), np.array([2], dtype=np.uint64)
    for _ in range(20):
        n_moves = mutate(population, 0, n_flips, np.arange(30), generator, moves)
        value = mutation_value(population, 0, moves, n_moves, *buffers)
        expected = naive.power_sum(S, population.labels[0], 4, power)
        np.testing.assert_allclose(value, expected)
        undo(population, 0, moves, n_moves)
        apply_moves(population, 0, moves, n_moves)
        np.testing.assert_allclose(population.values[0], expected)


@pytest.mark.parametrize("n_clusters", [2, 3])
@pytest.mark.parametrize("option", ["free", 0.3, "equal"])
def test_flips_one_by_one(problem, seed, n_clusters, option):
    """The fast loop stops at the flip at which a naive one does."""
    rows, whole, S, _, _ = problem
    power = 0.7 if option == "free" else 0.0
    start = np.random.RandomState(seed)
    population, balance = make(rows, whole, n_clusters, start, option, power)
    generator, clock = np.array([seed], dtype=np.uint64), np.zeros(3, dtype=np.int64)
    moves = new_moves((2,))
    numbers = naive.SplitMix(seed)
    cache = new_bound_cache(population.norms, rows.shape[1])
    for _ in range(15):
        labels = population.labels[0].copy()
        expected, n_tried = naive.first_gain(
            S, labels, n_clusters, power, balance.limits, numbers, 500
        )
        clock[0] = 0
        arguments = (population, 0, generator, moves, clock, 500, 1e-10)
        if n_clusters == 2 and power == 0.0 and not whole:
            n_moves = next_gain_of_two(*arguments, cache)
            set_anchor(cache)
        else:
            n_moves = next_gain(*arguments)
        assert clock[0] == n_tried
        apply_moves(population, 0, moves, n_moves)
        np.testing.assert_array_equal(population.labels[0], expected)


def test_bounds_of_the_watch(random):
    """Inner products stay within the bound, whenever they were computed."""
    B, _, _ = low_rank(random, 30)
    population, _ = make(B, False, 2, random)
    cache = new_bound_cache(population.norms, B.shape[1])
    generator, clock = np.array([3], dtype=np.uint64), np.zeros(3, dtype=np.int64)
    moves = new_moves((2,))
    for round_ in range(40):
        n_moves = next_gain_of_two(
            population, 0, generator, moves, clock, 20, 1e-10, cache
        )
        apply_moves(population, 0, moves, n_moves)
        update_difference(population, 0, cache)
        difference = population.sums[0, 1] - population.sums[0, 0]
        np.testing.assert_array_equal(cache.difference, difference)
        bound = cache.lengths * (cache.path.sum() - cache.keys)
        assert (np.abs(B @ difference - cache.products) <= bound + 1e-10).all()
        if round_ % 3 == 0:
            set_anchor(cache)
    assert (cache.keys > -1e300).any()


@pytest.mark.parametrize(("mu", "nu"), [(1, 1), (1, 4), (4, 1), (3, 5), (10, 10)])
@pytest.mark.parametrize("n_flips", [0, 1])
def test_every_generation_keeps_balance_and_the_best(random, mu, nu, n_flips):
    B, _, _ = low_rank(random, 40)
    weights = np.ones(40)
    balance = make_balance(0.2, 3, weights)._replace(objective=PLAIN_SUM)
    starts = [labels_within(weights, balance, random) for _ in range(mu)]
    population = new_population(
        B, weights, balance, starts, mu + min(mu, nu), whole=False
    )
    breeding = new_breeding(population, mu, nu, random)
    worst, best = -np.inf, -np.inf
    for t in range(60):
        run_generations(population, breeding, 1, n_flips, 10**9, 1e-12)
        assert breeding.clock[0] == t + 1
        slots = np.concatenate([breeding.members, breeding.spare])
        np.testing.assert_array_equal(np.sort(slots), np.arange(len(slots)))
        for m in breeding.members:
            labels = population.labels[m]
            sizes = np.bincount(labels, minlength=3)
            np.testing.assert_array_equal(sizes, population.sizes[m])
            assert (sizes >= balance.limits[0]).all()
            assert (sizes <= balance.limits[1]).all()
            expected = naive.plain_sum(B @ B.T, labels, 3)
            np.testing.assert_allclose(population.values[m], expected)
        values = population.values[breeding.members]
        assert values.min() >= worst
        assert values.max() >= best
        np.testing.assert_allclose(breeding.best[0], values.max())
        worst, best = values.min(), values.max()


@pytest.mark.parametrize("options", [{}, {"classification": True}, {"n_flips": 1}])
@pytest.mark.parametrize("mu", [1, 3])
def test_optimum_of_a_tiny_problem(random, options, mu):
    B, _, _ = low_rank(random, 10, rank=3)
    weights = np.ones(10)
    balance = make_balance(0.4, 2, weights)._replace(objective=PLAIN_SUM)
    runs = [
        evolve(
            B,
            weights,
            [labels_within(weights, balance, random) for _ in range(mu)],
            balance,
            random,
            whole=False,
            n_offspring=mu,
            **options,
        )
        for _ in range(40)
    ]
    best = naive.best_labelling(
        lambda labels: naive.plain_sum(B @ B.T, labels, 2),
        10,
        2,
        lambda sizes: sizes.min() >= 3,
    )
    np.testing.assert_allclose(max(run.objective for run in runs), best)
    assert all(run.converged for run in runs)


def test_record_of_a_run(problem, random):
    rows, whole, S, _, _ = problem
    weights = np.ones(30)
    balance = make_balance(0.3, 3, weights)._replace(objective=PLAIN_SUM)
    start = labels_within(weights, balance, random)
    seen = []
    run = evolve(
        rows,
        weights,
        [start],
        balance,
        random,
        whole=whole,
        on_iteration=lambda *at: seen.append(at),
    )
    np.testing.assert_allclose(run.history[0], naive.plain_sum(S, start, 3))
    np.testing.assert_allclose(run.objective, naive.plain_sum(S, run.labels, 3))
    assert (np.diff(run.history) >= 0).all()
    assert [objective for _, objective in seen] == list(run.history[1:])
    assert run.n_moves > 0


def test_end_of_a_run(random):
    """A run that was stopped has not converged; patience is as documented."""
    B, _, _ = low_rank(random, 40)
    weights = np.ones(40)
    balance = make_balance(0.3, 2, weights)._replace(objective=PLAIN_SUM)
    start = [labels_within(weights, balance, random)]
    run = evolve(B, weights, start, balance, random, whole=False, max_iter=1)
    assert not run.converged
    assert run.n_iter == 1
    at_rest = evolve(B, weights, start, balance, random, whole=False)
    again = evolve(B, weights, [at_rest.labels], balance, random, whole=False)
    if again.n_moves == 0:
        # The stretch is log(100) times as long as a round.
        assert again.n_iter == 5
    assert (1 - 1 / 40) ** (40 * -np.log(evolution.MISSED)) == pytest.approx(
        evolution.MISSED, rel=0.2
    )


def test_classification_never_loses(problem, random):
    rows, whole, _, _, _ = problem
    population, balance = make(rows, whole, 3, random, members=2, slots=4)
    breeding = new_breeding(population, 2, 2, random)
    for _ in range(10):
        before = population.values[breeding.members]
        improved = evolution.classify_members(population, breeding, 1e-12)
        after = population.values[breeding.members]
        assert (after >= before).all()
        assert improved == (after.max() > before.max())
        for m in breeding.members:
            sizes = np.bincount(population.labels[m], minlength=3)
            assert (sizes >= balance.limits[0]).all()
            assert (sizes <= balance.limits[1]).all()


def test_weights_within_limits(random):
    """Samples of unequal weight are swapped only if sizes stay within the limits."""
    B, _, _ = low_rank(random, 30)
    weights = random.randint(1, 4, size=30).astype(float)
    balance = make_balance(0.15, 2, weights)._replace(objective=PLAIN_SUM)
    start = labels_within(weights, balance, random)
    run = evolve(B, weights, [start], balance, random, whole=False)
    sizes = np.bincount(run.labels, weights, minlength=2)
    assert (sizes >= balance.limits[0]).all()
    assert (sizes <= balance.limits[1]).all()


@pytest.mark.parametrize("members", [1, 3])
def test_stops_after_the_generations_without_a_change_that_the_paper_allows(
    problem, members
):
    rows, whole, *_ = problem
    weights = np.ones(len(rows))
    balance = make_balance(0.3, 2, weights)._replace(objective=PLAIN_SUM)

    def run(**options):
        random = np.random.RandomState(0)
        starts = [labels_within(weights, balance, random) for _ in range(members)]
        return evolve(
            rows,
            weights,
            starts,
            balance,
            random,
            whole=whole,
            n_offspring=members,
            **options,
        )

    patience = 25
    full = run(patience=patience)
    assert full.converged
    last = full.n_generations - patience  # the last generation with an improvement
    found = [run(patience=10**6, last_generation=last + more) for more in (-2, -1)]
    assert [one.n_generations for one in found] == [last - 1, last]
    assert found[0].objective < found[1].objective == full.objective
    np.testing.assert_array_equal(found[1].labels, full.labels)
