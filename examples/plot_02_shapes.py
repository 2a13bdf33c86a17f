"""
Clusters that bend
==================

k-means separates clusters halfway between their centres, so every cluster is a convex
cell. A large-margin classifier separates them where there are few samples, and this
boundary may have any shape.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from maxmargin import MaxMarginClustering
from maxmargin.plots import BoundaryDisplay


class KMeansRegions(KMeans):  # type: ignore[misc]
    """k-means with decision values, so that its regions can be drawn."""

    def decision_function(self, X: np.ndarray) -> Any:
        return -self.transform(X)


blobs, names = make_blobs(300, centers=3, random_state=170)
shapes = {
    "moons": make_moons(300, noise=0.06, random_state=0),
    "rings": make_circles(300, noise=0.05, factor=0.4, random_state=0),
    "slanted": (blobs @ [[0.6, -0.6], [-0.4, 0.8]], names),
}

# %%
# Colours show the clusters, the background shows their regions. The number is the
# adjusted Rand index, which is 1 if the clusters are the shapes.

figure, grid = plt.subplots(2, 3, figsize=(9, 6), layout="constrained")
for column, (name, (X, y)) in zip(grid.T, shapes.items(), strict=True):
    X = StandardScaler().fit_transform(X)
    k = len(set(y))
    methods: dict[str, Any] = {
        "maximum margin": MaxMarginClustering(k, random_state=0),
        "k-means": KMeansRegions(k, n_init=10, random_state=0),
    }
    for axes, (title, method) in zip(column, methods.items(), strict=True):
        labels = method.fit_predict(X)
        BoundaryDisplay.from_estimator(method, X, resolution=120, ax=axes)
        agreement = adjusted_rand_score(y, labels)
        axes.set_title(f"{title}, {name}: {agreement:.2f}", fontsize=10)
        axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
plt.show()
