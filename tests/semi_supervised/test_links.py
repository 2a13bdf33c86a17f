"""Pairs of samples beside labels: kept exactly, contradictions named."""

import numpy as np
import pytest

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.semi_supervised import prior, semi_supervised


def test_links_say_what_labels_do_not(blobs):
    """Blobs 0 and 1 are one class by must_link, 2 and 3 the other."""
    X, y = blobs
    members = [np.flatnonzero(y == c) for c in range(4)]
    few = np.full(160, -1)
    few[[members[0][0], members[2][0]]] = [0, 1]
    must = [(members[0][1], members[1][1]), (members[2][1], members[3][1])]
    cannot = [(members[1][2], members[3][2])]
    model = SemiSupervisedMaxMargin(random_state=0)
    found = model.fit(X, few, must_link=must, cannot_link=cannot).transduction_
    for i, j in must:
        assert found[i] == found[j]
    for i, j in cannot:
        assert found[i] != found[j]
    assert (found == (y >= 2)).mean() > 0.9


def test_contradictory_constraints(moons):
    X, _, few = moons
    zero, one = (np.flatnonzero(few == c)[0] for c in range(2))
    free = np.flatnonzero(few < 0)[:3]
    model = SemiSupervisedMaxMargin()
    with pytest.raises(ValueError, match="must_link or equal features join samples"):
        model.fit(X, few, must_link=[(zero, free[0]), (free[0], one)])
    with pytest.raises(ValueError, match="which must_link or equal features join"):
        model.fit(X, few, must_link=[free[:2]], cannot_link=[free[:2]])
    with pytest.raises(ValueError, match="which have the same label"):
        model.fit(X, few, cannot_link=[np.flatnonzero(few == 0)[:2]])
    with pytest.raises(ValueError, match="No labelling with 2 clusters"):
        model.fit(X, few, cannot_link=[free[:2], free[1:], free[[0, 2]]])
    equal = np.concatenate([X, X[free[:1]]])
    with pytest.raises(ValueError, match="equal features join"):
        model.fit(equal, np.append(few, -1), cannot_link=[(free[0], 300)])


def test_must_link_among_equal_samples_with_different_labels():
    X, y = [[1, 0], [1, 0], [1, 0], [1, 1]], [1, 2, -1, -1]
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, y, must_link=[(2, 1)])
    np.testing.assert_array_equal(model.transduction_[:3], [1, 2, 2])
    model.fit([*X, [5, 5]], [*y, 2], must_link=[(3, 0)], cannot_link=[(3, 1)])
    np.testing.assert_array_equal(model.transduction_[[0, 1, 3]], [1, 2, 1])


@pytest.mark.parametrize("n_clusters", [2, 4])
@pytest.mark.parametrize("searched", [4000, 20])
def test_links_are_kept_whatever_is_searched(random, monkeypatch, searched, n_clusters):
    """Equal samples, samples without weight, and pairs that are not drawn."""
    monkeypatch.setattr(semi_supervised, "SEARCH_SAMPLES", searched)
    for seed in range(5):
        distinct, classes = random.randn(30, 2), np.arange(30) % n_clusters
        rows = np.concatenate([np.arange(30), random.randint(30, size=50)])
        y = classes[rows]
        weights = np.concatenate([np.ones(n_clusters), random.randint(3, size=80)])[:80]
        few = np.where((random.rand(80) < 0.2) | (np.arange(80) < n_clusters), y, -1)
        pairs = random.randint(80, size=(40, 2))
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model = SemiSupervisedMaxMargin(kernel="rbf", random_state=seed).fit(
            distinct[rows],
            few,
            sample_weight=weights,
            must_link=pairs[same],
            cannot_link=pairs[~same],
        )
        found = model.transduction_
        np.testing.assert_array_equal(found[few >= 0], few[few >= 0])
        np.testing.assert_array_equal(found[pairs[:, 0]] == found[pairs[:, 1]], same)


def test_a_sample_without_weight_joins_others(random):
    """Two samples that may not share a class with a third, weightless one."""
    X = np.concatenate([random.randn(20, 2), random.randn(20, 2) + 6])
    few = np.full(40, -1)
    few[[0, 20]] = [0, 1]
    weights = np.ones(40)
    weights[5] = 0
    model = SemiSupervisedMaxMargin(random_state=0)
    model.fit(X, few, sample_weight=weights, cannot_link=[(5, 1), (5, 21)])
    assert model.transduction_[1] == model.transduction_[21] != model.transduction_[5]


@pytest.mark.parametrize(
    ("pairs", "match"),
    [
        ({"must_link": [(1, 3)]}, "join samples 2 and 0, which have different labels"),
        ({"cannot_link": [(1, 0)]}, "samples 1 and 0 apart, which have the same label"),
        ({"cannot_link": [(4, 5)]}, "samples 4 and 5 apart, which must_link or equal"),
    ],
)
def test_contradictions_of_equal_samples_name_their_rows(pairs, match):
    X = np.array([[1, 0], [1, 0], [1, 1], [1, 1], [2, 2], [2, 2], [0, 0]])
    y = [1, -1, 2, -1, -1, -1, -1]
    with pytest.raises(ValueError, match=match):
        SemiSupervisedMaxMargin(random_state=0).fit(X, y, **pairs)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"must_link": [[0, 300]]}, "must_link has sample numbers from 0 to 300"),
        ({"cannot_link": [[0.5, 1.0]]}, "cannot_link must hold pairs"),
        ({"must_link": [[0, 1, 2]]}, "must_link must hold pairs"),
    ],
)
def test_pairs_that_are_none(moons, wrong, match):
    X, _, few = moons
    with pytest.raises(ValueError, match=match):
        SemiSupervisedMaxMargin().fit(X, few, **wrong)


def test_warm_start_keeps_what_pairs_are_fitted_with(blobs, monkeypatch):
    """The result is that of a new fit, and clusterings are made once."""
    X, y = blobs
    made = []
    original = prior.other_clusterings

    def counted(*arguments):
        made.append(1)
        return original(*arguments)

    monkeypatch.setattr(prior, "other_clusterings", counted)
    nothing, rows = np.full(len(y), -1), np.flatnonzero(y == 0)
    warm = SemiSupervisedMaxMargin(3, warm_start=True, random_state=0)
    for n_pairs in (1, 3):
        links = {"cannot_link": [(rows[0], i) for i in rows[1 : n_pairs + 1]][:2]}
        found = warm.fit(X, nothing, **links).labels_
        new = SemiSupervisedMaxMargin(3, random_state=0).fit(X, nothing, **links)
        np.testing.assert_array_equal(found, new.labels_)
    assert len(made) == 3  # once by the warm model, twice by new ones
    warm.set_params(n_clusters=4).fit(X, nothing, must_link=[rows[:2]])
    assert len(made) == 4


@pytest.mark.parametrize("kernel", ["auto", "neighbors", "rbf"])
@pytest.mark.parametrize("n_given", [0, 1, 2])
def test_equal_sizes_with_links_that_can_be_met(kernel, n_given):
    """Links that equal sizes allow are never refused, however labels are found."""
    for seed in range(10):
        random = np.random.RandomState(seed)
        truth = random.permutation(30) % 2
        pairs = np.array([random.choice(30, 2, replace=False) for _ in range(25)])
        same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
        y = np.full(30, -1)
        for c in range(n_given):
            y[np.flatnonzero(truth == c)[0]] = c
        model = SemiSupervisedMaxMargin(
            2, kernel=kernel, balance="equal", random_state=0
        )
        model.fit(random.randn(30, 2), y, None, pairs[same], pairs[~same])
        labels = model.labels_
        np.testing.assert_array_equal(np.bincount(labels), [15, 15])
        joined = labels[pairs[:, 0]] == labels[pairs[:, 1]]
        np.testing.assert_array_equal(joined, same)
        np.testing.assert_array_equal(model.transduction_[y >= 0], y[y >= 0])
