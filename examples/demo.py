"""Cluster the handwritten digits with five methods, and plot the clusters.

``make demo`` prints a table and writes the plot to ``demo/digits.png``, in a folder
that git ignores. ``python examples/demo.py docs/images/digits.png`` writes the picture
of the README.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering

# Ten colours that colour-blind people can distinguish (Petroff 2021).
COLORS = ["#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6",
          "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd"]  # fmt: skip


def methods() -> dict[str, Any]:
    """Return the methods by name, with ten clusters."""
    return {
        "MaxMarginClustering": MaxMarginClustering(10, random_state=0),
        "k-means": KMeans(10, n_init=10, random_state=0),
        "Gaussian mixture": GaussianMixture(10, reg_covar=1e-3, random_state=0),
        "Spectral": SpectralClustering(
            10, affinity="nearest_neighbors", random_state=0
        ),
        "Ward": AgglomerativeClustering(10),
    }


def compare(X: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Cluster with each method and print a table; return the labels by method."""
    MaxMarginClustering(2).fit(X[:50])  # load or compile the loops before timing
    print(f"{len(X)} handwritten digits, {X.shape[1]} pixels, clustered without labels")
    print("\nARI is the adjusted Rand index, the agreement with the true digits:")
    print("1 is perfect, 0 is random.\n")
    print(f"{'method':<22}{'ARI':>6}{'seconds':>10}")
    found = {}
    for name, method in methods().items():
        start = time.perf_counter()
        found[name] = method.fit_predict(X)
        seconds = time.perf_counter() - start
        print(f"{name:<22}{adjusted_rand_score(y, found[name]):>6.3f}{seconds:>10.2f}")
    return found


def plot(X: np.ndarray, labels: np.ndarray, means: list[np.ndarray]) -> Figure:
    """Return a figure: a map of the samples, and the mean digit of each cluster."""
    positions = TSNE(init="pca", random_state=0).fit_transform(X)
    figure = plt.figure(figsize=(10, 5.6), layout="constrained")
    halves: Any = figure.subfigures(1, 2, width_ratios=[3, 2])
    left, right = halves
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
    right.suptitle("The mean digit of each cluster")
    for h, cell in enumerate(right.subplots(5, 2).flat):
        cell.set_axis_off()
        cell.imshow(means[h].reshape(8, 8), cmap="gray_r")
        cell.set_title(f"{h}", color=COLORS[h], fontweight="bold", fontsize=11)
    return figure


def main() -> None:
    """Compare the methods, and plot the clusters of the first one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picture", nargs="?", type=Path, default="demo/digits.png")
    picture = parser.parse_args().picture
    X, y = load_digits(return_X_y=True)
    labels = compare(X, y)["MaxMarginClustering"]
    order = np.argsort([np.bincount(y[labels == h]).argmax() for h in range(10)])
    labels = np.argsort(order)[labels]  # clusters numbered by their most frequent digit
    figure = plot(X, labels, [X[labels == h].mean(axis=0) for h in range(10)])
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=110)
    print(f"\nWrote {picture}, a map of the clusters of MaxMarginClustering.")
    print("See and correct clusters on a page: pip install '.[app]' && maxmargin app")


if __name__ == "__main__":
    main()
