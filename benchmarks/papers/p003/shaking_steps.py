"""The labels after each step of the shaking search, and a picture of them."""

import numpy as np
from matplotlib.figure import Figure

from maxmargin.plots.style import add_panels, cluster_color, scatter_clusters
from maxmargin.search.objective import PLAIN_SUM
from maxmargin.search.shaking import claim
from maxmargin.search.state import new_state
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import make_kernel
from maxmargin.smoothers.smoother import exact_smoother


def shaking_steps(X, n_clusters, n_rounds, random):
    """Run Algorithm 3; return the labels after each claim, and titles for them.

    The claims are those of `maxmargin.search.shaking.shake` with equal shares.
    """
    n_samples = len(X)
    weights = np.ones(n_samples)
    kernel = make_kernel("rbf", X, random=random)
    smoother = exact_smoother(kernel, X, weights, np.arange(n_samples), Ridge())
    labels = random.randint(n_clusters, size=n_samples)
    limits = np.array([[0.0] * n_clusters, [float(n_samples)] * n_clusters])
    state = new_state(smoother.matrix(), weights, limits, labels, PLAIN_SUM)
    buffer = np.empty(n_samples)
    steps, titles = [state.labels.copy()], ["random start"]
    share = n_samples / n_clusters
    for i in range(n_rounds):
        for d in range(n_clusters):
            limit = share / 2.0**i + share - state.sizes[d]
            n_claims = claim(state, d, int(limit), buffer) if limit >= 1 else 0
            steps.append(state.labels.copy())
            titles.append(f"round {i + 1}: cluster {d} claims {n_claims}")
    return steps, titles


def draw_steps(X, steps, titles):
    """Return a figure with a panel for each step, framed in the claimant's colour."""
    figure = Figure(layout="constrained")
    axes = add_panels(figure, len(steps), 4, (2.4, 2.4))
    for ax, labels, title in zip(axes.flat, steps, titles, strict=False):
        scatter_clusters(ax, X, labels, size=10)
        ax.set(xticks=[], yticks=[])
        ax.set_title(title, fontsize=9)
        claims = "claims" in title
        color = cluster_color(int(title.split()[3])) if claims else "#303030"
        for side in ax.spines.values():
            side.set(color=color, linewidth=1.5)
    return figure
