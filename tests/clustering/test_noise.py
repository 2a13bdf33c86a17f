import numpy as np
import pytest

from maxmargin import MaxMarginClustering


@pytest.fixture
def fitted(random):
    X = np.concatenate([random.normal(size=(150, 3)), random.normal(size=(150, 3)) + 8])
    X = np.concatenate([X, random.uniform(-40.0, 60.0, size=(6, 3))])
    return MaxMarginClustering(2, random_state=0).fit(X)


def test_samples_far_from_all_others_are_noise(fitted):
    labels = fitted.labels_with_noise()
    noise = np.flatnonzero(labels == -1)
    assert 4 <= np.sum(noise >= 300) <= len(noise) <= 8
    np.testing.assert_array_equal(labels[labels >= 0], fitted.labels_[labels >= 0])


def test_no_noise_in_clusters_alone(random):
    X = np.concatenate([random.normal(size=(150, 3)), random.normal(size=(150, 3)) + 8])
    model = MaxMarginClustering(2, random_state=0).fit(X)
    assert np.sum(model.labels_with_noise() == -1) <= 3


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1])
def test_a_share_of_the_samples_is_noise(fitted, share):
    noise = fitted.labels_with_noise(share) == -1
    assert abs(noise.sum() - share * 306) < 1
    scores = fitted.outlier_scores_
    assert not noise.any() or scores[noise].min() > scores[~noise].max()


@pytest.mark.parametrize("share", [-0.1, 1.0, "all", None])
def test_bad_share(fitted, share):
    with pytest.raises(ValueError, match=r"share=.* must be 'auto' or a number"):
        fitted.labels_with_noise(share)


def test_noise_needs_the_graph_of_all_samples(random):
    model = MaxMarginClustering(2, kernel="rbf").fit(random.normal(size=(60, 2)))
    with pytest.raises(ValueError, match="outlier_scores_ is None"):
        model.labels_with_noise()
