"""Numbers with one mode and with several."""

import numpy as np
import pytest

from maxmargin.tables.modes import distance_to_one_mode, gaps_to_convex, has_one_mode


def test_gaps_against_all_chords(random):
    """The minorant at a point is the lowest chord of two points around it."""
    x, y = np.sort(random.rand(12)), np.sort(random.rand(12))
    found = gaps_to_convex(x, y)
    for last in range(12):
        gaps = [0.0]
        for i in range(last + 1):
            for a in range(i):
                for b in range(i + 1, last + 1):
                    chord = np.interp(x[i], x[[a, b]], y[[a, b]])
                    gaps.append(y[i] - chord)
        np.testing.assert_allclose(found[last], max(gaps), atol=1e-12)


def test_units_do_not_matter(random):
    x = np.sort(random.randn(200))
    found = distance_to_one_mode(x)
    np.testing.assert_allclose(distance_to_one_mode(1000.0 * x + 7.0), found)
    np.testing.assert_allclose(distance_to_one_mode(-x[::-1]), found, atol=0.02)


@pytest.mark.parametrize("n_rows", [50, 1000])
def test_one_mode_is_seldom_taken_for_two(n_rows, random):
    found = [has_one_mode(random.rand(n_rows)) for _ in range(200)]
    assert np.mean(found) > 0.95
    assert np.mean([has_one_mode(random.randn(n_rows)) for _ in range(200)]) == 1.0
    assert has_one_mode(random.exponential(size=n_rows))


def test_two_modes_are_found(random):
    x = random.randn(600) + 5.0 * random.randint(2, size=600)
    assert not has_one_mode(x)
    assert not has_one_mode(np.append(x, np.nan))
