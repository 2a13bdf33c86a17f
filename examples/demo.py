"""Cluster the handwritten digits, beside four other methods, and draw the result.

Run with ``make demo``. Prints a table and writes ``docs/images/digits.png``.
"""

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "digits.png"
# Ten colours that colour-blind people can tell apart (Petroff 2021).
COLORS = ["#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6",
          "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd"]  # fmt: skip


def methods():
    """Return the methods by name, each at its defaults and told k = 10."""
    return {
        "MaxMarginClustering": MaxMarginClustering(10, random_state=0),
        "k-means": KMeans(10, n_init=10, random_state=0),
        "Gaussian mixture": GaussianMixture(10, reg_covar=1e-3, random_state=0),
        "Spectral": SpectralClustering(
            10, affinity="nearest_neighbors", random_state=0
        ),
        "Ward": AgglomerativeClustering(10),
    }


def compare(X, y):
    """Cluster with each method; print a table and return the labels of ours."""
    MaxMarginClustering(2).fit(X[:50])  # compile before the clock runs
    print(f"{len(X)} handwritten digits, {X.shape[1]} pixels, no label given\n")
    print(f"{'method':<22}{'ARI':>6}{'seconds':>10}")
    ours = None
    for name, method in methods().items():
        start = time.perf_counter()
        labels = method.fit_predict(X)
        seconds = time.perf_counter() - start
        print(f"{name:<22}{adjusted_rand_score(y, labels):>6.3f}{seconds:>10.2f}")
        ours = labels if ours is None else ours
    return ours


def draw(X, labels, centers_of):
    """Draw a map of the samples by cluster, and the average digit of each cluster."""
    positions = TSNE(init="pca", random_state=0).fit_transform(X)
    figure = plt.figure(figsize=(10, 5.6), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[3, 2])
    axes = left.subplots()
    for h in range(10):
        own = positions[labels == h]
        axes.scatter(*own.T, s=6, color=COLORS[h], linewidths=0)
        axes.annotate(
            str(h), np.median(own, axis=0), ha="center", va="center", fontsize=13,
            fontweight="bold", color="white",
            bbox={"boxstyle": "circle,pad=0.25", "fc": COLORS[h], "ec": "white"},
        )  # fmt: skip
    axes.set_axis_off()
    left.suptitle(f"{len(X)} digits in ten clusters found without labels")
    right.suptitle("The average digit of each cluster")
    for h, cell in enumerate(right.subplots(5, 2).flat):
        cell.set_axis_off()
        if h < 10:
            cell.imshow(centers_of[h].reshape(8, 8), cmap="gray_r")
            cell.set_title(f"{h}", color=COLORS[h], fontweight="bold", fontsize=11)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=110)
    print(f"\nThe picture is in {PICTURE.relative_to(Path.cwd())}")


def main():
    """Compare and draw."""
    X, y = load_digits(return_X_y=True)
    labels = compare(X, y)
    order = np.argsort([np.bincount(y[labels == h]).argmax() for h in range(10)])
    labels = np.argsort(order)[labels]  # clusters numbered by their commonest digit
    draw(X, labels, [X[labels == h].mean(axis=0) for h in range(10)])


if __name__ == "__main__":
    main()
