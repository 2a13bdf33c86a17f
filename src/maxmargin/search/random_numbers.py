"""Random numbers inside compiled code, from a state that is passed as an argument.

A search that draws numbers for every flip cannot have them drawn beforehand. The
generator is SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
generators, OOPSLA 2014): a hashed counter with 64 bits of state, held in an array of
one element.
"""

import numpy as np

from maxmargin.compiled import compiled

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
    """Return a random int from 0 to n - 1, for n up to 2^32.

    It is the upper half of the bits times n, divided by 2^32: the probabilities of two
    numbers differ by at most 2^-32.
    """
    return np.int64(((next_bits(generator) >> _HALF) * np.uint64(n)) >> _HALF)
