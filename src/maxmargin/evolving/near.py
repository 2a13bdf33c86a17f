"""One step toward the previous functions, with the square loss.

The rows are those of the present, and the function f_h of each cluster is to be near
the previous one: at an object of both snapshots near the value g_ih that it had there,
so that a drift of all is no change, and at an object that came near the value of the
previous function. With a weight c,

    minimise   sum_i w_i [(z_ih - f_h(x_i))^2 + c (f_h(x_i) - g_ih)^2] + ridge |f_h|^2.

With ``t = (z + c g) / (1 + c)`` the two squares are ``(1 + c) (t - f)^2`` and a
multiple of ``(z - g)^2``. So f is the function fitted to t with the ridge over 1 + c,
which is chosen by degrees of freedom anyway. The minimum is, up to a factor and to what
does not depend on the labels, ``-(z' S z + 2 c z' S g)``: of the terms linear in z only
the one with S is left. That is the engine's objective for ``u = z + c g`` in place of
z. A state with the scores ``S u_h``, ``u_h' S u_h`` and the sizes ``w' u_h`` makes and
evaluates its moves as before.

With the share a of the present, ``c = (1 - a) / a`` in units of the mean loss that the
snapshot has when it is clustered by itself: where clusters are clear, the past has
little to say. With a = 1 it is the static method. Objects that left have no row: the
function remembers them.
"""

import numpy as np

from maxmargin.clustering.candidates import Candidate, choose
from maxmargin.clustering.model import MarginModel, indicators, model_of_targets
from maxmargin.evolving.base import Outcome
from maxmargin.evolving.fitted import functions_of, mean_loss
from maxmargin.evolving.snapshots import best_renaming
from maxmargin.evolving.step import Step
from maxmargin.evolving.thin import thinned
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
    before_all = previous_values(step, functions, sample.indices)
    pulls, runs, strengths = [], [], []
    for one in candidates:
        alone = request.wishes.search_on(one, weights, random).labels
        strength = mean_loss(one.smoother, alone, k) * (1.0 - step.weight) / step.weight
        g = memberships(before_all[sample.inverse[one.sample.indices]])
        strengths.append(strength)
        pulls.append(strength * g)
        runs.append(_search_near(step, one, pulls[-1], weights, alone))
    chosen = choose(candidates, runs, k) if len(runs) > 1 else 0
    candidate, pull, run = candidates[chosen], pulls[chosen], runs[chosen]
    power = candidate.power if request.wishes.balance is not None else 0.0
    smoother = candidate.smoother
    targets = indicators(run.labels, k) + pull
    model, decisions = model_of_targets(smoother, targets, power)
    complete = candidate.sample.complete and sample.inverse.min() >= 0
    if complete and step.free:
        labels = decisions.argmax(axis=1)[candidate.sample.inverse]
    elif complete:
        labels = run.labels[candidate.sample.inverse]
    else:
        model = thinned(model, step.X[sample.indices])
        labels = request.wishes.label_all(step.X, weights, model, request.n_threads)
    mixed = targets / (1.0 + strengths[chosen])
    values = smoother.dot(mixed) / smoother.weights[:, None]
    before = memberships(before_all[sample.inverse[candidate.sample.indices]])
    shift = float(((values - before) ** 2).sum(axis=1).mean())
    losses = ((indicators(run.labels, k) - values) ** 2).sum(axis=1)
    costs = (float(losses.mean()), shift, run.objective)
    fitted = functions_of(smoother, mixed)
    return Outcome(labels, model, fitted, costs, run.converged)


def previous_values(
    step: Step, functions: MarginModel, indices: np.ndarray
) -> np.ndarray:
    """Return the values of the previous functions for some of the present objects.

    For an object of both snapshots they are those at the place that it had, else those
    at the place that it has.
    """
    now, before = step.matches
    place = np.full(step.X.shape[0], -1)
    place[now] = before
    there = place[indices]
    stayed = there >= 0
    values = np.empty((len(indices), step.n_clusters))
    n_threads = step.request.n_threads
    if stayed.any():
        values[stayed] = functions.decide(step.past_X[there[stayed]], n_threads)
    if not stayed.all():
        values[~stayed] = functions.decide(step.X[indices[~stayed]], n_threads)
    return values


def memberships(values: np.ndarray) -> np.ndarray:
    """Return function values as parts of one object: no less than 0, no more than 1.

    Values that add up to more than one are scaled to one. Far from the samples on which
    they were fitted all are near zero, and say nothing.
    """
    values = np.maximum(values, 0.0)
    return values / np.maximum(values.sum(axis=1, keepdims=True), 1.0)


def _search_near(
    step: Step,
    candidate: Candidate,
    pull: np.ndarray,
    weights: np.ndarray,
    alone: np.ndarray,
) -> SearchResult:
    """Return the best run toward the previous functions.

    It starts from what they say, and from the labels of the snapshot by itself, named
    after them.
    """
    wishes, k = step.request.wishes, step.n_clusters
    first = pull.argmax(axis=1)
    if len(first) <= k:
        return _result_at(candidate, pull, alone, k)
    balance = step.balance_of(candidate, weights)
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
