"""The clustering error against every matching tried."""

from itertools import permutations

import numpy as np
import pytest

from maxmargin.metrics import clustering_error


def by_enumeration(true, pred):
    """Return the least error over all one-to-one matchings of up to six labels."""
    return min(
        np.mean([names[p] != t for t, p in zip(true, pred, strict=True)])
        for names in permutations(range(6))
    )


@pytest.mark.parametrize(("n_classes", "n_clusters"), [(2, 2), (3, 5), (6, 2), (1, 4)])
def test_equals_enumeration(random, n_classes, n_clusters):
    true = random.randint(n_classes, size=40)
    pred = random.randint(n_clusters, size=40)
    assert clustering_error(true, pred) == pytest.approx(by_enumeration(true, pred))


def test_names_do_not_matter(random):
    true = random.randint(3, size=30)
    pred = (true + 1) % 3
    pred[:6] = true[:6]  # a fifth wrong
    names = np.array(["ox", "ant", "bee"])
    assert clustering_error(true, pred) == pytest.approx(0.2)
    assert clustering_error(names[true], pred * 7 - 3) == pytest.approx(0.2)
    assert clustering_error(list(names[true]), names[pred]) == pytest.approx(0.2)


def test_symmetric(random):
    true, pred = random.randint(4, size=50), random.randint(3, size=50)
    assert clustering_error(true, pred) == clustering_error(pred, true)


@pytest.mark.parametrize(
    ("true", "pred", "message"),
    [
        ([], [], "at least one sample"),
        ([0, 1], [0], "inconsistent numbers of samples"),
        ([[0, 1], [1, 0]], [0, 1], "1d"),
    ],
)
def test_refused(true, pred, message):
    with pytest.raises(ValueError, match=message):
        clustering_error(true, pred)
