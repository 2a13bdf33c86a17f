"""The protocol of papers 000 and 004: the best point of a grid."""

import numpy as np
import pytest

pytest.importorskip("benchmarks.papers.protocol", reason="needs the repository's root")

from benchmarks.papers.protocol import best_point


@pytest.fixture
def errors():
    """Errors of 400 seeds at six points of a grid, two of them equal and best."""
    found = np.random.RandomState(0).uniform(20, 50, (6, 400))
    found[2:4] -= 15
    found[3] = found[2]
    return found


@pytest.mark.parametrize("finalists", [None, 3])
def test_points_that_cannot_win_are_left_without_a_change(errors, finalists):
    measured = []

    def measure(place, seeds):
        measured.append(len(seeds))
        return errors[place, list(seeds)]

    setting, found = best_point(measure, range(6), tries=4, finalists=finalists)
    order = np.argsort(errors[:, :4].min(axis=1), kind="stable")[:finalists]
    groups = errors[:, 4:104].reshape(6, 10, 10)
    expected = order[groups[order].min(axis=2).mean(axis=1).argmin()]
    assert setting == expected
    np.testing.assert_array_equal(found, groups[expected])
    assert sum(measured) < 6 * 4 + 100 * len(order)


def test_fresh_groups_are_other_runs_of_the_winner(errors):
    setting, found = best_point(
        lambda place, seeds: errors[place, list(seeds)],
        range(6),
        tries=4,
        groups=2,
        fresh=3,
    )
    np.testing.assert_array_equal(found, errors[setting, 24:54].reshape(3, 10))
