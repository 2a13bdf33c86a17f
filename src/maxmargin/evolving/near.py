"""One step toward the previous functions, with the square loss.

The rows are those of the present, and the function f_h of each cluster is to be near
the previous one, g_h. With the share a of the present,

    minimise   sum_i w_i [a (z_ih - f_h(x_i))^2 + (1 - a) (f_h(x_i) - g_h(x_i))^2]
               + ridge |f_h|^2.

The two squares are ``(t - f)^2 + a (1 - a) (z - g)^2`` with ``t = a z + (1 - a) g``. So
f is the function fitted to t, and the minimum is, up to what does not depend on the
labels, ``-a^2 (z' S z + 2 c z' S g)`` with ``c = (1 - a) / a``: of the terms linear in
z only the one with S is left. That is the engine's objective for ``u = z + c g`` in
place of z. A state with the scores ``S u_h``, ``u_h' S u_h`` and the sizes ``w' u_h``
makes and evaluates its moves as before. With a = 1 it is the static method. Objects
that left have no row: the function remembers them.
"""

import numpy as np

from maxmargin.clustering.candidates import Candidate, choose
from maxmargin.clustering.model import MarginModel, indicators, model_of_targets
from maxmargin.evolving.base import Outcome
from maxmargin.evolving.snapshots import best_renaming
from maxmargin.evolving.squared import Step, balance_of, functions_of, is_free
from maxmargin.kernels.sample import SEARCH_SAMPLES, draw_sample
from maxmargin.search.balance import Balance
from maxmargin.search.result import SearchResult
from maxmargin.search.run import search_state
from maxmargin.search.start import fill_empty
from maxmargin.search.state import State, new_state


def model_step(step: Step, functions: MarginModel) -> Outcome:
    """Cluster the present with functions near the previous ones."""
    request, k, random = step.request, step.n_clusters, step.random
    n_now = step.X.shape[0]
    weights = np.ones(n_now)
    limit = min(request.plan(n_now, step.X.shape[1]).size, SEARCH_SAMPLES)
    sample = draw_sample(step.X, weights, merge=True, limit=limit, random=random)
    candidates = request.similarity.candidates(
        step.X, sample, k, random, request.n_threads
    )
    pulls = [
        memberships(functions.decide(step.X[one.sample.indices], request.n_threads))
        * ((1.0 - step.weight) / step.weight)
        for one in candidates
    ]
    runs = [
        _search_near(step, one, pull, weights)
        for one, pull in zip(candidates, pulls, strict=True)
    ]
    chosen = choose(candidates, runs, k) if len(runs) > 1 else 0
    candidate, pull, run = candidates[chosen], pulls[chosen], runs[chosen]
    power = candidate.power if request.wishes.balance is not None else 0.0
    smoother = candidate.smoother
    targets = indicators(run.labels, k) + pull
    model, decisions = model_of_targets(smoother, targets, power)
    complete = candidate.sample.complete and sample.inverse.min() >= 0
    if complete and is_free(request):
        labels = decisions.argmax(axis=1)[candidate.sample.inverse]
    elif complete:
        labels = run.labels[candidate.sample.inverse]
    else:
        labels = request.wishes.label_all(step.X, weights, model, request.n_threads)
    fitted = functions_of(smoother, targets * step.weight)
    values = smoother.dot(targets * step.weight) / smoother.weights[:, None]
    before = pull * (step.weight / max(1.0 - step.weight, np.finfo(float).tiny))
    shift = float(((values - before) ** 2).sum(axis=1).mean())
    losses = ((indicators(run.labels, k) - values) ** 2).sum(axis=1)
    costs = (float(losses.mean()), shift, run.objective)
    return Outcome(labels, model, fitted, costs, run.converged)


def memberships(values: np.ndarray) -> np.ndarray:
    """Return function values as parts of one object: no less than 0, no more than 1.

    Values that add up to more than one are scaled to one. Far from the samples on which
    they were fitted all are near zero, and say nothing.
    """
    values = np.maximum(values, 0.0)
    return values / np.maximum(values.sum(axis=1, keepdims=True), 1.0)


def _search_near(
    step: Step, candidate: Candidate, pull: np.ndarray, weights: np.ndarray
) -> SearchResult:
    """Return the best run toward the previous functions.

    It starts from what they say, and from the labels of the snapshot by itself, named
    after them.
    """
    wishes, k = step.request.wishes, step.n_clusters
    first = pull.argmax(axis=1)
    alone = wishes.search_on(candidate, weights, step.random).labels
    if len(first) <= k:
        return _result_at(candidate, pull, alone, k)
    balance = balance_of(step, candidate, weights)
    matrix = candidate.smoother.matrix()
    runs = []
    for labels in (first, best_renaming(alone, first, k)[alone]):
        start = fill_empty(labels, k, step.random)
        state = near_state(matrix, candidate.sample.weights, balance, start, pull)
        runs.append(
            search_state(
                state,
                balance,
                step.random,
                search="stochastic",
                max_iter=wishes.max_iter,
            )
        )
    return max(runs, key=lambda one: one.objective)


def _result_at(candidate, pull, labels, k) -> SearchResult:
    labels = best_renaming(labels, pull.argmax(axis=1), k)[labels]
    return SearchResult(labels, 0.0, (0.0,), 0, True)


def near_state(
    smoother: np.ndarray,
    weights: np.ndarray,
    balance: Balance,
    labels: np.ndarray,
    pull: np.ndarray,
) -> State:
    """Return the state for ``u_h = z_h + pull_h`` in place of the indicators ``z_h``.

    The limits of sizes are raised by what the pull adds to them.
    """
    limits = balance.limits + np.maximum(weights @ pull, 0.0)
    state = new_state(smoother, weights, limits, labels, balance.power)
    added = smoother @ pull
    targets = indicators(labels, pull.shape[1]) + pull
    scores = state.scores + added.T
    return state._replace(
        scores=scores,
        within=np.einsum("nh,hn->h", targets, scores),
        sizes=state.sizes + np.maximum(weights @ pull, 0.0),
    )
