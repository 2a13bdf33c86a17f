"""Matched labels and the clustering error against every matching tried."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics.cluster import contingency_matrix

from maxmargin.metrics import clustering_error, match_labels
from maxmargin.metrics.matching import contingency_table


def largest_agreement(labels, reference, weights):
    """Return the largest agreeing weight over one-to-one maps of up to six labels."""
    there = (labels >= 0) & (reference >= 0)
    labels, reference, weights = labels[there], reference[there], weights[there]
    return max(
        weights[np.array(new)[labels] == reference].sum()
        for new in permutations(range(6))
    )


SIZES = [(2, 2), (3, 5), (6, 2), (1, 4), (4, 4)]


@pytest.mark.parametrize(("n_labels", "n_reference"), SIZES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lowest", [0, -1])
def test_no_other_matching_agrees_more(random, n_labels, n_reference, weighted, lowest):
    labels = random.randint(lowest, n_labels, size=40)
    reference = random.randint(lowest, n_reference, size=40)
    weights = random.rand(40) if weighted else np.ones(40)
    new = match_labels(labels, reference, sample_weight=weights if weighted else None)
    assert len(new) == labels.max() + 1
    assert len(set(new)) == len(new)
    agree = (labels >= 0) & (new[labels] == reference)
    expected = largest_agreement(labels, reference, weights)
    assert weights[agree].sum() == pytest.approx(expected)


def test_given_number_of_clusters_makes_a_permutation(random):
    labels, reference = random.randint(3, size=30), random.randint(2, size=30)
    new = match_labels(labels, reference, n_clusters=5)
    assert sorted(new) == list(range(5))
    agree = np.count_nonzero(new[labels] == reference)
    assert agree == largest_agreement(labels, reference, np.ones(30))


def test_permuted_labels_are_found_again(random):
    reference = np.concatenate([np.arange(6), random.randint(6, size=50)])
    order = random.permutation(6)
    new = match_labels(order[reference], reference)
    np.testing.assert_array_equal(new[order[reference]], reference)
    np.testing.assert_array_equal(new, np.argsort(order))


def test_clusters_without_a_partner_get_further_labels():
    labels = np.array([0, 1, 1, 2, 3, 3])
    new = match_labels(labels, [0, 0, 0, 0, 1, 1])
    np.testing.assert_array_equal(new, [2, 0, 3, 1])


def test_no_cluster_at_all():
    assert len(match_labels([-1, -1], [0, 1])) == 0
    assert len(match_labels([], [])) == 0


def test_table_counts_pairs(random):
    labels, reference = random.randint(4, size=60), random.randint(3, size=60)
    table = contingency_table(labels, reference)
    np.testing.assert_array_equal(table, contingency_matrix(labels, reference))
    weights = random.randint(4, size=60)
    repeated = contingency_matrix(
        np.repeat(labels, weights), np.repeat(reference, weights)
    )
    weighted = contingency_table(labels, reference, sample_weight=weights)
    np.testing.assert_array_equal(weighted, repeated)
    padded = contingency_table(labels, reference, 6, 5)
    np.testing.assert_array_equal(padded[:4, :3], table)
    assert padded.shape == (6, 5)
    assert padded.sum() == 60


@pytest.mark.parametrize(
    ("labels", "reference", "message"),
    [
        ([0.5, 1.0], [0, 1], "labels must be ints, not float64: encode"),
        ([0, 1], ["a", "b"], "reference must be ints"),
        ([0, 3], [0, 1], "labels has the label 3 and there are 3 clusters"),
        ([0, 1], [0], "inconsistent numbers of samples"),
    ],
)
def test_labels_that_cannot_be_matched(labels, reference, message):
    with pytest.raises(ValueError, match=message):
        match_labels(labels, reference, n_clusters=3)


@pytest.mark.parametrize(("n_classes", "n_clusters"), SIZES)
def test_error_equals_enumeration(random, n_classes, n_clusters):
    true = random.randint(n_classes, size=40)
    pred = random.randint(n_clusters, size=40)
    right = largest_agreement(pred, true, np.ones(40))
    assert clustering_error(true, pred) == pytest.approx(1.0 - right / 40)


def test_error_does_not_depend_on_names(random):
    true = random.randint(3, size=30)
    pred = (true + 1) % 3
    pred[:6] = true[:6]  # a fifth wrong
    names = np.array(["ox", "ant", "bee"])
    assert clustering_error(true, pred) == pytest.approx(0.2)
    assert clustering_error(names[true], pred * 7 - 3) == pytest.approx(0.2)
    assert clustering_error(list(names[true]), names[pred]) == pytest.approx(0.2)


def test_error_is_symmetric(random):
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
def test_error_of_bad_labels(true, pred, message):
    with pytest.raises(ValueError, match=message):
        clustering_error(true, pred)
