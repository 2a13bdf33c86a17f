"""Segments of pictures of which the truth is known."""

import numpy as np
import pytest
from benchmarks.region_metrics import jaccard_overlap
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from maxmargin import ImageSegmenter
from maxmargin.segmentation import connected_regions

COLORS = np.array([[60, 90, 200], [210, 190, 60], [40, 120, 40], [180, 40, 40]])


def picture(random, n_regions=2, shape=(60, 80), noise=12.0):
    """Return a picture of coloured patches with noise, and its labels."""
    rows, columns = np.indices(shape)
    labels = np.zeros(shape, dtype=int)
    labels[(rows - 25) ** 2 + (columns - 30) ** 2 < 15**2] = 1
    if n_regions > 2:
        labels[40:55, 10:60] = 2
    if n_regions > 3:
        labels[5:30, 60:75] = 3
    values = COLORS[labels] + noise * random.randn(*shape, 3)
    return np.clip(values, 0, 255).astype(np.uint8), labels


def agreement(one, other):
    return adjusted_rand_score(one.ravel(), other.ravel())


@pytest.mark.parametrize("features", ["auto", "rgb", "lab", ("lab", "position")])
def test_two_regions(random, seed, features):
    image, truth = picture(random)
    model = ImageSegmenter(features=features, n_cells=300, random_state=seed)
    assert agreement(model.fit_predict(image), truth) > 0.95
    assert np.array_equal(np.unique(model.labels_), [0, 1])
    # The larger one comes first.
    assert (model.labels_ == truth).mean() > 0.95


@pytest.mark.parametrize("mode", ["regions", "direct", "recursive"])
@pytest.mark.parametrize("n_regions", [3, 4])
def test_more_regions(random, seed, mode, n_regions):
    image, truth = picture(random, n_regions)
    model = ImageSegmenter(
        n_regions, features="lab", mode=mode, n_cells=300, random_state=seed
    )
    assert agreement(model.fit_predict(image), truth) > 0.9
    sizes = np.bincount(model.labels_.ravel())
    assert len(sizes) == n_regions
    assert (np.diff(sizes) <= 0).all()


def test_texture_tells_apart(random, seed):
    """Two halves of the same mean colour, a smooth one and a rough one."""
    image = np.full((60, 80), 128.0)
    image[:, 40:] += random.choice([-60.0, 60.0], size=(60, 40))
    truth = np.zeros((60, 80), dtype=int)
    truth[:, 40:] = 1
    model = ImageSegmenter(
        features="texture", mode="direct", n_cells=200, random_state=seed
    )
    assert agreement(model.fit_predict(image.astype(np.uint8)), truth) > 0.7


@pytest.mark.parametrize("mode", ["direct", "recursive"])
@pytest.mark.parametrize("features", ["auto", "rgb"])
def test_predict_is_labels_and_extends(random, seed, mode, features):
    image, _ = picture(random, 3)
    model = ImageSegmenter(
        3, features=features, mode=mode, n_cells=300, random_state=seed
    ).fit(image)
    assert np.array_equal(model.predict(image), model.labels_)
    mirrored = model.predict(image[:, ::-1])
    assert (mirrored[:, ::-1] == model.labels_).mean() > 0.95


def test_same_seed_same_labels(random, seed):
    image, _ = picture(random, 4, noise=40.0)
    model = ImageSegmenter(4, n_cells=200, random_state=seed)
    assert np.array_equal(model.fit_predict(image), clone(model).fit_predict(image))


def test_colours_cost_no_pixels(random, seed):
    """A picture and one with each pixel four times have the same segments."""
    image, _ = picture(random, 3)
    image = image // 16 * 16
    large = image.repeat(2, axis=0).repeat(2, axis=1)
    model = ImageSegmenter(
        3, features="rgb", mode="direct", n_cells=5000, random_state=seed
    )
    small = model.fit_predict(image)
    assert agreement(model.fit_predict(large)[::2, ::2], small) == 1.0


def test_scribbles_stay_and_choose(random, seed):
    """Strokes decide which of three regions belong together."""
    image, regions = picture(random, 3)
    strokes = np.zeros(regions.shape, dtype=int)
    strokes[2, 5:70] = strokes[48, 15:50] = 7  # ground and bar
    strokes[25, 22:38] = 9  # disc
    model = ImageSegmenter(n_cells=300, random_state=seed).fit(image, scribbles=strokes)
    assert np.array_equal(model.classes_, [7, 9])
    assert jaccard_overlap(regions == 1, model.labels_ == 1) > 0.9
    marked = strokes > 0
    assert np.array_equal(model.classes_[model.labels_][marked], strokes[marked])
    assert (model.predict(image) == model.labels_).mean() > 0.9


def test_further_strokes_refine(random, seed):
    """The bar is taken for ground until a stroke says that it is part of the object."""
    image, regions = picture(random, 3)
    strokes = np.zeros(regions.shape, dtype=int)
    strokes[2, 5:70] = strokes[48, 15:50] = 1
    strokes[25, 22:38] = 2
    model = ImageSegmenter(n_cells=300, random_state=seed).fit(image, scribbles=strokes)
    assert jaccard_overlap(regions == 1, model.labels_ == 1) > 0.9
    more = np.zeros(regions.shape, dtype=int)
    more[48, 15:50] = 2
    model.refine(more)
    assert jaccard_overlap(regions >= 1, model.labels_ == 1) > 0.9
    both = np.where(more > 0, more, strokes)
    again = clone(model).fit(image, scribbles=both)
    assert np.array_equal(again.labels_, model.labels_)
    with pytest.raises(ValueError, match="no image to refine"):
        ImageSegmenter().refine(strokes)


def test_strokes_reach_behind_an_object(random):
    """A post divides the ground, which has a stroke on one side of it."""
    truth = np.zeros((80, 120), dtype=int)
    truth[:, 56:64] = 1
    image = COLORS[[1, 0]][truth] + 8.0 * random.randn(80, 120, 3)
    strokes = np.zeros_like(truth)
    strokes[10:60, 20] = 1
    strokes[10:60, 60] = 2
    image = np.clip(image, 0, 255).astype(np.uint8)
    labels = ImageSegmenter(n_cells=300).fit_predict(image, scribbles=strokes)
    assert (labels == truth).mean() > 0.98


def test_ground_seen_through_a_lattice(random):
    """Squares of the ground that no stroke reaches have the texture of the lattice."""
    truth = np.zeros((120, 120), dtype=int)
    truth[15:105, 15:105] = 1
    for row in range(21, 100, 14):
        for column in range(21, 100, 14):
            truth[row : row + 8, column : column + 8] = 0
    image = COLORS[[0, 3]][truth] + 15.0 * random.randn(120, 120, 3)
    strokes = np.zeros_like(truth)
    strokes[4:7, 10:100] = 1
    strokes[16:19, 20:100] = 2
    image = np.clip(image, 0, 255).astype(np.uint8)
    labels = ImageSegmenter().fit_predict(image, scribbles=strokes)
    assert jaccard_overlap(truth == 1, labels == 1) > 0.95


def test_strokes_at_twice_the_resolution(random):
    """Three labels; the segments do not depend on the resolution."""
    image, regions = picture(random, 3)
    strokes = np.zeros(regions.shape, dtype=int)
    strokes[2, 5:70], strokes[25, 22:38], strokes[48, 15:50] = 1, 2, 3
    model = ImageSegmenter(n_cells=300)
    labels = model.fit_predict(image, scribbles=strokes)
    assert (labels == regions).mean() > 0.97
    image, strokes = (a.repeat(2, axis=0).repeat(2, axis=1) for a in (image, strokes))
    twice = model.fit_predict(image, scribbles=strokes)
    assert (twice[::2, ::2] == labels).mean() > 0.97


def test_number_of_regions(random, seed):
    image, truth = picture(random, 4)
    model = ImageSegmenter("auto", n_cells=300, random_state=seed).fit(image)
    assert 4 <= len(model.classes_) <= 8  # blurred borders may be regions of their own
    assert agreement(model.labels_, truth) > 0.95
    plain = ImageSegmenter("auto").fit(np.full((20, 30), 7, dtype=np.uint8))
    assert not plain.labels_.any() and not plain.predict(np.eye(9)).any()
    with pytest.raises(ValueError, match="mode='regions'"):
        ImageSegmenter("auto", mode="direct").fit(image)


@pytest.mark.parametrize("n_clusters", [2, 3, 6])
def test_regions_are_connected(random, n_clusters):
    image, _ = picture(random, 4, noise=40.0)
    labels = ImageSegmenter(n_clusters, n_cells=300).fit_predict(image)
    assert connected_regions(labels).max() + 1 == n_clusters


def test_strokes_of_one_label_leave_the_other_open(random, seed):
    image, regions = picture(random)
    strokes = np.zeros(regions.shape, dtype=int)
    strokes[25, 22:38] = 1
    model = ImageSegmenter(2, n_cells=300, random_state=seed).fit(
        image, scribbles=strokes
    )
    assert np.array_equal(model.classes_, [1, 0])
    assert jaccard_overlap(regions == 1, model.labels_ == 0) > 0.9


def test_strokes_of_two_labels_in_one_cell():
    image = np.zeros((5, 7), dtype=np.uint8)
    image[:, 3:] = 200
    strokes = np.zeros((5, 7), dtype=int)
    strokes[0, :2] = 1, 2
    model = ImageSegmenter(3, n_cells=4).fit(image, scribbles=strokes)
    assert np.array_equal(model.classes_[model.labels_][0, :2], [1, 2])
    assert len(model.classes_) == 3 and (model.labels_[:, 3:] == 2).all()


@pytest.mark.parametrize("n_clusters", [2, 6])
def test_few_colours(n_clusters, seed):
    """Two colours, hardly different, and six shades of grey in a row."""
    shades = np.arange(100, 100 + n_clusters, dtype=np.uint8)
    image = shades.repeat(20)[None].repeat(15, axis=0)
    model = ImageSegmenter(n_clusters, features="rgb", mode="direct", random_state=seed)
    labels = model.fit_predict(image)
    assert labels.shape == image.shape
    assert len(np.unique(labels)) == n_clusters


@pytest.mark.parametrize("n_clusters", [2, 4, 8])
@pytest.mark.parametrize("features", ["rgb", "lab"])
def test_shades_of_grey(n_clusters, features, seed):
    """A wide kernel of one feature has a low rank: the width must shrink."""
    ramp = np.arange(256, dtype=np.uint8)[None].repeat(20, axis=0)
    model = ImageSegmenter(
        n_clusters, features=features, mode="direct", random_state=seed
    )
    labels = model.fit_predict(ramp)
    assert len(np.unique(labels)) == n_clusters
    # Each segment is an interval.
    assert np.count_nonzero(np.diff(labels[0])) == n_clusters - 1


def test_more_segments_than_cells():
    with pytest.raises(ValueError, match="fewer clusters"):
        ImageSegmenter(3, features="rgb", mode="direct").fit(np.eye(9))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_cells": 2.5}, "n_cells"),
        ({"mode": "tree"}, "mode"),
        ({"features": "colour"}, "features"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        ImageSegmenter(**parameters).fit(np.eye(9))


@pytest.mark.parametrize(
    ("strokes", "message"),
    [
        (np.zeros((9, 9), dtype=int), "no stroke"),
        (np.ones((9, 8), dtype=int), "shape"),
        (np.full((9, 9), 0.5), "array of ints"),
        (np.full((9, 9), -1), "negative"),
    ],
)
def test_bad_scribbles(strokes, message):
    with pytest.raises(ValueError, match=message):
        ImageSegmenter().fit(np.eye(9), scribbles=strokes)


def test_image_of_one_colour():
    with pytest.raises(ValueError, match="one colour"):
        ImageSegmenter().fit(np.zeros((20, 20, 3), dtype=np.uint8))
