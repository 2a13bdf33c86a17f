"""k-means on snapshots."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from maxmargin.datasets import make_evolving_gaussians
from maxmargin.published import EvolvingKMeans, EvolvingSpectralClustering


@pytest.mark.parametrize("history", ["accumulate", "none"])
def test_k_means_is_that_of_the_rows_it_says(history, seed):
    steps = make_evolving_gaussians(60, 2, random_state=seed)
    model = EvolvingKMeans(2, history=history, random_state=0)
    for step in steps:
        model.partial_fit(step.X, ids=step.ids, time=step.time)
    rows = steps[-1].X
    if history == "accumulate":
        rows = np.concatenate([step.X for step in reversed(steps)])
    alone = KMeans(2, n_init=10, random_state=0).fit(rows)
    assert adjusted_rand_score(alone.labels_[:60], model.labels_) == 1.0
    assert_allclose(-model.history_[-1].objective, alone.inertia_)
    assert_allclose(
        np.sort(model.cluster_centers_, axis=0), np.sort(alone.cluster_centers_, axis=0)
    )
    assert_array_equal(model.predict(steps[-1].X), model.labels_)


def test_unknown_settings_are_refused():
    X = np.eye(6)
    with pytest.raises(ValueError, match="history"):
        EvolvingKMeans(2, history="all").fit(X)
    with pytest.raises(ValueError, match="preserve"):
        EvolvingSpectralClustering(2, preserve="all").fit(X)
    with pytest.raises(ValueError, match="n_clusters"):
        EvolvingKMeans(2, history="none").partial_fit(X).partial_fit(X[:1])


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_a_constant_column_of_huge_values_changes_nothing(random, make):
    X = np.concatenate([random.randn(20, 2), random.randn(20, 2) + 9])
    times = np.arange(40) % 2
    far = make(np.column_stack([X, np.full(40, 1e12)]))
    near = EvolvingKMeans(2, random_state=0).fit(X, times=times)
    model = EvolvingKMeans(2, random_state=0).fit(far, times=times)
    assert_array_equal(model.labels_, near.labels_)
    assert_array_equal(model.predict(far), near.predict(X))
    assert_allclose(model.cluster_centers_[:, :2], near.cluster_centers_)
    assert_allclose(model.cluster_centers_[:, 2], 1e12)
    assert_allclose(
        model.history_[-1].snapshot_cost, near.history_[-1].snapshot_cost, rtol=1e-6
    )
