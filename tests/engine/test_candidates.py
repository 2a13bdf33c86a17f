"""The choice among similarities without labels."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import MaxMarginClustering
from maxmargin.engine.candidates import (
    make_candidates,
    meets_limits,
    radial_candidate,
    search_candidate,
)
from maxmargin.engine.options import Options
from maxmargin.rows.sample import draw_sample
from maxmargin.search.objective import DIRECTIONS
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import exact_smoother, leave_one_out_error


def drawn(n_samples=300, kernel="auto", degrees="auto"):
    """Return Gaussian rows, all of them as a sample, and options."""
    random = np.random.RandomState(0)
    X = random.randn(n_samples, 2)
    weights = np.ones(n_samples)
    sample = draw_sample(X, weights, merge=True, limit=None, random=random)
    return X, sample, Options(3, kernel=kernel, degrees_of_freedom=degrees)


def candidates(**options):
    return make_candidates(*drawn(**options), np.random.RandomState(0))


def test_graphs_of_two_scales():
    soft, hard, _ = candidates()
    assert soft.smoother.degrees_of_freedom == pytest.approx(1.35 * 3)
    assert hard.smoother.degrees_of_freedom == pytest.approx(3)
    assert soft.objective == hard.objective == DIRECTIONS
    assert soft.graph.neighbors.shape[1] == 21  # 2.5 log2 300
    assert hard.graph.neighbors.shape[1] == 9


def test_clusters_by_gaps_are_a_candidate_without_a_search():
    _, hard, gaps = candidates()
    assert set(gaps.labels) == {0, 1, 2}
    assert gaps.graph is hard.graph
    options, weights = Options(3), np.ones(300)
    run = search_candidate(gaps, options, weights, np.random.RandomState(0))
    np.testing.assert_array_equal(run.labels, gaps.labels)
    # Each cluster is a direction of its own, and features have the length of 3 degrees
    # of freedom for 300 samples: the sums of lengths are 300 sqrt(3 / 300).
    assert run.objective == pytest.approx(30)


def test_clusters_by_gaps_outside_the_limits_are_left_out():
    *_, gaps = candidates()
    sizes, weights = np.bincount(gaps.labels), np.ones(300)
    met = Options(3, balance=(int(sizes.min()), int(sizes.max())))
    assert meets_limits(gaps, met, weights)
    assert meets_limits(gaps, Options(3), weights)
    assert not meets_limits(gaps, Options(3, balance="equal"), weights)


def test_radial_kernel_on_some_of_many_samples():
    kernel = radial_candidate(*drawn())
    assert 20 < kernel.smoother.degrees_of_freedom <= 61  # a fifth, or half the rank
    assert 0 < kernel.objective.power < 1
    assert len(radial_candidate(*drawn(n_samples=1500)).sample.indices) == 1000


@pytest.mark.parametrize(("distance", "is_tried"), [(30, False), (1, True)])
def test_radial_kernel_is_tried_only_if_edges_are_cut(monkeypatch, distance, is_tried):
    tried = []

    def note(*args):
        tried.append(args)
        return radial_candidate(*args)

    monkeypatch.setattr("maxmargin.engine.choice.radial_candidate", note)
    X, _ = make_blobs([60, 60], centers=[[0, 0], [distance, 0]], random_state=0)
    MaxMarginClustering(2).fit(X)
    assert bool(tried) == is_tried


def test_candidates_do_not_depend_on_the_seed():
    X, _ = load_digits(return_X_y=True)
    labels = [MaxMarginClustering(10, random_state=s).fit_predict(X) for s in range(4)]
    for other in labels[1:]:
        np.testing.assert_array_equal(other, labels[0])


def test_thin_stripes(seed):
    """Labels that cut nothing of the graph are not judged by a radial kernel."""
    random = np.random.RandomState(seed)
    y = np.repeat([0, 1, 2], 400)
    X = np.column_stack([20 * random.rand(1200), y + 0.05 * random.randn(1200)])
    labels = MaxMarginClustering(3, random_state=seed).fit_predict(X)
    assert adjusted_rand_score(y, labels) == 1.0


def test_few_samples_apart_are_no_cluster():
    """A group of twelve outliers cuts no edge, and two halves of a cluster few."""
    random = np.random.RandomState(0)
    X = np.concatenate([random.randn(300, 2), np.add(random.randn(300, 2), [4, 0])])
    X = np.concatenate([X, np.add(0.1 * random.randn(12, 2), [2, 15])])
    labels = MaxMarginClustering(2, random_state=0).fit_predict(X)
    assert np.bincount(labels).min() > 250


def test_given_degrees_are_those_of_the_first_graph():
    soft, hard, _ = candidates(degrees=20)
    assert soft.smoother.degrees_of_freedom == pytest.approx(20, rel=1e-3)
    assert hard.smoother.degrees_of_freedom == pytest.approx(3)


def test_given_degrees_do_not_change_the_kernel_beside_the_graph():
    X, sample, options = drawn()
    automatic = radial_candidate(X, sample, options)
    given = radial_candidate(X, sample, replace(options, degrees_of_freedom=20))
    found = [one.smoother.degrees_of_freedom for one in (automatic, given)]
    assert found[0] == found[1]


def test_circles(seed):
    X, y = make_circles(500, factor=0.4, noise=0.06, random_state=seed)
    labels = MaxMarginClustering(2, random_state=seed).fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.95


def test_clusters_of_very_different_sizes(seed):
    X, y = make_blobs(
        [700, 90, 30], centers=[[0, 0], [9, 0], [0, 9]], random_state=seed
    )
    labels = MaxMarginClustering(3, random_state=seed).fit_predict(X)
    assert adjusted_rand_score(y, labels) > 0.95


def test_a_dense_cluster_inside_a_broad_one(seed):
    """The graph sees no gap there, the kernel does, and the judge knows."""
    random = np.random.RandomState(seed)
    X = np.concatenate([2.5 * random.randn(500, 20), random.randn(500, 20)])
    labels = MaxMarginClustering(2, random_state=seed).fit_predict(X)
    assert adjusted_rand_score(np.repeat([0, 1], 500), labels) > 0.7


def test_word_counts():
    """Documents of very different length about two topics."""
    random = np.random.RandomState(0)
    topics = random.dirichlet(np.full(400, 0.05), size=2)
    y = random.randint(2, size=200)
    X = np.stack([random.multinomial(random.choice([10, 60]), topics[h]) for h in y])
    model = MaxMarginClustering(2, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(X * 3), model.predict(X))


def test_equals_leaving_samples_out_one_by_one(random):
    X = random.randn(25, 2)
    weights = random.uniform(0.5, 2, 25)
    Z = np.eye(3)[random.randint(3, size=25)]
    K = rbf_kernel(X, gamma=0.4)
    squares = 0.0
    for j in range(25):
        rest = np.arange(25) != j
        inner = K[np.ix_(rest, rest)] + 0.3 * np.diag(1 / weights[rest])
        predicted = K[j, rest] @ np.linalg.solve(inner, Z[rest])
        squares += weights[j] * np.sum((Z[j] - predicted) ** 2)
    shares = weights @ Z / weights.sum()
    expected = squares / (weights.sum() * np.sum(shares * (1 - shares)))
    kernel = Kernel("rbf", {"gamma": 0.4})
    smoother = exact_smoother(kernel, X, weights, np.arange(25), Ridge(alpha=0.3))
    assert leave_one_out_error(smoother, Z) == pytest.approx(expected)


def test_small_for_clusters_and_large_for_noise(random):
    X = np.concatenate([random.randn(30, 2), random.randn(30, 2) + 8])
    kernel = Kernel("rbf", {"gamma": 0.1})
    smoother = exact_smoother(kernel, X, np.ones(60), np.arange(60), Ridge(alpha=0.1))
    apart = np.eye(2)[np.repeat([0, 1], 30)]
    noise = np.eye(2)[random.permutation(60) % 2]
    assert leave_one_out_error(smoother, apart) < 0.05
    assert leave_one_out_error(smoother, noise) > 0.8
    assert leave_one_out_error(smoother, np.eye(2)[np.zeros(60, int)]) == 1


def test_many_tight_groups_in_two_clusters(random):
    """The nearest neighbours of a sample are all in its group of twenty-eight."""
    middles = np.concatenate(
        [random.randn(30, 2), np.add(random.randn(30, 2), [20, 0])]
    )
    X = np.repeat(middles, 28, axis=0) + 1e-4 * random.randn(1680, 2)
    labels = MaxMarginClustering(2, random_state=0).fit_predict(X)
    assert adjusted_rand_score(np.repeat([0, 1], 840), labels) == 1.0
