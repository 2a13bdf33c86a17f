"""Evolutionary search: mutate labellings and keep the best (Algorithm 1).

In each generation ``nu`` parents are drawn among the ``mu`` members of the population.
Each has an offspring with s labels flipped, ``s = max(1, n / (t + 1))`` in generation t
or fixed. The best ``mu`` of members and offspring survive. A flip that would violate a
size limit becomes a swap with a sample of the other cluster. More than two clusters are
an extension of the paper: a flip then changes the label to a random other one.

F. Gieseke, T. Pahikkala, O. Kramer: Fast evolutionary maximum margin clustering. ICML
2009. doi:10.1145/1553374.1553421
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.published.search.flips import (
    BoundCache,
    flip_generations,
    new_bound_cache,
)
from maxmargin.published.search.mutation import (
    Moves,
    moves_of,
    mutate,
    new_generator,
    new_moves,
    random_below,
    undo,
)
from maxmargin.published.search.population import (
    Population,
    apply_moves,
    copy_member,
    fitted_values,
    mutation_value,
    new_population,
    set_member,
)
from maxmargin.search.balance import Balance
from maxmargin.search.descent import TOLERANCE
from maxmargin.search.limits import assign_in_order
from maxmargin.search.objective import decision_terms
from maxmargin.search.runs import fill_empty
from maxmargin.search.state import OnIteration, SearchResult

# A run stops after so many mutations without improvement that a single flip that
# increases the objective would have been missed with this probability.
MISSED = 0.01


@dataclass(frozen=True)
class EvolutionResult(SearchResult):
    """A run and the number of its generations."""

    n_generations: int = field(default=0, kw_only=True)


class Breeding(NamedTuple):
    """The buffers of a run, which change in every generation."""

    members: np.ndarray  # (mu,), slots of the population
    spare: np.ndarray  # unused slots
    parents: np.ndarray  # (nu,), slots
    moves: Moves  # each (nu, 2 n), from the parents to the offspring
    n_moves: np.ndarray  # (nu,)
    values: np.ndarray  # (nu,), the objectives of the offspring
    order: np.ndarray  # (n,), the samples in random order
    sums: np.ndarray  # (k, r), buffer of `mutation_value`
    within: np.ndarray  # (k,), buffer of `mutation_value`
    generator: np.ndarray  # the state of the random number generator
    clock: np.ndarray  # generations, mutations without improvement, moves made
    cache: BoundCache  # of single flips
    best: np.ndarray  # (1,), the best objective so far


def new_breeding(
    population: Population, mu: int, nu: int, random: np.random.RandomState
) -> Breeding:
    """Return buffers for a population whose members are in the first slots."""
    n_slots, n_samples = population.labels.shape
    return Breeding(
        np.arange(mu),
        np.arange(mu, n_slots),
        np.zeros(nu, dtype=np.int64),
        new_moves((nu, 2 * n_samples)),
        np.zeros(nu, dtype=np.int64),
        np.zeros(nu),
        np.arange(n_samples),
        np.empty(population.sums.shape[1:]),
        np.empty(population.within.shape[1:]),
        new_generator(random),
        np.zeros(3, dtype=np.int64),
        new_bound_cache(population.norms, population.rows.shape[1]),
        np.array([population.values[:mu].max()]),
    )


@compiled
def breed(population, breeding, i, n_flips):
    """Draw the parent and the mutation of offspring i, and compute its objective."""
    n_members = breeding.members.shape[0]
    m = breeding.members[0]
    if n_members > 1:
        m = breeding.members[random_below(breeding.generator, n_members)]
    moves = moves_of(breeding.moves, i)
    n_moves = mutate(population, m, n_flips, breeding.order, breeding.generator, moves)
    breeding.values[i] = -np.inf
    if n_moves > 0:
        breeding.values[i] = mutation_value(
            population, m, moves, n_moves, breeding.sums, breeding.within
        )
    undo(population, m, moves, n_moves)
    breeding.parents[i] = m
    breeding.n_moves[i] = n_moves


@compiled
def select_survivors(population, breeding, tolerance):
    """Keep the best of members and offspring; return the number of offspring kept.

    Only these are built, in the slot of their parent if nothing else needs it, else in
    a spare slot. The slots they replace are spare from the next generation on.
    """
    members, spare = breeding.members, breeding.spare
    in_place = members.shape[0] == 1 or breeding.values.shape[0] == 1
    n_survivors = 0
    n_used = 0
    while n_survivors < members.shape[0]:
        i = 0
        for q in range(1, breeding.values.shape[0]):
            if breeding.values[q] > breeding.values[i]:
                i = q
        worst = 0
        for position in range(1, members.shape[0]):
            if (
                population.values[members[position]]
                <= population.values[members[worst]]
            ):
                worst = position
        if breeding.values[i] <= population.values[members[worst]] + tolerance:
            break
        m = breeding.parents[i]
        if not (in_place and m == members[worst]):
            dead = members[worst]
            copy_member(population, m, spare[n_used])
            m = members[worst] = spare[n_used]
            spare[n_used] = -1 - dead
            n_used += 1
        apply_moves(population, m, moves_of(breeding.moves, i), breeding.n_moves[i])
        breeding.clock[2] += breeding.n_moves[i]
        breeding.values[i] = -np.inf
        n_survivors += 1
    for q in range(n_used):
        spare[q] = -1 - spare[q]
    return n_survivors


@compiled
def run_generations(population, breeding, n_generations, n_flips, patience, tolerance):
    """Run generations; return True after ``patience`` mutations without improvement.

    ``n_flips`` is the s of the paper, 0 for a decreasing number.
    """
    n_samples = population.labels.shape[1]
    n_offspring = breeding.values.shape[0]
    alone = n_offspring == 1 and breeding.members.shape[0] == 1
    clock = breeding.clock
    for t in range(n_generations):
        flips = min(n_flips, n_samples)
        if flips == 0:
            flips = max(1, n_samples // (clock[0] + 1))
        if alone and flips == 1:  # in all further generations, too
            return flip_generations(
                population, breeding, n_generations - t, patience, tolerance
            )
        for i in range(n_offspring):
            breed(population, breeding, i, flips)
        clock[0] += 1
        clock[1] += n_offspring
        if select_survivors(population, breeding, tolerance) > 0:
            record_improvement(population, breeding, tolerance)
        if clock[1] >= patience:
            return True
    return False


@compiled
def record_improvement(population, breeding, tolerance):
    """Reset the count of mutations without improvement if the best objective rose."""
    for m in breeding.members:
        if population.values[m] > breeding.best[0] + tolerance:
            breeding.best[0] = population.values[m]
            breeding.clock[1] = 0


def classify_members(
    population: Population, breeding: Breeding, tolerance: float
) -> bool:
    """Relabel all samples by the classifiers of each member, if that is better.

    This is the intermediate classification step that the paper proposes. The objective
    is convex in the sums over the clusters, so that the labels with the largest
    decision values increase it by at least the difference of those values. Returns True
    if the best objective has increased.
    """
    spare = breeding.spare[0]
    for position, m in enumerate(breeding.members):
        factors, offsets = decision_terms(
            population.within[m], population.sizes[m], population.objective
        )
        decisions = fitted_values(population, m) * factors + offsets
        try:
            labels = assign_in_order(decisions, population.weights, population.limits)
        except ValueError:  # unequal weights do not meet the limits: keep the member
            continue
        set_member(population, spare, labels)
        if population.values[spare] > population.values[m] + tolerance:
            breeding.members[position] = spare
            breeding.clock[2] += (population.labels[m] != labels).sum()
            spare = m
    breeding.spare[0] = spare
    before = breeding.best[0]
    record_improvement(population, breeding, tolerance)
    return bool(breeding.best[0] > before)


def labels_within(
    weights: np.ndarray,
    balance: Balance,
    random: np.random.RandomState,
    scores: np.ndarray | None = None,
) -> np.ndarray:
    """Return labels within the size limits, those with the largest scores (n x k).

    By default the scores are random, for starts of the search.
    """
    n_clusters = len(balance.targets)
    if scores is None:
        scores = random.rand(len(weights), n_clusters)
    labels = assign_in_order(scores, weights, balance.limits)
    return fill_empty(labels, n_clusters, random)


def evolve(
    rows: np.ndarray,
    weights: np.ndarray,
    starts: list[np.ndarray],
    balance: Balance,
    random: np.random.RandomState,
    *,
    whole: bool,
    n_offspring: int = 1,
    n_flips: int | None = None,
    classification: bool = False,
    patience: int | None = None,
    last_generation: int | None = None,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> EvolutionResult:
    """Search from a population of labels, which must meet the size limits.

    ``rows`` and ``whole`` are those of `population`. ``n_flips`` is the number of flips
    of a mutation, None for a decreasing number. A round, for the history and for
    ``max_iter``, is as many generations as make n mutations for each member. The
    run stops after so many mutations without improvement that a given single flip of a
    given member would have been missed with a probability of 0.01, or, as in the paper,
    after ``patience`` generations in which the best objective did not change, and in
    any case after the generations t = 0, ..., tau, ``last_generation``, of the loop
    ``while t <= tau`` in Algorithm 1. With ``classification`` all
    samples are relabelled after rounds 1, 2, 4, 8 and so on, and before the run stops.
    """
    mu, nu = len(starts), n_offspring
    n_samples, n_clusters = len(weights), len(balance.targets)
    population = new_population(
        rows, weights, balance, starts, mu + min(mu, nu), whole=whole
    )
    breeding = new_breeding(population, mu, nu, random)
    history = [float(breeding.best[0])]
    tolerance = TOLERANCE * max(abs(history[0]), np.finfo(float).tiny)
    generations = -(-mu * n_samples // nu)
    idle = int(np.ceil(-np.log(MISSED) * mu * n_samples * (n_clusters - 1)))
    if patience is not None:
        idle = nu * patience
    most = np.iinfo(np.int64).max if last_generation is None else last_generation + 1
    done = n_clusters == 1 or n_samples <= n_clusters
    while not done and len(history) <= max_iter:
        left = min(generations, most - int(breeding.clock[0]))
        done = run_generations(
            population, breeding, left, n_flips or 0, idle, tolerance
        )
        done = done or breeding.clock[0] >= most
        due = done or len(history).bit_count() == 1
        if classification and due and classify_members(population, breeding, tolerance):
            done = bool(breeding.clock[0] >= most)
        history.append(float(breeding.best[0]))
        if on_iteration is not None:
            on_iteration(len(history) - 1, history[-1])
    winner = breeding.members[population.values[breeding.members].argmax()]
    set_member(population, winner, population.labels[winner].copy())
    return EvolutionResult(
        population.labels[winner].copy(),
        float(population.values[winner]),
        tuple(history),
        int(breeding.clock[2]),
        bool(done),
        n_generations=int(breeding.clock[0]),
    )
