"""Several runs from different starts, in parallel, the best of which wins."""

from collections.abc import Callable

import numpy as np
from joblib import Parallel, delayed

from maxmargin.search.balance import Balance
from maxmargin.search.result import OnIteration, SearchResult
from maxmargin.search.run import run_search
from maxmargin.search.start import fill_empty, plus_plus_labels, random_labels
from maxmargin.search.state import new_state, objective

SEARCHES = ("auto", "shaking", "steepest", "stochastic")


def default_starts(n_samples: int) -> int:
    """Return how many starts to try: more where they cost little.

    Among a handful of samples single ones decide, optima are many, and a start costs
    nothing: there are a hundred.
    """
    return max(4, min(10_000 // n_samples, 20) + 1_000 // n_samples)


def _one_sample_each(
    smoother: np.ndarray, weights: np.ndarray, balance: Balance
) -> SearchResult:
    """Return the only labelling with no more empty clusters than there must be."""
    labels = np.arange(len(weights))
    state = new_state(smoother, weights, balance.limits, labels, balance.power)
    value = objective(state)
    return SearchResult(labels, value, (value,), 0, True)


def best_of(
    one: Callable[[int, int], SearchResult],
    n_init: int,
    n_jobs: int | None,
    random_state: np.random.RandomState,
) -> SearchResult:
    """Return the best of the runs ``one(start, seed)``, the first one among equals.

    The seeds are drawn before the first run starts: the answer depends on
    ``random_state`` alone, not on ``n_jobs``, which is a number of threads.
    """
    seeds = random_state.randint(np.iinfo(np.int32).max, size=n_init)
    runs = Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(one)(start, seed) for start, seed in enumerate(seeds)
    )
    return max(runs, key=lambda run: run.objective)


def best_of_restarts(
    smoother: np.ndarray,
    weights: np.ndarray,
    balance: Balance,
    *,
    init: str | np.ndarray = "auto",
    n_init: int | None = None,
    search: str = "auto",
    max_iter: int = 1000,
    n_jobs: int | None = None,
    random_state: np.random.RandomState,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Return the run with the largest objective.

    Without ``n_init`` there are `default_starts` of them, with given labels one. With
    ``search="auto"`` two runs in three are shaken and the third descends at once; with
    ``init="auto"`` the former start from random labels, the latter from k-means++
    seeds. Shaking is the better search where clusters touch, and drives to equal sizes;
    seeds find clusters that are far apart, of any size.
    """
    n_clusters = len(balance.targets)
    if len(weights) <= n_clusters:
        return _one_sample_each(smoother, weights, balance)

    def one(start: int, seed: int) -> SearchResult:
        random = np.random.RandomState(seed)
        kind = search
        if search == "auto":
            kind = "stochastic" if start % 3 == 2 else "shaking"
        if isinstance(init, np.ndarray):
            labels = init
        elif init == "k-means++" or (init == "auto" and kind != "shaking"):
            labels = plus_plus_labels(smoother, weights, n_clusters, random)
        else:
            labels = random_labels(len(weights), n_clusters, random)
        return run_search(
            smoother,
            weights,
            fill_empty(labels, n_clusters, random),
            balance,
            random,
            search=kind,
            max_iter=max_iter,
            on_iteration=on_iteration,
        )

    if isinstance(init, np.ndarray):
        n_init = 1
    elif n_init is None:
        n_init = default_starts(len(weights))
    return best_of(one, n_init, n_jobs, random_state)
