"""
Evolving data
=============

Three groups of customers move from month to month. Some customers change their group,
some come and some leave. If each month were clustered independently, the labels of the
clusters would change at random. Here each snapshot is clustered together with the
previous one: the regions follow the data, and clusters keep their labels.
"""

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.datasets import TimedSamples
from maxmargin.plots import DriftDisplay, TimelineDisplay

random = np.random.RandomState(0)
n_people, n_months = 240, 4
groups = random.randint(3, size=n_people)
centers = np.array([[0.0, 0.0], [5.0, 0.0], [2.0, 5.0]])
drift = np.array([[0.3, 0.7], [0.6, 0.9], [-0.5, 0.4]])
months = []
for month in range(n_months):
    changing = random.rand(n_people) < 0.06
    groups[changing] = random.randint(3, size=changing.sum())
    here = np.flatnonzero(random.rand(n_people) < 0.9)
    X = centers[groups[here]] + random.randn(len(here), 2)
    months.append(TimedSamples(f"month {month + 1}", here, X, groups[here]))
    centers = centers + drift

clusters = EvolvingMaxMarginClustering(3, random_state=0)
figure, axes = plt.subplots(1, n_months, figsize=(11, 3), layout="constrained")
DriftDisplay.from_estimator(clusters, months, resolution=80, axes=axes)

# %%
# Each band is a cluster, and its height is the number of customers. The ribbons show
# the clusters in which they are a month later.
for snapshot in months:
    clusters.partial_fit(snapshot.X, ids=snapshot.ids, time=snapshot.time)
TimelineDisplay.from_history(clusters.history_)
plt.show()
