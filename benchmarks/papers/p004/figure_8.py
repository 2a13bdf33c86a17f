"""Figure 8: photos in two segments, by k-means, EM and iterSVR.

The paper's photos are not named; these are five of the Berkeley data, at 241 x 161
pixels. Colours are the features and the kernel's width is 500, as in the paper, with
C = 500 and l = 0.3 n; which l the paper has here is not said, so 0.8 n is shown, too.
EM fits a mixture of two normal distributions; the paper's EM (Figueiredo and Jain,
2002) also chooses their number. The paper judges by eye. We add how far the segment
that is closest to the object covers what people drew as object: their overlap over
their union.
"""

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.papers.p004.photos import METHODS, PHOTOS, load_photo, segment, unpack
from benchmarks.region_metrics import jaccard_overlap
from maxmargin.segmentation.render import label_colors

TITLE = "Paper 004, Figure 8: photos in two segments"


def run(store, page):
    """Measure, draw and write the page."""
    page.text(__doc__.partition("\n")[2])
    names, every = store.pick(PHOTOS, PHOTOS[:2]), store.pick(2, 4)
    found, overlaps = {}, {}
    for name in names:
        for method in METHODS:
            cell = store.cell(
                f"{name}, {method}", lambda m=method, n=name: segment(m, n, every)
            )
            if cell is None:
                return
            image, drawn = load_photo(name, every)
            labels = unpack(cell[0], image.shape[:2])
            found[name, method] = labels
            overlaps[name.replace("_", " "), method] = max(
                jaccard_overlap(drawn, labels == h) for h in (0, 1)
            )
    page.picture(draw(names, every, found), "Photos and their segments")
    rows = [name.replace("_", " ") for name in names]
    for method in METHODS:
        overlaps["mean", method] = float(np.mean([overlaps[r, method] for r in rows]))
    page.table([*rows, "mean"], list(METHODS), overlaps, corner="overlap")
    page.text(
        "By eye, iterSVR has the cleanest bird, as the paper finds, if the limits let "
        "it. On the other photos colour alone tells the object from the ground for "
        "none of the methods, but for EM and the zebras. `ImageSegmenter()`, which "
        "merges neighbouring regions, has the zebras and the leopard, the vase with "
        "the floor, and the bird with all that is below its branch."
    )


def draw(names, every, found):
    """Return the picture: a column for each photo, a row for each method."""
    figure, axes = plt.subplots(
        1 + len(METHODS),
        len(names),
        figsize=(2.3 * len(names), 9.8),
        layout="constrained",
        squeeze=False,
    )
    for column, name in zip(axes.T, names, strict=True):
        image, drawn = load_photo(name, every)
        column[0].imshow(image)
        column[0].set_title(name.replace("_", " "), fontsize=10)
        for panel, method in zip(column[1:], METHODS, strict=True):
            labels = found[name, method]
            # The segment that covers more of the object has the second colour.
            if labels[drawn].mean() < labels[~drawn].mean():
                labels = 1 - labels
            panel.imshow(label_colors(labels.astype(np.int64)))
    for row, title in zip(axes, ("photo", *METHODS), strict=True):
        row[0].set_ylabel(title.strip("`"), fontsize=10)
    for panel in axes.ravel():
        panel.set(xticks=[], yticks=[])
    return figure
