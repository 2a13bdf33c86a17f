"""
A few labels
============

Two labels, one in each moon, are enough for
:class:`maxmargin.SemiSupervisedMaxMargin`. It keeps them, and finds the other labels so
that the margin is large. A classifier trained on the two labelled samples alone has
many errors.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.svm import SVC

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.plots import BoundaryDisplay

X, y = make_moons(300, noise=0.06, random_state=1)
known = [int(np.flatnonzero(y == h)[0]) for h in (0, 1)]
few = np.full(len(y), -1)
few[known] = y[known]

methods = {
    "with the unlabelled samples": SemiSupervisedMaxMargin(random_state=0).fit(X, few),
    "labelled samples alone (SVC)": SVC().fit(X[known], y[known]),
}

figure, grid = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for axes, (name, model) in zip(grid, methods.items(), strict=True):
    BoundaryDisplay.from_estimator(model, X, resolution=120, ax=axes)
    axes.scatter(*X[known].T, s=160, marker="*", color="black", zorder=5)
    axes.set_title(f"{name}: {(model.predict(X) == y).mean():.0%} right", fontsize=10)
    axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
plt.show()
