"""Generations of one parent, one offspring and one flip, where most time is spent.

They are the generations of `evolution`, written as one loop without calls, copies or
allocations for an offspring that does not survive.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled, compiled_sum
from maxmargin.published.search.mutation import (
    find_swap,
    moves_of,
    other_cluster,
    random_below,
)
from maxmargin.published.search.population import apply_moves
from maxmargin.search.objective import share


@compiled
def write_moves(moves, j, i, c, d):
    """Store the move of j from c to d, and of i from d to c unless i is -1.

    Returns the number of moves.
    """
    moves.samples[0], moves.samples[1] = j, i
    moves.sources[0], moves.sources[1] = c, d
    moves.targets[0], moves.targets[1] = d, c
    return 1 if i < 0 else 2


@compiled_sum
def next_gain(population, m, generator, moves, clock, n_generations, tolerance):
    """Mutate member m until the objective increases; return the number of moves.

    It is 0 if no mutation of ``n_generations`` increases the objective. The mutation is
    stored in ``moves``; ``clock`` is that of `Breeding`.
    """
    rows, norms, whole = population.rows, population.norms, population.whole
    weights, limits, objective = (
        population.weights,
        population.limits,
        population.objective,
    )
    labels, sums = population.labels[m], population.sums[m]
    within, sizes = population.within[m], population.sizes[m]
    n_samples, width, n_clusters = labels.shape[0], rows.shape[1], sizes.shape[0]
    for t in range(n_generations):
        j = random_below(generator, n_samples)
        c = labels[j]
        d = other_cluster(c, n_clusters, generator)
        i = -1
        weight = weights[j]
        if sizes[c] - weight < limits[0, c] or sizes[d] + weight > limits[1, d]:
            i = find_swap(labels, sizes, weights, limits, j, d, generator)
            if i < 0:
                continue
            weight -= weights[i]
        out = 0.0
        into = 0.0
        norm = norms[j]
        if whole:
            out, into = sums[c, j], sums[d, j]
            if i >= 0:
                out -= sums[c, i]
                into -= sums[d, i]
                norm += norms[i] - 2.0 * rows[i, j]
        elif i < 0:
            for q in range(width):
                out += rows[j, q] * sums[c, q]
                into += rows[j, q] * sums[d, q]
        else:
            norm = 0.0
            for q in range(width):
                step = rows[j, q] - rows[i, q]
                norm += step * step
                out += step * sums[c, q]
                into += step * sums[d, q]
        gain = share(within[c] + norm - 2.0 * out, sizes[c] - weight, objective)
        gain += share(within[d] + norm + 2.0 * into, sizes[d] + weight, objective)
        gain -= share(within[c], sizes[c], objective)
        gain -= share(within[d], sizes[d], objective)
        if gain > tolerance:
            clock[0] += t + 1
            clock[1] = 0
            return write_moves(moves, j, i, c, d)
    clock[0] += n_generations
    clock[1] += n_generations
    return 0


class BoundCache(NamedTuple):
    """Inner products of earlier generations, which bound the present ones.

    The inner product of row j with the difference b of the sums was ``products[j]``
    when the difference was b'. It has changed by at most ``|row j| |b - b'|``. With
    anchors a, ..., a' among the values that b has taken, ``|b - b'|`` is at most
    ``|b' - a|``, plus the distances from anchor to anchor, plus ``|b - a'|``. With A
    the length of the path along all anchors so far, and A' that up to a, keep
    ``keys[j] = A' - |b' - a|``: then the bound is ``A + |b - a'| - keys[j]``.
    """

    difference: np.ndarray  # (r,), b
    anchor: np.ndarray  # (r,), the last anchor
    products: np.ndarray  # (n,)
    keys: np.ndarray  # (n,)
    lengths: np.ndarray  # (n,), of the rows
    path: np.ndarray  # A and the distance of b from the last anchor


def new_bound_cache(norms: np.ndarray, width: int) -> BoundCache:
    """Return a cache without inner products, whose bounds hold for any value."""
    unknown = np.full(len(norms), -1e300)
    return BoundCache(
        np.zeros(width),
        np.zeros(width),
        np.zeros(len(norms)),
        unknown,
        np.sqrt(np.maximum(norms, 0.0)),
        np.zeros(2),
    )


@compiled
def update_difference(population, m, cache):
    """Update the difference of the sums of member m and its distance to the anchor."""
    squared = 0.0
    for q in range(cache.difference.shape[0]):
        cache.difference[q] = population.sums[m, 1, q] - population.sums[m, 0, q]
        squared += (cache.difference[q] - cache.anchor[q]) ** 2
    cache.path[1] = np.sqrt(squared)


@compiled
def set_anchor(cache):
    """Make the present difference of the sums the next anchor."""
    for q in range(cache.difference.shape[0]):
        cache.anchor[q] = cache.difference[q]
    cache.path[0] += cache.path[1]
    cache.path[1] = 0.0


@compiled_sum
def next_gain_of_two(
    population, m, generator, moves, clock, n_generations, tolerance, cache
):
    """Do the same as `next_gain` for p = 0, two clusters and low-rank rows, faster.

    With the row e of sample j, or row j minus row i for a swap, the objective increases
    by ``2 |e|^2 + 2 e'(s_d - s_c)``: one inner product with the difference of the sums,
    the ``y'V`` of the paper. If the upper bound from `BoundCache` is negative, the
    mutation is rejected without reading the row.
    """
    rows, norms = population.rows, population.norms
    weights, limits = population.weights, population.limits
    labels, sizes = population.labels[m], population.sizes[m]
    difference, products = cache.difference, cache.products
    keys, lengths = cache.keys, cache.lengths
    update_difference(population, m, cache)
    reach = cache.path[0] + cache.path[1]
    key = cache.path[0] - cache.path[1]
    for t in range(n_generations):
        j = random_below(generator, labels.shape[0])
        c = labels[j]
        d = 1 - c
        sign = 1.0 if d == 1 else -1.0
        i = -1
        bound = sign * products[j] + lengths[j] * (reach - keys[j])
        if sizes[c] - weights[j] < limits[0, c] or sizes[d] + weights[j] > limits[1, d]:
            i = find_swap(labels, sizes, weights, limits, j, d, generator)
            if i < 0:
                continue
            bound += lengths[i] * (reach - keys[i]) - sign * products[i]
            if bound + (lengths[i] + lengths[j]) ** 2 < 0.0:
                continue
            norm, first, second = 0.0, 0.0, 0.0
            for q in range(rows.shape[1]):
                first += rows[j, q] * difference[q]
                second += rows[i, q] * difference[q]
                norm += (rows[j, q] - rows[i, q]) ** 2
            products[i], keys[i] = second, key
            gain = 2.0 * (norm + sign * (first - second))
        else:
            if bound + norms[j] < 0.0:
                continue
            first = 0.0
            for q in range(rows.shape[1]):
                first += rows[j, q] * difference[q]
            gain = 2.0 * (norms[j] + sign * first)
        products[j], keys[j] = first, key
        if gain > tolerance:
            clock[0] += t + 1
            clock[1] = 0
            return write_moves(moves, j, i, c, d)
    clock[0] += n_generations
    clock[1] += n_generations
    return 0


@compiled
def flip_generations(population, breeding, n_generations, patience, tolerance):
    """Run generations of one flip; return True after ``patience`` without a gain."""
    m, moves = breeding.members[0], moves_of(breeding.moves, 0)
    generator, clock, cache = breeding.generator, breeding.clock, breeding.cache
    last = clock[0] + n_generations
    plain = population.objective.power == 0.0 and not population.whole
    of_two = plain and population.sizes.shape[1] == 2
    if of_two:
        update_difference(population, m, cache)
        set_anchor(cache)
    while clock[0] < last:
        left = min(last - clock[0], patience - clock[1])
        if of_two:
            n_moves = next_gain_of_two(
                population, m, generator, moves, clock, left, tolerance, cache
            )
        else:
            n_moves = next_gain(population, m, generator, moves, clock, left, tolerance)
        apply_moves(population, m, moves, n_moves)
        clock[2] += n_moves
        breeding.best[0] = population.values[m]
        if clock[1] >= patience:
            return True
    return False
