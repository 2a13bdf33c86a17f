"""
Digits without labels
=====================

1797 small images of handwritten digits are clustered into ten clusters, without labels
and with default parameters.
"""

from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering

X, y = load_digits(return_X_y=True)
model = MaxMarginClustering(n_clusters=10, random_state=0).fit(X)

# %%
# The true labels are used only here, to evaluate the clusters. An adjusted Rand index
# of 1 is perfect agreement, 0 is that of random labels.

k_means = KMeans(10, n_init=10, random_state=0).fit_predict(X)
print(f"maximum margin  {adjusted_rand_score(y, model.labels_):.2f}")
print(f"k-means         {adjusted_rand_score(y, k_means):.2f}")

# %%
# Each row below is a cluster: its mean, then the ten digits with the largest margin to
# the other clusters, and the three with the smallest.

import matplotlib.pyplot as plt
import numpy as np

decisions = model.decision_function(X)
figure, grid = plt.subplots(10, 14, figsize=(8, 5.8), layout="constrained")
for h, row in enumerate(grid):
    own = np.flatnonzero(model.labels_ == h)
    others = np.delete(decisions[own], h, axis=1).max(axis=1)
    order = own[np.argsort(others - decisions[own, h])]
    pictures = [X[own].mean(axis=0), *X[order[:10]], *X[order[-3:]]]
    for j, (axes, picture) in enumerate(zip(row, pictures, strict=True)):
        axes.imshow(picture.reshape(8, 8), cmap="Blues" if j == 0 else "gray_r")
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
grid[0, 0].set_title("mean", fontsize=9)
grid[0, 5].set_title("most typical", fontsize=9, loc="left")
grid[0, 12].set_title("least typical", fontsize=9)
plt.show()
