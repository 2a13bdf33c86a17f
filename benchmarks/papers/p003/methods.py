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
# The paper has a "Gaussian kernel" of "width sigma" and no formula: the usual one is
# exp(-|x - x'|^2 / 2 sigma^2); papers 000 and 004 have sigma^2 in place of 2 sigma^2.
TWO_SQUARES, ONE_SQUARE = 2.0, 1.0
SUM_LIMIT, TOLERANCE = 10.0, 0.01  # l, and alpha and epsilon, of CPMMC
CPMMC_RUNS, CPMMC_PLANES = 3, 60  # at each point of the grid, to save time


def gamma_of(data, width, squares=TWO_SQUARES):
    """Return gamma for a width as a share of the largest distance."""
    return 1.0 / (squares * (width * data.extent) ** 2)


def smoother_matrix(data, width, ridge, squares=TWO_SQUARES):
    """Return R = K (K + ridge I)^-1."""
    kernel = Kernel("rbf", {"gamma": gamma_of(data, width, squares)})
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


def tune_search(
    data, method, squares=TWO_SQUARES, ridges=RIDGES, widths=WIDTHS, runs=10
):
    """Return the best setting of a search and the indices of ten further runs."""
    points = list(itertools.product(widths, ridges))
    tried = [
        np.mean(
            search_indices(
                smoother_matrix(data, *point, squares), data, method, range(runs)
            )
        )
        for point in points
    ]
    width, ridge = points[int(np.argmax(tried))]
    setting = {"width": width, "ridge": ridge}
    return repeat_search(data, method, setting, squares, runs)


def repeat_search(data, method, setting, squares=TWO_SQUARES, runs=10):
    """Return a setting and the indices of the ten runs after those that chose it."""
    R = smoother_matrix(data, **setting, squares=squares)
    found = search_indices(R, data, method, range(runs, runs + 10))
    return {"setting": setting, "indices": found}


def cutting_plane_indices(data, width, ridge, seeds):
    """Return the index of each run of multi-class CPMMC.

    The regularisation parameter lambda of its source is 1 / C.
    """
    model = CuttingPlaneMaxMarginClustering(
        data.n_clusters,
        kernel="rbf",
        gamma=gamma_of(data, width),
        C=1.0 / ridge,
        sum_limit=SUM_LIMIT,
        tol=TOLERANCE,
        cccp_tol=TOLERANCE,
        max_iter=CPMMC_PLANES,
    )
    return [
        float(
            adjusted_rand_score(
                data.y, model.set_params(random_state=seed).fit(data.X).labels_
            )
        )
        for seed in seeds
    ]


def tune_cutting_planes(data, ridges=RIDGES, widths=WIDTHS, runs=CPMMC_RUNS):
    """Return the best setting of multi-class CPMMC and the indices of further runs."""
    points = list(itertools.product(widths, ridges))
    tried = [
        np.mean(cutting_plane_indices(data, *point, range(runs))) for point in points
    ]
    width, ridge = points[int(np.argmax(tried))]
    return repeat_cutting_planes(data, {"width": width, "ridge": ridge}, runs)


def repeat_cutting_planes(data, setting, runs=CPMMC_RUNS):
    """Return a setting and the indices of the ten runs after those that chose it."""
    found = cutting_plane_indices(data, **setting, seeds=range(runs, runs + 10))
    return {"setting": setting, "indices": found}


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
