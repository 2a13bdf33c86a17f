"""Merging of regions against a naive version that has nothing but the formula."""

import numpy as np
import pytest
from scipy import ndimage

from maxmargin.segmentation.regions import (
    Borders,
    CellMerges,
    connected_regions,
    count_regions,
    find_borders,
    merge_cells,
    pixel_contrast,
)


def naive_merges(cells, lab, features, given):
    """Merge sets of pixels, with means, sizes and borders computed anew each time."""
    across, down = pixel_contrast(lab, 1), pixel_contrast(lab, 0)
    regions, labels = cells.copy(), dict(enumerate(given))
    costs = []
    while True:
        borders = {}
        for i in range(cells.shape[0]):
            for j in range(cells.shape[1]):
                for a, b, values in ((i, j + 1, across), (i + 1, j, down)):
                    if a < cells.shape[0] and b < cells.shape[1]:
                        pair = tuple(sorted((regions[i, j], regions[a, b])))
                        if pair[0] != pair[1]:
                            borders.setdefault(pair, []).append(values[i, j])
        best = None
        for (one, two), contrast in borders.items():
            if labels[one] >= 0 and labels[two] >= 0 and labels[one] != labels[two]:
                continue
            m, n = (features[regions == r].mean(axis=0) for r in (one, two))
            sizes = [np.count_nonzero(regions == r) for r in (one, two)]
            factor = np.sqrt(sizes[0] * sizes[1] / sum(sizes))
            cost = factor * np.linalg.norm(m - n) * np.mean(contrast)
            best = min(best or (np.inf,), (cost, one, two))
        if best is None:
            return regions, np.array(costs)
        costs.append(best[0])
        labels[best[1]] = max(labels[best[1]], labels[best[2]])
        regions[regions == best[2]] = best[1]


@pytest.mark.parametrize("labelled", [False, True])
def test_merges_equal_naive_ones(random, labelled):
    lab = 50 * random.rand(12, 14, 3)
    cells = (np.arange(12) // 3)[:, None] * 5 + np.arange(14) // 3
    n_cells = cells.max() + 1
    given = np.full(n_cells, -1)
    if labelled:
        given[[0, 7]], given[[3, 12]] = 0, 1
    sizes = np.bincount(cells.ravel())
    means = np.stack(
        [np.bincount(cells.ravel(), lab[..., c].ravel()) / sizes for c in range(3)], 1
    )
    merges = merge_cells(means, sizes, find_borders(cells, lab), given)
    expected, costs = naive_merges(cells, lab, lab, given)
    assert merges.costs == pytest.approx(costs)
    found = merges.regions(n_cells, len(costs))[cells]
    pairs = set(zip(found.flat, expected.flat, strict=True))
    assert len(pairs) == found.max() + 1 == len(np.unique(expected))


def test_connected_regions(random):
    labels = random.randint(2, size=(30, 40))
    found = connected_regions(labels)
    number = sum(ndimage.label(labels == value)[1] for value in (0, 1))
    assert found.max() + 1 == number
    for region in range(number):
        assert len(np.unique(labels[found == region])) == 1


def test_contrast_of_a_step():
    lab = np.zeros((9, 10, 3))
    lab[:, 5:, 0] = 30.0
    contrast = pixel_contrast(lab, 1)
    assert contrast.shape == (9, 9)
    assert contrast[4] == pytest.approx([0, 0, 10, 20, 30, 20, 10, 0, 0])
    assert not pixel_contrast(lab, 0).any()


def test_count_of_merges():
    merges = CellMerges(np.array([[0, 1], [2, 3], [0, 2]]), np.array([1.0, 500.0, 5.0]))
    assert count_regions(merges, 100) == 3  # until the first that costs more than 400
    assert count_regions(merges, 10000) == 1
    free, marked = np.full(4, -1), np.array([0, -1, 0, -1])
    assert [merges.count_until(k, free) for k in (4, 3, 1)] == [0, 1, 3]
    assert [merges.count_until(k, marked) for k in (3, 2, 1)] == [0, 1, 2]


def test_no_borders():
    none = Borders(*np.zeros((2, 0), dtype=np.int64), *np.zeros((2, 0)))
    assert len(merge_cells(np.ones((1, 3)), np.ones(1), none).costs) == 0
