"""The random numbers of mutations."""

import numpy as np

from maxmargin.published.search.mutation import new_generator, next_bits, random_below


def test_published_sequence():
    """The first numbers of SplitMix64 from 1234567, as its reference code has them."""
    generator = np.array([1234567], dtype=np.uint64)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [int(next_bits(generator)) for _ in expected] == expected


def test_numbers_below(random):
    generator = new_generator(random)
    drawn = np.array([random_below(generator, 7) for _ in range(7000)])
    counts = np.bincount(drawn)
    assert len(counts) == 7
    # Six standard deviations of a binomial count.
    assert np.abs(counts - 1000).max() < 6 * np.sqrt(1000 * 6 / 7)


def test_states_are_apart(seed):
    first = new_generator(np.random.RandomState(seed))
    again = new_generator(np.random.RandomState(seed))
    other = new_generator(np.random.RandomState(seed + 1))
    assert next_bits(first) == next_bits(again) != next_bits(other)
