"""
A photo in segments
===================

:class:`maxmargin.ImageSegmenter` segments a photo by colour and texture. If that is not
enough, a few strokes mark the segments.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from maxmargin import ImageSegmenter
from maxmargin.segmentation import draw_boundaries, overlay

image = load_sample_image("flower.jpg")[::2, ::2]
alone = ImageSegmenter(3, random_state=0).fit_predict(image)

# %%
# One stroke marks the flower, two mark the background.

strokes = np.zeros(image.shape[:2], dtype=int)
strokes[70:130, 130] = 1
strokes[20, 20:300] = 2
strokes[190, 20:140] = 2
guided = ImageSegmenter(2, random_state=0).fit_predict(image, scribbles=strokes)

# %%
# From left to right: the photo with the strokes, three segments found without strokes,
# and the two segments found with them.

marked = image.copy()
marked[strokes == 1] = (255, 255, 255)
marked[strokes == 2] = (255, 220, 0)
pictures = {
    "strokes": marked,
    "three segments, no strokes": overlay(image, alone),
    "with the strokes": draw_boundaries(image, guided),
}
figure, grid = plt.subplots(1, 3, figsize=(10, 2.6), layout="constrained")
for axes, (title, picture) in zip(grid, pictures.items(), strict=True):
    axes.imshow(picture)
    axes.set_title(title, fontsize=10)
    axes.set_axis_off()
plt.show()
