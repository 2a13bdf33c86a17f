"""One run of a search, and the best of several from different starts."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.linalg import eigh, qr

from maxmargin.rows.threads import map_blocks
from maxmargin.search.balance import Balance
from maxmargin.search.descent import (
    repair_moves,
    steepest_descent,
    stochastic_descent,
    swap_descent,
)
from maxmargin.search.eigenpairs import largest_eigenpairs
from maxmargin.search.limits import IMPOSSIBLE, ROUNDING
from maxmargin.search.relocation import relocate_centers
from maxmargin.search.shaking import DECAY, LAST_ROUND, shake
from maxmargin.search.state import (
    OnIteration,
    SearchResult,
    State,
    new_state,
    objective_of,
)

EXACT_SIZE = 1000  # samples whose eigenvectors are exact
RECORD = 1e-9  # relative gain of a run that is better than those before it


def default_starts(n_samples: int) -> int:
    """Return the default number of starts, which falls with the number of samples.

    With a handful of samples local optima are many and a start costs nothing: there are
    a hundred.
    """
    return max(4, min(10_000 // n_samples, 20) + 1_000 // n_samples)


def run_search(
    smoother: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
    balance: Balance,
    random: np.random.RandomState,
    **options: Any,
) -> SearchResult:
    """Search from the given labels, with the options of `search_state`."""
    state = new_state(smoother, weights, balance.limits, labels, balance.objective)
    return search_state(state, balance, random, **options)


def search_state(
    state: State,
    balance: Balance,
    random: np.random.RandomState,
    *,
    search: str = "shaking",
    decay: float | str = DECAY,
    last_round: int = LAST_ROUND,
    swaps: bool = True,
    max_iter: int = 1000,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Search from the labels of a state, in place, until no single move improves them.

    With power 0 and no size limits this is the algorithm of the paper as printed. Else
    labels outside the size limits are repaired, which also fills empty clusters. With a
    positive power sweeps of single moves follow, and ``swaps`` if sizes are limited.
    """
    limit: dict[str, Any] = {"max_iter": max_iter, "on_iteration": on_iteration}
    stages = []
    if search == "shaking":
        keep_start = balance.objective.power > 0 and len(state.sizes) == 2
        stages.append(
            shake(
                state,
                balance.targets,
                first_round=int(keep_start),
                decay=decay,
                last_round=last_round,
                on_iteration=on_iteration,
            )
        )
    if repair_moves(state) < 0:
        raise ValueError(IMPOSSIBLE)
    if search == "steepest":
        stages.append(steepest_descent(state, **limit))
    elif search == "stochastic" or balance.objective.power > 0:
        plain = balance.objective.power == 0
        order = None if plain else random.permutation(len(state.labels))
        stages.append(stochastic_descent(state, order=order, **limit))
    if balance.bounded and swaps:
        stages.append(swap_descent(state, **limit))
    return _join_stages(stages)


def _join_stages(stages: list[SearchResult]) -> SearchResult:
    """Join the results of the stages of one run."""
    history = stages[0].history
    for stage in stages[1:]:
        history += stage.history[1:]
    return SearchResult(
        stages[-1].labels,
        stages[-1].objective,
        history,
        sum(stage.n_moves for stage in stages),
        stages[-1].converged,
    )


def random_labels(
    n_samples: int, n_clusters: int, random: np.random.RandomState
) -> np.ndarray:
    """Draw labels at random, with equal cluster sizes up to one."""
    return random.permutation(np.arange(n_samples) % n_clusters)


def plus_plus_labels(
    smoother: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    random: np.random.RandomState,
    given: np.ndarray | None = None,
) -> np.ndarray:
    """Draw k-means++ seeds in the space of the smoother and label by the nearest one.

    ``S_ij / (w_i w_j)`` is the inner product of samples i and j there, so that
    ``D_ij = S_ii / w_i^2 + S_jj / w_j^2 - 2 S_ij / (w_i w_j)``. The first seed is drawn
    by weight, each further one by weight times the distance to the nearest seed.
    Samples with a ``given`` cluster, which is -1 for the others, are seeds of theirs.
    """
    norms = np.diagonal(smoother) / weights**2
    given = np.full(len(weights), -1) if given is None else given
    labels = np.zeros(len(weights), dtype=np.int64)
    nearest = np.full(len(weights), np.inf)

    def add(seed: int, h: int) -> None:
        cross = smoother[seed] / (weights * weights[seed])
        distances = np.maximum(norms + norms[seed] - 2 * cross, 0)
        distances[seed] = 0
        closer = distances < nearest
        labels[closer] = h
        nearest[closer] = distances[closer]
        labels[seed] = h

    for seed in np.flatnonzero(given >= 0).tolist():
        add(seed, given[seed])
    for h in np.setdiff1d(np.arange(n_clusters), given).tolist():
        mass = weights * np.where(np.isfinite(nearest), nearest, 1.0)
        mass = np.where(given >= 0, 0.0, mass)
        if mass.sum() == 0:
            mass = weights
        add(int(random.choice(len(weights), p=mass / mass.sum())), h)
    return labels


def spectral_labels(
    smoother: np.ndarray, weights: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Return the labels of the relaxed problem.

    With ``D`` the weights, ``sum_h z_h' S z_h / n_h`` is the trace of ``Y' A Y`` with
    ``A = D^(-1/2) S D^(-1/2)`` and orthonormal columns ``D^(1/2) z_h / n_h^(1/2)``. If
    they may have any values, the best ones are the first k eigenvectors of A, in whose
    space clusters that are far apart are found at once. Single moves may not: a few
    samples in a wrong cluster support each other.
    """
    roots = np.sqrt(weights)
    scaled = smoother / np.outer(roots, roots)
    fixed = np.random.RandomState(0)
    values, vectors = _leading_vectors(scaled, n_clusters, fixed)
    features = vectors * np.sqrt(np.maximum(values, 0.0)) / roots[:, None]
    return relocate_centers(features, weights, n_clusters, fixed).labels


def _leading_vectors(
    matrix: np.ndarray, number: int, random: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues and their vectors, of many samples nearly.

    A smoother has hardly more eigenvalues above zero than three times their sum, its
    degrees of freedom, so that its products with as many random vectors span them.
    """
    size = len(matrix)
    n_drawn = 3 * int(np.ceil(np.trace(matrix))) + number
    if size > EXACT_SIZE and 2 * n_drawn < size:
        basis = qr(matrix @ random.randn(size, n_drawn), mode="economic")[0]
        values, vectors = eigh(basis.T @ matrix @ basis)
        return values[-number:], basis @ vectors[:, -number:]
    return largest_eigenpairs(matrix, number)


def fill_empty(
    labels: np.ndarray, n_clusters: int, random: np.random.RandomState
) -> np.ndarray:
    """Move one sample of the largest cluster into each empty one."""
    labels = labels.copy()
    for h in np.flatnonzero(np.bincount(labels, minlength=n_clusters) == 0):
        largest = np.bincount(labels, minlength=n_clusters).argmax()
        labels[random.choice(np.flatnonzero(labels == largest))] = h
    return labels


def one_sample_each(weights: np.ndarray, balance: Balance) -> np.ndarray:
    """Return labels with each sample in its own cluster, large ones in large ones.

    If the sizes are limited, and no cluster need be empty, they must be within limits.
    """
    labels = np.empty(len(weights), dtype=np.int64)
    clusters = np.argsort(-balance.targets, kind="stable")
    labels[np.argsort(-weights, kind="stable")] = clusters[: len(weights)]
    if balance.bounded and len(weights) == len(clusters):
        low, high = balance.limits[:, labels]
        rounding = ROUNDING * weights.sum()
        if (weights < low - rounding).any() or (weights > high + rounding).any():
            raise ValueError(IMPOSSIBLE)
    return labels


def one_sample_run(
    smoother: np.ndarray, weights: np.ndarray, balance: Balance
) -> SearchResult:
    """Return the run with each sample in its own cluster."""
    labels = one_sample_each(weights, balance)
    state = new_state(smoother, weights, balance.limits, labels, balance.objective)
    value = objective_of(state)
    return SearchResult(labels, value, (value,), 0, True)


def repeat_runs(
    one: Callable[[int, int, OnIteration | None], SearchResult],
    n_init: int,
    random_state: np.random.RandomState,
    on_iteration: OnIteration | None = None,
) -> list[SearchResult]:
    """Return runs ``one(start, seed, on_iteration)``, in order, each in a thread.

    The seeds are drawn before the first run starts, so that the result does not depend
    on the number of threads. Of several runs only the results are reported.
    """
    seeds = random_state.randint(np.iinfo(np.int32).max, size=n_init)

    def run(block: slice) -> SearchResult:
        start, seed = block.start, int(seeds[block.start])
        if n_init == 1 or on_iteration is None:
            return one(start, seed, on_iteration)
        result = one(start, seed, None)
        on_iteration(start + 1, result.objective, "start")
        return result

    return map_blocks(run, n_init, block_rows=1)


def best_of(
    one: Callable[[int, int, OnIteration | None], SearchResult],
    n_init: int,
    random_state: np.random.RandomState,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Return the best of the runs of `repeat_runs`, the first among equals."""
    runs = repeat_runs(one, n_init, random_state, on_iteration)
    return max(runs, key=_objective)


def best_start(
    one: Callable[[Any, OnIteration | None], Any],
    starts: Iterable,
    single: bool,
    on_iteration: OnIteration | None,
) -> Any:
    """Return the best run ``one(start, on_iteration)``, the first among equals.

    As in `best_of`, the rounds are reported of a single start, of several the results.
    """
    best = None
    for number, start in enumerate(starts, 1):
        run = one(start, on_iteration if single else None)
        if on_iteration is not None and not single:
            on_iteration(number, run.objective, "start")
        if best is None or run.objective > best.objective:
            best = run
    return best


def best_of_restarts(
    smoother: np.ndarray,
    weights: np.ndarray,
    balance: Balance,
    *,
    init: str | np.ndarray | None = None,
    n_init: int | None = None,
    search: str = "auto",
    decay: float | str = DECAY,
    max_iter: int = 1000,
    random_state: np.random.RandomState,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Return the run with the largest objective.

    ``n_init`` of them start at random, by default `default_starts`, or none if ``init``
    has labels, from which one more starts. With ``search="auto"`` two random runs in
    three use shaking and the third stochastic descent; without ``init`` the former
    start from random labels, the latter from k-means++ seeds, and one more from
    `spectral_labels`. Shaking is the better
    search for touching clusters, and prefers equal sizes; seeds find clusters that are
    far apart, of any size. If the sizes are limited, swaps of two samples, which cost
    most, improve only the runs that are better than all before them. So a larger
    ``n_init`` never lowers the objective.
    """
    n_clusters = len(balance.targets)
    if len(weights) <= n_clusters:
        return one_sample_run(smoother, weights, balance)

    def one(start: int, seed: int, report: OnIteration | None) -> SearchResult:
        random = np.random.RandomState(seed)
        kind = search
        if search == "auto":
            number = start - (given is not None)
            kind = "stochastic" if number % 3 == 2 else "shaking"
        if given is not None and start == 0:
            labels, kind = given, "stochastic" if search == "auto" else search
        elif init == "k-means++" or (init != "random" and kind != "shaking"):
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
            decay=decay,
            swaps=False,
            max_iter=max_iter,
            on_iteration=report,
        )

    given = init if isinstance(init, np.ndarray) else None
    if search == "auto" and init is None:
        given = spectral_labels(smoother, weights, n_clusters)
    default = 0 if isinstance(init, np.ndarray) else default_starts(len(weights))
    n_random = default if n_init is None else n_init
    n_starts = n_random + (given is not None)
    runs = repeat_runs(one, n_starts, random_state, on_iteration)
    if not balance.bounded:
        return max(runs, key=_objective)
    swapped = []
    for run in _records(runs):
        state = new_state(
            smoother, weights, balance.limits, run.labels, balance.objective
        )
        swapped.append(_join_stages([run, swap_descent(state, max_iter=max_iter)]))
    return max(swapped, key=_objective)


def _objective(run: SearchResult) -> float:
    return run.objective


def _records(runs: list[SearchResult]) -> list[SearchResult]:
    """Return the runs that are better than all before them."""
    records = runs[:1]
    for run in runs[1:]:
        before = records[-1].objective
        if run.objective > before + RECORD * abs(before):
            records.append(run)
    return records
