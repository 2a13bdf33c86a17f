"""
How many clusters?
==================

:func:`maxmargin.selection.select_n_clusters` scores each number of clusters without
labels. The score compares the edges of the neighbour graph that a boundary between two
clusters cuts with those that a split of a cluster would cut. It is negative for data
without clusters.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

from maxmargin import MaxMarginClustering
from maxmargin.plots import ClusterCountDisplay, ClusterMapDisplay
from maxmargin.selection import select_n_clusters

centers = [(0, 0), (4, 1), (1, 5), (6, 5), (9, 1), (10, 7)]
X, _ = make_blobs(400, centers=centers, cluster_std=0.7, random_state=0)
table = select_n_clusters(X, range(1, 11), random_state=0)
print(table)

# %%
# The left plot shows the score and its parts, the right one the clusters at the best
# number. ``MaxMarginClustering("auto")`` does both steps.

clusters = MaxMarginClustering(table.best, random_state=0).fit(X)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
ClusterCountDisplay.from_table(table, ax=left)
ClusterMapDisplay.from_estimator(clusters, X, ax=right)
plt.show()
