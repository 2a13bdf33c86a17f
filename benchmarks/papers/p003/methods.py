"""The methods of paper 003, each as a function that returns indices of ten runs.

Ridge and kernel width of the first four come from a grid: each point has ten runs, the
one with the best mean adjusted Rand index wins, and ten further runs are reported. So
labels choose, as in the paper.
"""

import itertools

import numpy as np
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from maxmargin import MaxMarginClustering
from maxmargin.published import CuttingPlaneMaxMarginClustering
from maxmargin.search.balance import make_balance
from maxmargin.search.objective import PLAIN_SUM
from maxmargin.search.runs import random_labels, run_search
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import Kernel
from maxmargin.smoothers.smoother import exact_smoother

SEARCHES = {"Stoc-RLS": "stochastic", "Steep-RLS": "steepest", "UMC-RLS": "shaking"}
RIDGES = tuple(2.0**power for power in range(-10, 0))
WIDTHS = tuple(round(0.1 * step, 1) for step in range(1, 11))  # shares of the extent
# CPMMC has the weight of the loss in place of the ridge, for samples of norm one.
WEIGHTS = (10.0, 100.0)
BALANCE = 0.3  # of CPMMC; the paper has l = 10, by preliminary experiments


def smoother_matrix(data, width, ridge):
    """Return R = K (K + ridge I)^-1 for ``exp(-|x - x'|^2 / sigma^2)``."""
    kernel = Kernel("rbf", {"gamma": 1.0 / (width * data.extent) ** 2})
    n_samples = len(data.X)
    return exact_smoother(
        kernel, data.X, np.ones(n_samples), np.arange(n_samples), Ridge(ridge)
    ).matrix()


def search_once(R, data, method, seed):
    """Run Algorithm 1, 2 or 3 from random labels on the plain sum.

    The paper says that labels start at random; the library that it names as its
    implementation (RLScore) draws as many of each cluster, and so do we.
    """
    random = np.random.RandomState(seed)
    weights = np.ones(len(R))
    labels = random_labels(len(R), data.n_clusters, random)
    balance = make_balance("free", data.n_clusters, weights, PLAIN_SUM)
    return run_search(R, weights, labels, balance, random, search=SEARCHES[method])


def search_indices(R, data, method, seeds):
    """Return the index of each run."""
    return [
        float(adjusted_rand_score(data.y, search_once(R, data, method, seed).labels))
        for seed in seeds
    ]


def tune_search(data, method, ridges=RIDGES, widths=WIDTHS, runs=10):
    """Return the best setting of a search and the indices of ten further runs."""
    points = list(itertools.product(widths, ridges))
    tried = [
        np.mean(
            search_indices(smoother_matrix(data, *point), data, method, range(runs))
        )
        for point in points
    ]
    width, ridge = points[int(np.argmax(tried))]
    return repeat_search(data, method, {"width": width, "ridge": ridge}, runs)


def repeat_search(data, method, setting, runs=10):
    """Return a setting and the indices of the ten runs after those that chose it."""
    R = smoother_matrix(data, **setting)
    found = search_indices(R, data, method, range(runs, runs + 10))
    return {"setting": setting, "indices": found}


def tune_cutting_planes(data, weights=WEIGHTS, widths=WIDTHS, runs=2):
    """Return the best setting of multi-class CPMMC and the indices of further runs."""

    def indices(width, C, seeds):
        model = CuttingPlaneMaxMarginClustering(
            data.n_clusters,
            kernel="rbf",
            gamma=1.0 / (width * data.extent) ** 2,
            C=C,
            balance=BALANCE,
            tol=0.01,
            n_init=1,
        )
        return [
            float(
                adjusted_rand_score(
                    data.y, model.set_params(random_state=seed).fit(data.X).labels_
                )
            )
            for seed in seeds
        ]

    points = list(itertools.product(widths, weights))
    tried = [np.mean(indices(*point, range(runs))) for point in points]
    width, C = points[int(np.argmax(tried))]
    found = indices(width, C, range(runs, runs + 10))
    return {"setting": {"width": width, "C": C}, "indices": found}


# What has no parameters to choose. Mixtures are given the 1e-3 on the diagonal that
# scikit-learn had at the time; k-means has one start, as the printed spreads tell.
PEERS = {
    "SC": lambda k, seed: SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=10, random_state=seed
    ),
    "GMM": lambda k, seed: GaussianMixture(k, reg_covar=1e-3, random_state=seed),
    "K-means": lambda k, seed: KMeans(k, n_init=1, random_state=seed),
}
DEFAULTS = {
    "MaxMarginClustering": lambda k, seed: MaxMarginClustering(k, random_state=seed),
    "CuttingPlaneMaxMarginClustering": lambda k, seed: CuttingPlaneMaxMarginClustering(
        k, random_state=seed
    ),
}


def peer_indices(data, make, runs=10):
    """Return the index of each run."""
    return [
        float(
            adjusted_rand_score(data.y, make(data.n_clusters, seed).fit_predict(data.X))
        )
        for seed in range(runs)
    ]
