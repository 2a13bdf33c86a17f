"""Mutations: random flips of labels within the size limits.

Each flip draws random numbers inside compiled code, where none can be drawn beforehand.
The generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
generators, OOPSLA 2014): a hashed counter with 64 bits of state, which is passed as an
array of one element.
"""

from typing import NamedTuple

import numpy as np

from maxmargin.compiled import compiled

# Number of tries to draw a partner for a swap, times the number of clusters.
DRAWS = 20

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
_HALF = np.uint64(32)


def new_generator(random: np.random.RandomState) -> np.ndarray:
    """Return the state of a generator seeded from a `RandomState`."""
    return random.randint(np.iinfo(np.int64).max, size=1).astype(np.uint64)


@compiled
def next_bits(generator):
    """Return 64 random bits and advance the state."""
    generator[0] += _STEP
    bits = generator[0]
    bits = (bits ^ (bits >> _SHIFTS[0])) * _FIRST
    bits = (bits ^ (bits >> _SHIFTS[1])) * _SECOND
    return bits ^ (bits >> _SHIFTS[2])


@compiled
def random_below(generator, n):
    """Return a random int from 0 to n - 1, with a probability of 1 / n up to 2^-32."""
    return np.int64(((next_bits(generator) >> _HALF) * np.uint64(n)) >> _HALF)


class Moves(NamedTuple):
    """A sequence of moves of single samples from one cluster to another."""

    samples: np.ndarray
    sources: np.ndarray
    targets: np.ndarray


@compiled
def moves_of(moves, i):
    """Return row i of the buffers for several sequences of moves."""
    return Moves(moves.samples[i], moves.sources[i], moves.targets[i])


def new_moves(shape: tuple[int, ...]) -> Moves:
    """Return uninitialised buffers for moves."""
    return Moves(*(np.empty(shape, dtype=np.int64) for _ in range(3)))


@compiled
def other_cluster(c, n_clusters, generator):
    """Draw a cluster that is not c."""
    if n_clusters == 2:
        return 1 - c
    d = random_below(generator, n_clusters - 1)
    return d + 1 if d >= c else d


@compiled
def find_swap(labels, sizes, weights, limits, j, d, generator):
    """Draw a sample of cluster d to swap with sample j; return -1 if none is found."""
    c = labels[j]
    for _ in range(DRAWS * sizes.shape[0]):
        i = random_below(generator, labels.shape[0])
        if labels[i] != d:
            continue
        excess = weights[j] - weights[i]
        if excess == 0.0:
            return i
        c_fits = limits[0, c] <= sizes[c] - excess <= limits[1, c]
        d_fits = limits[0, d] <= sizes[d] + excess <= limits[1, d]
        if c_fits and d_fits:
            return i
    return -1


@compiled
def record(population, m, moves, n_moves, j, d):
    """Relabel sample j in slot m and store the move; return the number of moves."""
    c = population.labels[m, j]
    moves.samples[n_moves] = j
    moves.sources[n_moves] = c
    moves.targets[n_moves] = d
    population.labels[m, j] = d
    population.sizes[m, c] -= population.weights[j]
    population.sizes[m, d] += population.weights[j]
    return n_moves + 1


@compiled
def draw_flips(order, n_flips, generator):
    """Draw ``n_flips`` distinct samples into the front of ``order``."""
    n_samples = order.shape[0]
    for q in range(n_flips):
        other = q + random_below(generator, n_samples - q)
        order[q], order[other] = order[other], order[q]


@compiled
def mutate(population, m, n_flips, order, generator, moves):
    """Flip labels in slot m without updating its sums; return the number of moves."""
    labels, sizes = population.labels[m], population.sizes[m]
    weights, limits = population.weights, population.limits
    draw_flips(order, n_flips, generator)
    n_moves = 0
    for q in range(n_flips):
        j = order[q]
        c = labels[j]
        d = other_cluster(c, sizes.shape[0], generator)
        weight = weights[j]
        if sizes[c] - weight < limits[0, c] or sizes[d] + weight > limits[1, d]:
            partner = find_swap(labels, sizes, weights, limits, j, d, generator)
            if partner < 0:
                continue
            n_moves = record(population, m, moves, n_moves, j, d)
            n_moves = record(population, m, moves, n_moves, partner, c)
        else:
            n_moves = record(population, m, moves, n_moves, j, d)
    return n_moves


@compiled
def undo(population, m, moves, n_moves):
    """Undo the moves of `mutate`."""
    for q in range(n_moves - 1, -1, -1):
        j, c, d = moves.samples[q], moves.sources[q], moves.targets[q]
        population.labels[m, j] = c
        population.sizes[m, c] += population.weights[j]
        population.sizes[m, d] -= population.weights[j]
