"""A population of labellings, with the fitness of their mutations.

Each member is a labelling with indicators ``z_h``. Its fitness is the objective of
`search.state`, ``sum_h z_h' S z_h / n_h^p``. For two clusters, ``y = z_1 - z_0`` and
``p = 0`` the fitness of Gieseke et al. is

    F(y) = 1 - y'Sy / n = const - (2 / n) sum_h z_h' S z_h,

because the indicators add up to one: the smaller ``F``, the larger our sum.

For each member the sums ``Z' B`` of the rows ``B_j`` over its clusters are kept, and
``W_h = z_h' S z_h``. There are two kinds of rows:

- low rank, ``S = B B'`` with ``B = W Phi`` (n x r): the sums are the ``y'V`` of the
  paper, ``(S z_h)_j`` is the inner product of row j with sum h, and a mutation of s
  flips is evaluated in O(s r);
- the whole matrix, ``B = S``: the sums are the scores ``S z_h`` themselves. A flip or a
  swap is then evaluated in O(1), s flips in O(s n). The paper uses eigenvectors, which
  take O(n^3) to compute and O(n) for a flip.

In both cases, moving a sample adds its row to one sum and subtracts it from another.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled, compiled_sum
from maxmargin.search.balance import Balance
from maxmargin.search.objective import Objective, total_share


class Population(NamedTuple):
    """Labellings with the sums that make a mutation cheap; m slots, some unused."""

    rows: np.ndarray  # (n, r), low-rank rows, or (n, n), the matrix S
    norms: np.ndarray  # (n,), the diagonal of S
    whole: bool  # whether the rows are those of S
    weights: np.ndarray  # (n,), what each sample adds to the size of its cluster
    limits: np.ndarray  # (2, k), smallest and largest size of each cluster
    objective: Objective
    labels: np.ndarray  # (m, n)
    sums: np.ndarray  # (m, k, r), of the rows of each cluster
    within: np.ndarray  # (m, k), z_h' S z_h
    sizes: np.ndarray  # (m, k)
    values: np.ndarray  # (m,), the objective


def new_population(
    rows: np.ndarray,
    weights: np.ndarray,
    balance: Balance,
    starts: list[np.ndarray],
    n_slots: int,
    *,
    whole: bool,
) -> Population:
    """Build a population with copies of the starting labels in the first slots."""
    n_samples, width = rows.shape
    n_clusters = len(balance.targets)
    norms = np.diagonal(rows) if whole else np.einsum("ij,ij->i", rows, rows)
    population = Population(
        np.ascontiguousarray(rows),
        norms.copy(),
        whole,
        weights,
        balance.limits,
        balance.objective,
        np.zeros((n_slots, n_samples), dtype=np.int64),
        np.zeros((n_slots, n_clusters, width)),
        np.zeros((n_slots, n_clusters)),
        np.zeros((n_slots, n_clusters)),
        np.zeros(n_slots),
    )
    for m, labels in enumerate(starts):
        set_member(population, m, labels)
    return population


def set_member(population: Population, m: int, labels: np.ndarray) -> None:
    """Set the labels of slot m and compute its sums."""
    n_clusters = population.sizes.shape[1]
    indicators = np.zeros((n_clusters, len(labels)))
    indicators[labels, np.arange(len(labels))] = 1.0
    population.labels[m] = labels
    population.sums[m] = indicators @ population.rows
    population.sizes[m] = indicators @ population.weights
    left = indicators if population.whole else population.sums[m]
    population.within[m] = np.einsum("hi,hi->h", left, population.sums[m])
    population.values[m] = total_share(
        population.within[m], population.sizes[m], population.objective
    )


def fitted_values(population: Population, m: int) -> np.ndarray:
    """Return ``f_h(x_i) = (S z_h)_i / w_i`` of member m (n x k)."""
    sums = population.sums[m]
    scores = sums.T if population.whole else population.rows @ sums.T
    return scores / population.weights[:, None]


@compiled_sum
def inner(a, b):
    """Return the inner product of two rows."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@compiled_sum
def inner_both(a, b, c):
    """Return the inner products of a with b and with c."""
    first = 0.0
    second = 0.0
    for i in range(a.shape[0]):
        first += a[i] * b[i]
        second += a[i] * c[i]
    return first, second


@compiled
def scores(population, sums, j, c, d):
    """Return ``(S z_c)_j`` and ``(S z_d)_j`` for clusters with the given sums."""
    if population.whole:
        return sums[c, j], sums[d, j]
    return inner_both(population.rows[j], sums[c], sums[d])


@compiled
def element(population, i, j):
    """Return ``S_ij``."""
    if population.whole:
        return population.rows[i, j]
    return inner(population.rows[i], population.rows[j])


@compiled
def shift_all(population, sums, within, moves, n_moves):
    """Update the sums and ``W_h`` of the clusters for some moves."""
    rows = population.rows
    for q in range(n_moves):
        j, c, d = moves.samples[q], moves.sources[q], moves.targets[q]
        if population.whole or n_moves < 3:
            out, into = scores(population, sums, j, c, d)
            within[c] += population.norms[j] - 2.0 * out
            within[d] += population.norms[j] + 2.0 * into
        for i in range(rows.shape[1]):
            sums[c, i] -= rows[j, i]
            sums[d, i] += rows[j, i]
    if not population.whole and n_moves >= 3:
        for h in range(within.shape[0]):
            within[h] = inner(sums[h], sums[h])


@compiled
def copy_sums(source, target):
    """Copy a matrix by a loop, which compiles ten times faster than an assignment."""
    for h in range(source.shape[0]):
        for i in range(source.shape[1]):
            target[h, i] = source[h, i]


@compiled
def mutation_value(population, m, moves, n_moves, sums, within):
    """Return the objective of member m after some moves.

    Its sizes are those after the moves, its sums those before; ``sums`` and ``within``
    are buffers. A flip changes ``W_c`` by ``S_jj - 2 (S z_c)_j`` and ``W_d`` by
    ``S_jj + 2 (S z_d)_j``. A swap of j in c and i in d changes them by
    ``e -/+ 2 ((S z)_j - (S z)_i)``, ``e = S_ii + S_jj - 2 S_ij``.
    """
    kept = population.sums[m]
    for h in range(within.shape[0]):
        within[h] = population.within[m, h]
    j, c, d = moves.samples[0], moves.sources[0], moves.targets[0]
    if n_moves == 1:
        out, into = scores(population, kept, j, c, d)
        within[c] += population.norms[j] - 2.0 * out
        within[d] += population.norms[j] + 2.0 * into
    elif (
        n_moves == 2
        and moves.samples[1] != j
        and moves.sources[1] == d
        and moves.targets[1] == c
    ):
        i = moves.samples[1]
        distance = population.norms[i] + population.norms[j]
        distance -= 2.0 * element(population, i, j)
        out, into = scores(population, kept, j, c, d)
        back, off = scores(population, kept, i, c, d)
        within[c] += distance - 2.0 * (out - back)
        within[d] += distance + 2.0 * (into - off)
    elif n_moves > 1:
        copy_sums(kept, sums)
        shift_all(population, sums, within, moves, n_moves)
    return total_share(within, population.sizes[m], population.objective)


@compiled
def apply_moves(population, m, moves, n_moves):
    """Apply the moves to slot m."""
    shift_all(population, population.sums[m], population.within[m], moves, n_moves)
    for q in range(n_moves):
        j, c, d = moves.samples[q], moves.sources[q], moves.targets[q]
        population.labels[m, j] = d
        population.sizes[m, c] -= population.weights[j]
        population.sizes[m, d] += population.weights[j]
    population.values[m] = total_share(
        population.within[m], population.sizes[m], population.objective
    )


@compiled
def copy_member(population, source, target):
    """Copy one slot to another."""
    for j in range(population.labels.shape[1]):
        population.labels[target, j] = population.labels[source, j]
    for h in range(population.sizes.shape[1]):
        population.within[target, h] = population.within[source, h]
        population.sizes[target, h] = population.sizes[source, h]
    copy_sums(population.sums[source], population.sums[target])
    population.values[target] = population.values[source]
