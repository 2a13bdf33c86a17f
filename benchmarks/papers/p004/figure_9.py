"""Figure 9: a photo parted in two again and again by iterSVR.

The paper parts a woman from the background, then skin and clothes, and so on. Here
`RecursiveBisection` does so with a horse and its foal: the segment whose parts a
classifier tells apart best is parted next. Settings are those of Figure 8.
"""

import matplotlib.pyplot as plt
import numpy as np

from benchmarks.papers.p004.photos import ITERATIVE, load_photo, pack, pixels, unpack
from maxmargin.published import RecursiveBisection
from maxmargin.segmentation.render import PALETTE

TITLE = "Paper 004, Figure 9: a photo parted again and again"
PHOTO = "horse_and_foal"
COUNTS = (2, 3, 4, 5)


def part(image, n_clusters):
    """Return the segments, the largest first."""
    machine = RecursiveBisection(ITERATIVE, n_clusters, random_state=0)
    labels = machine.fit(pixels(image)).labels_
    sizes = np.bincount(labels)
    return np.argsort(np.argsort(-sizes, kind="stable"))[labels]


def run(store, page):
    """Measure, draw and write the page."""
    page.text(__doc__.partition("\n")[2])
    every = store.pick(2, 5)
    found = {
        k: store.cell(
            f"{k} segments", lambda k=k: pack(part(load_photo(PHOTO, every)[0], k))
        )
        for k in COUNTS
    }
    if None in found.values():
        return
    image, _ = load_photo(PHOTO, every)
    figure, axes = plt.subplots(
        1, 1 + len(COUNTS), figsize=(13, 2.2), layout="constrained"
    )
    axes[0].imshow(image)
    axes[0].set_title("photo", fontsize=10)
    for panel, k in zip(axes[1:], COUNTS, strict=True):
        panel.imshow(PALETTE[unpack(found[k], image.shape[:2])])
        panel.set_title(f"{k} segments", fontsize=10)
    for panel in axes:
        panel.set_axis_off()
    page.picture(figure, "A photo in two to five segments")
