"""
Many samples
============

With a kernel the search works on at most 4000 samples. A classifier is trained on their
labels, improved in passes over more samples, and labels the rest. So a fit on a hundred
times as many samples takes only a few times as long.
"""

import time

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons

from maxmargin import MaxMarginClustering
from maxmargin.metrics import clustering_error
from maxmargin.plots import BoundaryDisplay

sizes = [1_000, 10_000, 100_000]
clusters = MaxMarginClustering(2, kernel="rbf", random_state=0)
clusters.fit(make_moons(5_000, noise=0.1)[0])  # load or compile the loops

seconds = []
for n in sizes:
    X, y = make_moons(n, noise=0.1, random_state=0)
    start = time.perf_counter()
    clusters.fit(X)
    seconds.append(time.perf_counter() - start)
    error = clustering_error(y, clusters.labels_)
    print(f"{n:>7} samples: {seconds[-1]:.1f} seconds, {error:.1%} wrong")

# %%
# The right plot shows the boundary of the last fit, with some of its samples.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.loglog(sizes, seconds, "o-", lw=2, label="measured")
linear = [seconds[0] * n / sizes[0] for n in sizes]
left.loglog(sizes, linear, ls=":", color="gray", label="proportional to the samples")
left.set(xlabel="samples", ylabel="seconds of a fit")
left.legend()
BoundaryDisplay.from_estimator(clusters, X[:500], resolution=120, ax=right)
plt.show()
