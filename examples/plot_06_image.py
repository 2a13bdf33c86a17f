"""
A photo in segments
===================

:class:`maxmargin.ImageSegmenter` puts the pixels of a photo into segments, by colour
and texture. A few strokes say what is meant, where that is not enough.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from maxmargin import ImageSegmenter
from maxmargin.segmentation import draw_boundaries, overlay

image = load_sample_image("flower.jpg")[::2, ::2]
alone = ImageSegmenter(3, random_state=0).fit_predict(image)

# %%
# One stroke through the flower, one through what is behind it.

strokes = np.zeros(image.shape[:2], dtype=int)
strokes[70:130, 130] = 1
strokes[20, 20:300] = 2
strokes[190, 20:140] = 2
guided = ImageSegmenter(2, random_state=0).fit_predict(image, scribbles=strokes)

# %%
# On the left the photo with the strokes; then three segments found without a hint; then
# the two that the strokes ask for.

marked = image.copy()
marked[strokes == 1] = (255, 255, 255)
marked[strokes == 2] = (255, 220, 0)
pictures = {
    "strokes": marked,
    "three segments, no hint": overlay(image, alone),
    "with the strokes": draw_boundaries(image, guided),
}
figure, grid = plt.subplots(1, 3, figsize=(10, 2.6), layout="constrained")
for axes, (title, picture) in zip(grid, pictures.items(), strict=True):
    axes.imshow(picture)
    axes.set_title(title, fontsize=10)
    axes.set_axis_off()
plt.show()
