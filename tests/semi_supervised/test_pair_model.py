"""Clusters taught by pairs: slopes, the prior, reach, and many constraints."""

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize
from scipy.special import softmax
from sklearn.datasets import load_digits, load_wine, make_blobs
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin
from maxmargin.metrics import match_labels
from maxmargin.semi_supervised import prior
from maxmargin.semi_supervised.pair_model import (
    N_SEEN,
    WALK_LENGTH,
    Answers,
    PairSpace,
    _answer_loss,
    _only_concerned,
    _Problem,
    _silent,
    fit_pairs,
    make_pair_space,
    pair_graph,
)
from maxmargin.smoothers.kernel import make_kernel
from maxmargin.smoothers.neighbor_index import NeighborIndex

NONE = np.empty((0, 2), dtype=int)


def space_of(X, k):
    kernel = make_kernel("rbf", X, random=np.random.RandomState(0))
    return make_pair_space(X, pair_graph(X, np.ones(len(X)), k), kernel)


def test_slopes_of_the_loss_of_answers(random):
    must, cannot = random.randint(8, size=(2, 6, 2))
    answers = Answers(must, cannot, np.array([1, 5, 5]), np.array([2, 0, 0]))

    def value(flat):
        return _answer_loss(softmax(flat.reshape(8, 3), axis=1), answers)[0]

    def slopes(flat):
        probabilities = softmax(flat.reshape(8, 3), axis=1)
        return _answer_loss(probabilities, answers)[1].ravel()

    start = random.randn(24)
    assert check_grad(value, slopes, start) < 1e-4 * np.linalg.norm(slopes(start))
    probabilities = softmax(start.reshape(8, 3), axis=1)
    joint = probabilities @ probabilities.T
    expected = -np.log(joint[must[:, 0], must[:, 1]]).sum()
    expected -= np.log(1 - joint[cannot[:, 0], cannot[:, 1]]).sum()
    expected -= np.log(probabilities[[1, 5, 5], [2, 0, 0]]).sum()
    assert value(start) == pytest.approx(expected)


def test_memberships_are_shares_at_the_end_of_walks(random):
    """A dense inverse gives the same, and the own cluster has the largest share."""
    X, labels = random.randn(60, 3), random.randint(3, size=60)
    space = space_of(X, 3)
    roots, similarity = space.walk._roots, space.walk._similarity.toarray()
    graph = roots[:, None] * similarity * roots
    steps = graph / graph.sum(axis=1, keepdims=True)
    ends = np.linalg.inv((1 + WALK_LENGTH) * np.eye(60) - WALK_LENGTH * steps)
    own = np.eye(3)[labels]
    expected = (N_SEEN * (own + ends @ own) / 2 + 0.5) / (N_SEEN + 1.5)
    found = space.memberships(labels, 3)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(found.argmax(axis=1), labels)


def scores_of(space, clusterings, k):
    names = [match_labels(one, clusterings[0], k) for one in clusterings]
    pairs = zip(names, clusterings, strict=True)
    return np.log(np.stack([space.memberships(name[one], k) for name, one in pairs]))


def test_clusterings_are_matched_to_the_first(random, monkeypatch):
    X, first = random.randn(40, 2), random.randint(3, size=40)
    monkeypatch.setattr(prior, "other_clusterings", lambda *_: [(first + 1) % 3])
    parameters = {"n_clusters": 3}
    known = prior.PairPrior(X, np.ones(40), space_of(X, 3), first, parameters)
    scores = known.scores(first)
    np.testing.assert_allclose(scores[0], scores[1])


def test_without_contradiction_clusters_stay(random):
    """With no pairs, or with pairs that the clusters meet, no sample moves."""
    X, _ = make_blobs(200, centers=4, cluster_std=2.0, random_state=0)
    model = MaxMarginClustering(4, random_state=0).fit(X)
    space = space_of(X, 4)
    scores = scores_of(space, [model.labels_], 4)
    nothing = fit_pairs(space.features, scores, Answers(NONE, NONE))
    np.testing.assert_allclose(nothing.probabilities, np.exp(scores[0]))
    pairs = random.randint(200, size=(30, 2))
    same = model.labels_[pairs[:, 0]] == model.labels_[pairs[:, 1]]
    taught = SemiSupervisedMaxMargin(4, random_state=0).fit(
        X, np.full(200, -1), must_link=pairs[same], cannot_link=pairs[~same]
    )
    assert np.mean(taught.labels_ != model.labels_) <= 0.01


def test_few_true_pairs_do_no_harm(random):
    """The digits, where a mean of several clusterings is worse than the default."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:600], y[:600]
    nothing = np.full(len(y), -1)
    model = SemiSupervisedMaxMargin(10, warm_start=True, random_state=0)
    before = adjusted_rand_score(y, model.fit(X, nothing).labels_)
    scores = []
    for _ in range(4):
        pairs = random.randint(len(y), size=(20, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model.fit(X, nothing, must_link=pairs[same], cannot_link=pairs[~same])
        scores.append(adjusted_rand_score(y, model.labels_))
    assert np.mean(scores) >= before - 0.005


def test_clusterings_that_explain_pairs_get_weight(random):
    X = random.randn(200, 2)
    y = (X[:, 0] > 0).astype(int)
    wrong = (X[:, 1] > 0).astype(int)
    graph = NeighborIndex(X)
    space = PairSpace(1e-3 * X, graph)  # no features to speak of
    scores = scores_of(space, [wrong, y], 2)
    pairs = random.randint(200, size=(120, 2))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    found = fit_pairs(space.features, scores, Answers(pairs[same], pairs[~same]))
    assert found.weights[1] > found.weights[0]
    assert adjusted_rand_score(y, found.probabilities.argmax(axis=1)) > 0.9


@pytest.mark.parametrize("seed", range(5))
def test_weights_are_those_of_a_bounded_search(seed):
    """A clustering that contradicts all answers would get a negative weight."""
    random = np.random.RandomState(seed)
    X = random.randn(100, 2)
    y = (X[:, 0] > 0).astype(int)
    space = PairSpace(0.3 * X, NeighborIndex(X))
    wrong = (X[:, 0] > 0.3).astype(int) ^ (np.abs(X[:, 1]) > 0.8)
    scores = scores_of(space, [(X[:, 1] > 0).astype(int), y, wrong], 2)
    scores = np.concatenate([scores, -scores[1:2]])  # the opposite of the truth
    pairs = random.randint(100, size=(40, 2))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    positions, known = _only_concerned(Answers(pairs[same], pairs[~same]))
    silent = _silent(space.features, scores, Answers(pairs[same], pairs[~same]))
    problem = _Problem(space.features[positions], scores[:, positions], silent)
    found = problem.solve(known, problem.prior)
    free = np.zeros(4, dtype=bool)
    bounds = [(0, None)] * 4 + [(None, None)] * (len(found.x) - 4)
    expected = minimize(
        problem.loss, problem.prior, (known, free), "L-BFGS-B", True, bounds=bounds
    )
    assert found.x[:4].min() == 0.0
    assert found.fun == pytest.approx(expected.fun, rel=1e-3)
    np.testing.assert_allclose(found.x[:4], expected.x[:4], atol=0.05)


def test_pairs_decide_where_clusterings_are_wrong(random):
    X = random.randn(200, 2)
    y = (X[:, 0] > 0).astype(int)
    space = PairSpace(3 * X, NeighborIndex(X))
    scores = scores_of(space, [(X[:, 1] > 0).astype(int)], 2)
    pairs = random.randint(200, size=(300, 2))
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    found = fit_pairs(space.features, scores, Answers(pairs[same], pairs[~same]))
    # The wrong clusters count as some labels, so that not all of it is overruled.
    assert adjusted_rand_score(y, found.probabilities.argmax(axis=1)) > 0.85


def test_labels_count_as_well():
    X, y = make_blobs(150, centers=3, random_state=1)
    space = space_of(X, 3)
    scores = scores_of(space, [y], 3)
    row = 7
    other = (y[row] + 1) % 3
    answers = Answers(NONE, NONE, np.array([row]), np.array([other]))
    found = fit_pairs(space.features, scores, answers).probabilities
    before = np.exp(scores[0])
    assert found[row, other] > before[row, other]


def test_pairs_reach_the_neighbours(random):
    """Also samples that are in no pair are clustered better."""
    X, y = load_wine(return_X_y=True)
    nothing = np.full(len(y), -1)
    pairs = random.randint(len(y), size=(60, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    model = SemiSupervisedMaxMargin(3, random_state=0)
    others = np.setdiff1d(np.arange(len(y)), pairs)
    before = model.fit(X, nothing).labels_
    found = model.fit(
        X, nothing, must_link=pairs[same], cannot_link=pairs[~same]
    ).labels_
    np.testing.assert_array_equal(found[pairs[:, 0]] == found[pairs[:, 1]], same)
    scores = [adjusted_rand_score(y[others], one[others]) for one in (before, found)]
    assert scores[1] >= scores[0]
    assert adjusted_rand_score(y, found) > adjusted_rand_score(y, before)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert (model.predict(X) == found).mean() > 0.95


def test_the_better_of_two_optima_is_taken(random):
    """Many pairs with one sample: from the prior alone, clusters may be exchanged."""
    X, y = make_blobs(120, centers=[[0, 0], [2.5, 0]], random_state=3)
    space = space_of(X, 2)
    scores = scores_of(space, [(X[:, 0] > 1.25).astype(int)], 2)
    first = adjusted_rand_score(y, scores[0].argmax(axis=1))
    stars = [np.flatnonzero(y == c)[0] for c in (0, 1)]
    for n_pairs in (10, 20, 40):
        rows = random.permutation(120)[:n_pairs]
        must = np.array([(stars[y[i]], i) for i in rows if i not in stars])
        answers = Answers(must, np.array([stars]))
        found = fit_pairs(space.features, scores, answers)
        positions, known = _only_concerned(answers)
        silent = _silent(space.features, scores, answers)
        problem = _Problem(space.features[positions], scores[:, positions], silent)
        alone = problem.solve(known, problem.prior)
        assert found.objective >= -alone.fun - 1e-9
        labels = found.probabilities.argmax(axis=1)
        assert adjusted_rand_score(y, labels) > first - 0.1
