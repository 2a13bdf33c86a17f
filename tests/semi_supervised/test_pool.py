"""Answers choose among labellings: the formulas, the choice, and the questions."""

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.datasets import load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin, propose_pairs
from maxmargin.search.constraints import make_constraints
from maxmargin.semi_supervised.parts import Parts
from maxmargin.semi_supervised.pool import (
    DECIDED,
    DEFAULT_SHARE,
    QUALITY,
    Pool,
    pairs_to_choose,
)

NONE = np.empty((0, 2), dtype=int)


@pytest.fixture
def pool(random):
    return Pool(random.randint(3, size=(4, 60)))


def test_posterior_by_the_formula(pool, random):
    """Each answer multiplies by a power of its probability, pair by pair."""
    speaks = np.zeros(60)
    for weight, labels in zip(pool.prior, pool.labels, strict=True):
        speaks += [weight * np.mean(labels == label) for label in labels]
    pairs = random.randint(60, size=(8, 2))
    shares = np.bincount(pool.labels[0]) / 60
    b = sum(share**2 for share in shares)
    expected = pool.prior.copy()
    for t, (i, j) in enumerate(pairs):
        for e, labels in enumerate(pool.labels):
            p = (1 - QUALITY) * b
            if labels[i] == labels[j]:
                p += QUALITY
            power = min(1.0, speaks[i] + speaks[j])
            expected[e] *= (p if t < 3 else 1 - p) ** power
    found = pool.posterior(pairs[:3], pairs[3:])
    np.testing.assert_allclose(found, expected / expected.sum())
    np.testing.assert_allclose(pool.posterior(NONE, NONE), pool.prior)
    assert pool.prior.sum() == pytest.approx(1.0)
    assert pool.prior[0] == DEFAULT_SHARE


def test_the_index_means_these_probabilities(random):
    """The truth with noise: shares of pairs are those of its adjusted Rand index."""
    y = np.repeat(np.arange(4), 500)
    labels = y.copy()
    noisy = random.rand(2000) < 0.3
    labels[noisy] = random.randint(4, size=noisy.sum())
    r, b = adjusted_rand_score(y, labels), 0.25
    together = labels[:, None] == labels
    same = y[:, None] == y
    assert same[together].mean() == pytest.approx(r + (1 - r) * b, abs=0.01)
    assert same[~together].mean() == pytest.approx((1 - r) * b, abs=0.01)


def test_information_is_that_of_the_joint_distribution(pool):
    """Mutual information of the answer and the labelling, from the table of both."""
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    rows = np.array([3, 8, 20])
    together = pool.together(weights, rows)
    found = pool.information(together)
    yes, no = pool.probabilities
    for a in range(3):
        for b in range(3):
            same = pool.labels[:, rows[a]] == pool.labels[:, rows[b]]
            p = np.where(same, yes, no)
            joint = np.stack([weights * p, weights * (1 - p)])
            expected = entropy(joint.sum(axis=0)) + entropy(joint.sum(axis=1))
            expected -= entropy(joint.ravel())
            assert found[a, b] == pytest.approx(expected, abs=1e-9)


def test_answers_choose_the_labelling_that_they_describe(random):
    labels = random.randint(3, size=(5, 200))
    pool = Pool(labels)
    for e in (0, 3):
        pairs = random.randint(200, size=(60, 2))
        same = labels[e, pairs[:, 0]] == labels[e, pairs[:, 1]]
        chosen = pool.choose(pairs[same], pairs[~same])
        assert adjusted_rand_score(chosen, labels[e]) == 1.0
    np.testing.assert_array_equal(pool.choose(NONE, NONE), labels[0])


def test_pairs_that_choose(pool):
    """Labellings disagree about the first one; once one is decided there is none."""
    rows = np.arange(10, 50)
    parts = Parts(np.arange(40) % 20, np.arange(20))
    known = make_constraints(np.full(40, -1), NONE, NONE)
    weights = np.full(4, 0.25)
    found = pairs_to_choose(pool, weights, rows, parts, known)
    assert len(found) == 2  # two answers tell four labellings apart
    for a, b in found:
        same = pool.labels[:, rows[a]] == pool.labels[:, rows[b]]
        assert 0 < same.sum() < 4
    used = make_constraints(np.full(40, -1), np.array(found[:1]), NONE)
    assert found[0] not in pairs_to_choose(pool, weights, rows, parts, used)
    decided = np.array([(1 - DECIDED) / 4] * 3 + [1 - 3 * (1 - DECIDED) / 4])
    assert pairs_to_choose(pool, decided, rows, parts, known) == []


def test_a_pool_of_one():
    pool = Pool(np.array([[0, 1, 0, 1]]))
    np.testing.assert_array_equal(pool.choose(np.array([[0, 1]]), NONE), [0, 1, 0, 1])


def test_few_answers_find_another_similarity():
    """Raw rows are dominated by a column without clusters, which others divide by."""
    random = np.random.RandomState(0)
    y = np.repeat([0, 1], 120)
    X = np.stack([100 * random.rand(240), 6 * y + random.randn(240)], axis=1)
    nothing = np.full(240, -1)
    model = SemiSupervisedMaxMargin(2, scale=False, random_state=0).fit(X, nothing)
    assert adjusted_rand_score(y, model.labels_) < 0.1
    pairs = NONE
    for _ in range(6):
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        known = {"must_link": pairs[same], "cannot_link": pairs[~same]}
        new = propose_pairs(model, X, 1, random_state=0, **known)
        assert len(new) == 1
        pairs = np.concatenate([pairs, new])
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model.fit(X, nothing, must_link=pairs[same], cannot_link=pairs[~same])
    assert adjusted_rand_score(y, model.labels_) > 0.9


def test_labels_and_init_leave_no_choice():
    X, y = load_wine(return_X_y=True)
    few = np.full(len(y), -1)
    few[[0, 70, 150]] = y[[0, 70, 150]]
    model = SemiSupervisedMaxMargin(random_state=0).fit(X, few)
    assert not model._chooses
    assert len(propose_pairs(model, X, 3, random_state=0)) == 3
    start = MaxMarginClustering(3, random_state=0).fit(X).labels_
    model = SemiSupervisedMaxMargin(init=start, random_state=0)
    assert not model.fit(X, few, must_link=[(0, 1)])._chooses


def test_other_samples_have_another_pool():
    """A pool is kept for the samples of a fit, not for others of the same number."""
    X, y = make_blobs(120, centers=3, cluster_std=3.0, random_state=0)
    other = make_blobs(120, centers=3, cluster_std=3.0, random_state=1)[0]
    nothing = np.full(120, -1)
    model = SemiSupervisedMaxMargin(3, random_state=0).fit(
        X, nothing, must_link=[np.flatnonzero(y == 0)[:2]]
    )
    found = propose_pairs(model, other, 4, random_state=0)
    new = SemiSupervisedMaxMargin(3, random_state=0).fit(
        X, nothing, must_link=[np.flatnonzero(y == 0)[:2]]
    )
    np.testing.assert_array_equal(found, propose_pairs(new, other, 4, random_state=0))
    again = model.fit(X, nothing, must_link=[np.flatnonzero(y == 0)[:2]]).labels_
    np.testing.assert_array_equal(again, new.labels_)
