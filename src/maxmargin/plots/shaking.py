"""`ShakingDisplay`: the labels after each step of the shaking search."""

from typing import Any, Self

import numpy as np
from sklearn.utils import check_array, check_random_state

from maxmargin.plots.style import (
    add_panels,
    cluster_color,
    new_figure,
    principal_plane,
    scatter_clusters,
)
from maxmargin.search.objective import PLAIN_SUM
from maxmargin.search.shaking import claim
from maxmargin.search.state import new_state
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import make_kernel
from maxmargin.smoothers.smoother import exact_smoother


class ShakingDisplay:
    """The labels after each step of the shaking search, as in Figure 2 of [1]_.

    The first panel has the random initial labels, each other panel the labels after one
    cluster has claimed samples. The number of claimed samples is halved in each round.

    Parameters
    ----------
    positions : ndarray of shape (n_samples, 2)
    steps : sequence of ndarray of shape (n_samples,)
        The labels in each panel.
    titles : sequence of str
        The title of each panel.

    Attributes
    ----------
    axes_ : ndarray of matplotlib Axes
    figure_ : matplotlib Figure

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology 29(1), 2014. doi:10.1007/s11390-014-1414-0

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from maxmargin.plots import ShakingDisplay
    >>> X, _ = make_blobs(90, random_state=0)
    >>> display = ShakingDisplay.from_samples(X, 3, n_rounds=2, random_state=0)
    >>> len(display.steps)
    7
    """

    def __init__(self, positions: Any, steps: Any, titles: Any) -> None:
        self.positions = positions
        self.steps = steps
        self.titles = titles

    @classmethod
    def from_samples(
        cls, X: Any, n_clusters: Any, *, n_rounds: Any = 4, random_state: Any = None
    ) -> Self:
        """Run the search with an RBF kernel and plot its steps.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            At most a few thousand samples.
        n_clusters : int
        n_rounds : int, default=4
            Number of rounds, each with a panel for each cluster.
        random_state : int, RandomState instance or None, default=None
            Seed of the initial labels.

        Returns
        -------
        display : ShakingDisplay
        """
        X = check_array(X, dtype=np.float64, ensure_min_samples=max(2, n_clusters))
        random = check_random_state(random_state)
        steps, titles = shaking_steps(X, n_clusters, n_rounds, random)
        positions = X if X.shape[1] == 2 else principal_plane(X).positions
        return cls(positions, steps, titles).plot()

    def plot(self, *, size: Any = 10) -> Self:
        """Plot a panel for each step.

        Parameters
        ----------
        size : float, default=10
            Size of the markers.

        Returns
        -------
        display : ShakingDisplay
        """
        figure = new_figure()
        axes = add_panels(figure, len(self.steps), 4, (2.4, 2.4))
        for ax, labels, title in zip(axes.flat, self.steps, self.titles, strict=False):
            scatter_clusters(ax, self.positions, labels, size=size)
            ax.set(xticks=[], yticks=[])
            color = "#303030"
            if "claims" in title:
                color = cluster_color(int(title.split("cluster ")[1].split()[0]))
            ax.set_title(title, fontsize=9)
            for side in ax.spines.values():
                side.set_color(color)
                side.set_linewidth(1.5)
        self.axes_, self.figure_ = axes, figure
        return self


def shaking_steps(
    X: np.ndarray, n_clusters: int, n_rounds: int, random: np.random.RandomState
) -> tuple[list[np.ndarray], list[str]]:
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
