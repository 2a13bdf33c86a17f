"""Agreement of segmentations against the definitions, pair by pair."""

from itertools import combinations

import numpy as np
import pytest
from benchmarks.region_metrics import (
    jaccard_overlap,
    probabilistic_rand_index,
    segmentation_covering,
)
from sklearn.metrics import rand_score


def by_pairs(segmentations, labels):
    """Return the mean over all pairs of pixels, as in the definition."""
    flat = [s.ravel() for s in segmentations]
    labels = labels.ravel()
    values = []
    for i, j in combinations(range(labels.size), 2):
        together = np.mean([s[i] == s[j] for s in flat])
        values.append(together if labels[i] == labels[j] else 1 - together)
    return np.mean(values)


def test_rand_index_equals_definition(random):
    segmentations = random.randint(3, size=(4, 5, 6))
    labels = random.randint(4, size=(5, 6))
    value = probabilistic_rand_index(segmentations, labels)
    assert value == pytest.approx(by_pairs(segmentations, labels))


def test_rand_index_with_one_is_rand_index(random):
    one, other = random.randint(3, size=(2, 7, 8))
    value = probabilistic_rand_index(one, other)
    assert value == pytest.approx(rand_score(one.ravel(), other.ravel()))
    assert probabilistic_rand_index(one, one + 5) == 1.0


def test_overlap_equals_counts(random):
    true, pred = random.randint(2, size=(2, 9, 9))
    both = sum(a and b for a, b in zip(true.flat, pred.flat, strict=True))
    either = sum(a or b for a, b in zip(true.flat, pred.flat, strict=True))
    assert jaccard_overlap(true, pred) == pytest.approx(both / either)
    assert jaccard_overlap(true, 255 * true) == 1.0
    assert jaccard_overlap(np.zeros(3), np.zeros(3)) == 1.0


def test_bad_shapes():
    with pytest.raises(ValueError, match="same size"):
        probabilistic_rand_index(np.zeros((2, 3, 3)), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="same size"):
        jaccard_overlap([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="at least one reference"):
        probabilistic_rand_index(np.zeros((0, 3, 3)), np.zeros((3, 3)))


def test_covering_by_segments(random):
    segmentations = random.randint(3, size=(4, 5, 6))
    labels = random.randint(4, size=(5, 6))
    expected = []
    for one in segmentations:
        for segment in np.unique(one):
            best = max(jaccard_overlap(one == segment, labels == h) for h in range(4))
            expected.append(best * np.mean(one == segment) / len(segmentations))
    assert segmentation_covering(segmentations, labels) == pytest.approx(sum(expected))
    assert segmentation_covering(labels, labels) == 1.0
    with pytest.raises(ValueError, match="same size"):
        segmentation_covering(labels, labels[:2])
