import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_wine, make_blobs

from maxmargin import MaxMarginClustering
from maxmargin.plots import BoundaryDisplay, ClusterMapDisplay
from maxmargin.plots.cluster_map import plot_maps, relabel
from maxmargin.plots.style import (
    COLORS,
    cluster_color,
    cluster_marker,
    margins,
    opacity_of,
    principal_plane,
)


@pytest.fixture
def blobs():
    X, _ = make_blobs(90, centers=3, random_state=0)
    return X, MaxMarginClustering(3, random_state=0).fit(X)


def legend_of(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_boundary(blobs):
    X, clusters = blobs
    display = BoundaryDisplay.from_estimator(clusters, X, resolution=40)
    grid = np.column_stack([display.xx.ravel(), display.yy.ravel()])
    np.testing.assert_array_equal(display.regions.ravel(), clusters.predict(grid))
    assert legend_of(display) == ["0", "1", "2"]
    assert display.figure_ is display.ax_.figure
    with pytest.raises(ValueError, match="two features"):
        BoundaryDisplay.from_estimator(clusters, np.zeros((5, 3)))


def test_cluster_map(blobs):
    X, clusters = blobs
    display = ClusterMapDisplay.from_estimator(clusters, X)
    assert sum(len(c.get_offsets()) for c in display.ax_.collections) == len(X)
    np.testing.assert_array_equal(display.labels, clusters.labels_)
    assert legend_of(display) == ["0", "1", "2"]
    _, ax = plt.subplots()
    wide = np.random.RandomState(0).randn(20, 5)
    noise = np.arange(20) % 3 - 1
    display = ClusterMapDisplay.from_predictions(wide, noise, ax=ax)
    assert display.ax_ is ax
    assert legend_of(display) == ["none", "0", "1"]
    assert "of variance" in ax.get_xlabel()


def test_cluster_map_of_columns_on_different_scales():
    X, _ = load_wine(return_X_y=True)
    clusters = MaxMarginClustering(3, random_state=0).fit(X)
    display = ClusterMapDisplay.from_estimator(clusters, X)
    expected, _ = principal_plane(X / X.std(axis=0))
    np.testing.assert_allclose(display.positions, expected, atol=1e-5)


def test_plane_is_that_of_largest_variance(random):
    X = random.randn(50, 4) * [1, 5, 2, 0.1]
    positions, shares = principal_plane(X)
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T)))[::-1]
    np.testing.assert_allclose(shares, values[:2] / values.sum())
    np.testing.assert_allclose(positions.var(axis=0, ddof=1), values[:2])
    one, shares = principal_plane(X[:, :1])
    assert one.shape == (50, 2)
    assert shares[1] == 0


def test_margins_and_opacity():
    decisions = np.array([[1.0, 3.0, 2.5], [0.0, 0.0, -1.0]])
    np.testing.assert_allclose(margins(decisions), [0.5, 0.0])
    assert margins(decisions[:, :1]).tolist() == [1, 1]
    shown = opacity_of(np.array([0.0, 1.0, 2.0]))
    np.testing.assert_allclose(shown, [0.25, 1.0, 1.0])


def test_maps_have_matching_labels(random):
    model = random.randint(4, size=60)
    turned = (model + 1) % 4
    np.testing.assert_array_equal(relabel(turned, model), model)
    more = np.where(np.arange(60) == 0, 4, model)
    assert set(relabel(more, model)) == set(range(5))
    noise = np.where(np.arange(60) < 5, -1, model)
    assert (relabel(noise, model)[:5] == -1).all()
    figure = plot_maps(random.randn(60, 3), {"one": model, "two": turned})
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["one: 4 clusters", "two: 4 clusters"]


def test_every_cluster_looks_different():
    looks = {(cluster_color(h), cluster_marker(h)) for h in range(100)}
    assert len(looks) == 100
    assert len(set(COLORS)) == 10
