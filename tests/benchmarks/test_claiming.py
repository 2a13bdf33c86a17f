"""Claiming against a version that evaluates every pair from the formula."""

import numpy as np
from benchmarks.papers.p003.claiming import claim_labels
from tests.search import naive

from maxmargin.search.balance import make_balance
from maxmargin.search.constraints import make_constraints
from maxmargin.search.objective import Objective


def given(labels):
    nobody = np.empty((0, 2), dtype=np.int64)
    return make_constraints(labels, nobody, nobody, np.arange(len(labels)))


def naive_claims(S, labels, n_classes):
    """Claim the best pair of a sample and a class, from the sum over those labelled."""
    labels = labels.copy()
    while (labels < 0).any():
        gains = {}
        known = labels >= 0
        before = naive.plain_sum(S[np.ix_(known, known)], labels[known], n_classes)
        for j in np.flatnonzero(~known):
            joined = known.copy()
            joined[j] = True
            for d in range(n_classes):
                tried = naive.moved(labels, j, d)[joined]
                value = naive.plain_sum(S[np.ix_(joined, joined)], tried, n_classes)
                gains[j, d] = value - before
        j, d = max(gains, key=gains.get)
        labels[j] = d
    return labels


def test_claims_are_those_of_the_formula(smoother_matrix, random):
    S, _ = smoother_matrix(random, 20, alpha=0.3)
    labels = np.full(20, -1)
    labels[:6] = np.arange(6) % 3
    weights = np.ones(20)
    balance = make_balance("free", 3, weights, Objective(0.7))
    found = claim_labels(S, weights, given(labels), balance).argmax(axis=1)
    np.testing.assert_array_equal(found, naive_claims(S, labels, 3))
    np.testing.assert_array_equal(found[:6], labels[:6])


def test_full_classes_claim_no_more(smoother_matrix, random):
    S, _ = smoother_matrix(random, 20, alpha=0.3)
    labels = np.full(20, -1)
    labels[:2] = 0, 1
    weights = np.ones(20)
    balance = make_balance("equal", 2, weights, Objective(0.7))
    found = claim_labels(S, weights, given(labels), balance).argmax(axis=1)
    np.testing.assert_array_equal(np.bincount(found), [10, 10])


def test_labels_follow_a_chain_of_neighbours():
    # Two lines of points, labelled at one end: classes claim along the lines.
    x = np.linspace(0, 10, 30)
    X = np.concatenate([np.column_stack([x, 0 * x]), np.column_stack([x, 0 * x + 2])])
    K = np.exp(-4 * ((X[:, None] - X) ** 2).sum(axis=2))
    S = np.linalg.solve(K + 0.1 * np.eye(60), K)
    labels = np.full(60, -1)
    labels[0], labels[30] = 0, 1
    weights = np.ones(60)
    balance = make_balance("free", 2, weights, Objective(0.7))
    found = claim_labels((S + S.T) / 2, weights, given(labels), balance).argmax(axis=1)
    np.testing.assert_array_equal(found, np.repeat([0, 1], 30))
