"""`EvolutionaryMaxMarginClustering` through its public interface."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin.metrics import clustering_error
from maxmargin.published import EvolutionaryMaxMarginClustering


@pytest.fixture
def blobs(seed):
    return make_blobs([50, 40, 60], random_state=seed, cluster_std=0.5)


@pytest.mark.parametrize("landmarks", [None, 40])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"init": "random"},
        {"classification": True, "n_flips": 1, "init": "random"},
        {"population_size": 3, "n_offspring": 4, "n_init": 3},
        {"balance": "free"},
    ],
)
def test_clusters_far_apart(seed, landmarks, options):
    centers = [[0, 0], [6, 0], [0, 6]]
    X, y = make_blobs([50, 40, 60], centers=centers, random_state=seed)
    model = EvolutionaryMaxMarginClustering(
        3, landmarks=landmarks, degrees_of_freedom=8, random_state=seed, **options
    ).fit(X)
    assert clustering_error(y, model.labels_) < 0.03
    assert np.mean(model.predict(X) == model.labels_) > 0.95
    assert model.history_.shape == (model.n_iter_ + 1,)


def test_fitness_from_the_objective(seed):
    """``F = 1 + (1'R1 - 2 objective) / n`` is the least squares error of the paper."""
    X = np.random.RandomState(seed).randn(60, 3)
    K = rbf_kernel(X, gamma=0.3)
    model = EvolutionaryMaxMarginClustering(
        gamma=0.3, alpha=0.4, n_init=2, random_state=seed
    ).fit(X)
    R = K @ np.linalg.inv(K + 0.4 * np.eye(60))
    y = 2.0 * model.labels_ - 1
    fitted = R @ y
    c = np.linalg.solve(K + 0.4 * np.eye(60), y)
    fitness = np.mean((y - fitted) ** 2) + 0.4 / 60 * c @ K @ c
    np.testing.assert_allclose(
        1 + (R.sum() - 2 * model.objective_) / 60, fitness, atol=1e-8
    )
    assert model.alpha_ == 0.4
    np.testing.assert_allclose(model.degrees_of_freedom_, np.trace(R))


@pytest.mark.parametrize("landmarks", [None, 20])
def test_balance_of_two_clusters(seed, landmarks):
    X = np.random.RandomState(seed).randn(90, 2)
    model = EvolutionaryMaxMarginClustering(
        balance=0.1, landmarks=landmarks, n_init=3, random_state=seed
    ).fit(X)
    assert abs((2 * model.labels_ - 1).sum()) <= 9


def test_free_labels_are_predicted(blobs, seed):
    X, _ = blobs
    model = EvolutionaryMaxMarginClustering(
        3, balance="free", n_init=2, random_state=seed
    ).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("init", ["random", "k-means"])
def test_result_depends_on_the_seed_and_not_on_threads(blobs, init):
    X, _ = blobs
    fits = [
        EvolutionaryMaxMarginClustering(
            3, init=init, n_init=4, population_size=2, n_jobs=n_jobs, random_state=7
        ).fit(X)
        for n_jobs in (1, 1, 4)
    ]
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.labels_, fits[0].labels_)
        assert fit.objective_ == fits[0].objective_


def test_given_labels(blobs, seed):
    """A good start is kept, and brought within the limits first."""
    X, y = blobs
    options = {"n_clusters": 3, "random_state": seed, "n_flips": 1}
    model = EvolutionaryMaxMarginClustering(init=y, balance="free", **options).fit(X)
    assert model.history_[0] <= model.objective_ * (1 + 1e-12)
    tight = EvolutionaryMaxMarginClustering(
        init=np.zeros(150, dtype=int), balance="equal", **options
    ).fit(X)
    np.testing.assert_array_equal(np.bincount(tight.labels_), [50, 50, 50])


@pytest.mark.parametrize("landmarks", [0.5, 20])
def test_a_share_of_the_samples_as_landmarks(seed, landmarks):
    X = np.random.RandomState(seed).randn(40, 2)
    model = EvolutionaryMaxMarginClustering(landmarks=landmarks, random_state=seed)
    assert len(model.fit(X)._model.coefficients) == 20


def test_precomputed_kernel(blobs, seed):
    X, _ = blobs
    K = rbf_kernel(X, gamma=0.2)
    options = {"n_clusters": 3, "n_init": 3, "init": "k-means", "random_state": seed}
    by_matrix = EvolutionaryMaxMarginClustering(kernel="precomputed", **options).fit(K)
    by_samples = EvolutionaryMaxMarginClustering(gamma=0.2, **options).fit(X)
    assert clustering_error(by_matrix.labels_, by_samples.labels_) < 0.1
    np.testing.assert_allclose(
        by_matrix.degrees_of_freedom_, by_samples.degrees_of_freedom_, rtol=0.05
    )


def test_better_than_k_means_on_digits(seed):
    """Table 1 of the paper has k-means at 5.3 % on 3-8 and this at 2.5 %."""
    X, y = load_digits(return_X_y=True)
    X, y = X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)]
    scale = np.sqrt(((X.max(axis=0) - X.min(axis=0)) ** 2).sum())
    model = EvolutionaryMaxMarginClustering(
        gamma=1 / (3 * scale) ** 2, alpha=0.5, balance=0.1, random_state=seed
    ).fit(X)
    means = KMeans(2, n_init=10, random_state=seed).fit(X)
    error = clustering_error(y, model.labels_)
    assert error < clustering_error(y, means.labels_)


def test_limit_of_rounds(blobs):
    X, _ = blobs
    model = EvolutionaryMaxMarginClustering(3, n_init=1, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model.fit(X)


def test_progress(blobs, capsys):
    X, _ = blobs
    EvolutionaryMaxMarginClustering(n_init=1, verbose=1, random_state=0).fit(X)
    assert capsys.readouterr().out.startswith("round 1: objective")


def test_fewer_distinct_samples_than_clusters():
    X = np.repeat(np.eye(3), 5, axis=0)
    with pytest.warns(ConvergenceWarning, match="Only 3 distinct samples"):
        model = EvolutionaryMaxMarginClustering(5).fit(X)
    assert len(np.unique(model.labels_)) == 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"population_size": 0}, "population_size=0 must be an int >= 1"),
        ({"n_offspring": 1.5}, "n_offspring=1.5 must be an int >= 1"),
        ({"n_flips": 0}, "n_flips=0 must be an int >= 1"),
        ({"n_flips": "many"}, "n_flips='many' is not known: use 'decreasing'"),
        ({"init": "spectral"}, "init='spectral' is not known"),
        ({"init": [0, 1]}, "one integer for each of the 30 samples"),
        ({"n_init": 0}, "n_init=0"),
        ({"alpha": 0}, "alpha=0 must be a positive number"),
        ({"degrees_of_freedom": "many"}, "'many' is not understood"),
    ],
)
def test_bad_parameters(parameters, message):
    X = np.random.RandomState(0).randn(30, 3)
    with pytest.raises(ValueError, match=message):
        EvolutionaryMaxMarginClustering(**parameters).fit(X)


def test_generations_are_limited_and_counted():
    X, _ = make_blobs(80, centers=2, random_state=0)
    model = EvolutionaryMaxMarginClustering(
        population_size=1, n_offspring=1, last_generation=69, random_state=0
    )
    assert model.fit(X).n_generations_ == 70
    longer = model.set_params(last_generation=None).fit(X).n_generations_
    shorter = model.set_params(patience=20).fit(X).n_generations_
    assert 20 < shorter < longer
    with pytest.raises(ValueError, match="patience"):
        model.set_params(patience=0).fit(X)
