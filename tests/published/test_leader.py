"""`LeaderClustering` through its public interface."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from maxmargin.published import LeaderClustering

X, y = make_blobs(300, centers=[(0, 0), (10, 0), (0, 10)], random_state=0)


def test_finds_separate_blobs():
    model = LeaderClustering(radius=5.0).fit(X)
    assert len(model.cluster_centers_) == 3
    assert len(set(zip(model.labels_, y, strict=True))) == 3


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, np.float32])
def test_labels_are_those_of_predict(convert):
    data = convert(X)
    model = LeaderClustering(radius=1.0).fit(data)
    assert np.array_equal(model.labels_, model.predict(data))
    distances = np.linalg.norm(X[:, None] - model.cluster_centers_, axis=2)
    chosen = distances[np.arange(300), model.labels_]
    assert np.allclose(chosen, distances.min(axis=1), atol=1e-3)


def test_radius_from_the_number_of_centers():
    model = LeaderClustering(n_centers=3).fit(X)
    assert len(model.cluster_centers_) == 3
    again = LeaderClustering(model.radius_).fit(X)
    assert np.array_equal(again.cluster_centers_, model.cluster_centers_)


def test_sample_of_weight_zero_makes_no_center():
    far = np.concatenate([X, [[1000.0, 1000.0]]])
    weights = np.append(np.ones(300), 0.0)
    model = LeaderClustering(5.0).fit(far, sample_weight=weights)
    assert len(model.cluster_centers_) == 3
    assert len(model.labels_) == 301


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"radius": 0.0}, "radius=0.0 must be a positive number"),
        ({"radius": "wide"}, "radius='wide' must be a positive number"),
        ({"n_centers": 0}, "n_centers=0 must be an int >= 1"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        LeaderClustering(**parameters).fit(X)


def test_large_values_in_single_precision():
    model = LeaderClustering(n_centers=3).fit((1e25 * X).astype(np.float32))
    assert len(set(zip(model.labels_, y, strict=True))) == 3


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_nearest_center_far_from_the_origin(convert):
    rows = convert(np.arange(4.0)[:, None] + 1e9)
    assert LeaderClustering(0.5).fit(rows).labels_.tolist() == [0, 1, 2, 3]
