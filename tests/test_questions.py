"""Questions: their order, what is known, and clusters that must be one."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from maxmargin import MaxMarginClustering, questions
from maxmargin.questions import Parts, ask, find_parts

NONE = np.empty((0, 2), dtype=int)


@pytest.fixture
def parts():
    """Six parts of different sizes; the first sample of each is typical."""
    sizes = [9, 7, 8, 3, 5, 2]
    of_samples = np.repeat(np.arange(6), sizes)
    return Parts(of_samples, np.searchsorted(of_samples, np.arange(6)))


SHARES = np.array(
    [
        [0.98, 0.01, 0.01],
        [0.01, 0.98, 0.01],
        [0.02, 0.01, 0.97],
        [0.5, 0.4, 0.1],
        [0.3, 0.1, 0.6],
        [0.1, 0.8, 0.1],
    ]
)


def asked(parts, number, labels=None, must=NONE, cannot=NONE):
    must, cannot = (
        parts.typical[np.array(one, dtype=int).reshape(-1, 2)] for one in (must, cannot)
    )
    known = {"labels": labels, "must_link": must, "cannot_link": cannot}
    found = ask(parts, SHARES, number, **known)
    number_of = {int(row): a for a, row in enumerate(parts.typical)}
    return [(number_of[one.first], number_of[one.second]) for one in found]


def test_means_of_parts(parts, random):
    values = random.rand(len(parts.of_samples), 3)
    expected = [values[parts.of_samples == a].mean(axis=0) for a in range(6)]
    np.testing.assert_allclose(parts.means(values), expected)


def test_parts_with_most_misplaced_samples_come_first(parts):
    """5 x 0.4, 3 x 0.5, 2 x 0.2; the largest parts stand for the clusters."""
    assert asked(parts, 3) == [(4, 2), (3, 0), (5, 1)]
    assert asked(parts, 5)[3:] == [(4, 0), (3, 1)]  # a second round
    question = ask(parts, SHARES, 1)[0]
    assert (question.cluster, question.rows, question.doubt) == (2, 5, 0.4)


def test_what_is_known_is_not_asked(parts):
    assert asked(parts, 3, must=[(4, 2)]) == [(3, 0), (5, 1), (3, 1)]
    assert asked(parts, 1, cannot=[(4, 2)]) == [(4, 0)]
    labels = np.full(len(parts.of_samples), -1)
    labels[parts.typical[4]] = 1
    assert asked(parts, 1, labels=labels) == [(3, 0)]
    # 4 is with 5, which is with 1: settled
    assert asked(parts, 1, must=[(4, 5), (5, 1)]) == [(3, 0)]


def test_a_part_apart_from_all_clusters_makes_clusters_doubtful(parts):
    cannot = [(4, 2), (4, 0), (4, 1)]
    assert asked(parts, 2, cannot=cannot) == [(0, 2), (3, 0)]
    assert asked(parts, 2, cannot=[*cannot, (0, 2)])[0] == (0, 1)


def test_one_cluster_or_nothing_open(parts):
    one = ask(parts, np.ones((6, 1)), 5)
    assert all(question.doubt == 0 for question in one)
    must = [(a, b) for a, b in zip(range(5), range(1, 6), strict=True)]
    assert asked(parts, 5, must=must) == []


def test_parts_of_more_samples_than_are_divided(monkeypatch):
    X, _ = make_blobs(120, centers=4, random_state=0)
    model = MaxMarginClustering(4, random_state=0).fit(X)
    monkeypatch.setattr(questions, "MAX_ROWS", 50)
    parts = find_parts(model, X, random_state=0)
    assert len(parts.of_samples) == 120
    np.testing.assert_array_equal(
        parts.of_samples[parts.typical], np.arange(len(parts.typical))
    )
    pure = [len(np.unique(model.labels_[parts.of_samples == a])) for a in range(25)]
    assert np.mean(pure) < 1.2
