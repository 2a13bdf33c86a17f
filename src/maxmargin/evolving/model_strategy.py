"""The strategy ``"model"`` with the square loss: functions near the previous ones.

The rows are those of the present, and the function f_h of each cluster is to be near
the previous one: at an object of both snapshots near the value g_ih that it had there,
so that a common drift is no change, and at an object that came near the value of the
previous function. With a weight c,

    minimise   sum_i w_i [(z_ih - f_h(x_i))^2 + c (f_h(x_i) - g_ih)^2] + ridge |f_h|^2.

With ``t = (z + c g) / (1 + c)`` the two squares are ``(1 + c) (t - f)^2`` and a
multiple of ``(z - g)^2``. So f is the function fitted to t with the ridge over 1 + c,
which is chosen by degrees of freedom anyway. The minimum is, up to a factor and to
terms that do not depend on the labels, ``-(z' S z + 2 c z' S g)``: of the terms linear
in z only the one with S is kept. That is the objective for ``u = z + c g`` in place of
z. A state with the scores ``S u_h``, ``u_h' S u_h`` and the sizes ``w' u_h`` makes and
evaluates its moves as before.

With the weight a of the present, ``c = (1 - a) / a`` in units of the mean loss that the
snapshot has when it is clustered alone: the past has little influence where clusters
are clear. With a = 1 it is the static method. Objects that left have no row: the
previous function remembers them.

As published (equation 11 and section 5.2) the factor is the weight a itself. With
``1/2 |f|^2 + C / n sum (z - f)^2 + a sum (f - g)^2`` and the ridge ``n / (2 C)`` it is
``c = 2 a ridge``: a larger a holds the functions nearer to the previous ones. And each
of m objects that left adds ``c (mean f - g_j)^2``, with the mean of f over the present
objects. Up to a constant that is a further row at the mean of the features, with the
target ``mean g_j`` and, after the division by 1 + c, the weight ``v = c m / (1 + c)``.
With ``s = S 1 / n`` and ``q = 1' S 1 / n^2``, the smoother of all these rows is

    S - r s s',   with the column r s and the corner r v q,   r = v / (1 + v q).

Its functions are those fitted without it to targets raised by
``v / n (mean g - mean f)``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from maxmargin.engine.candidates import Candidate, make_candidates
from maxmargin.engine.choice import Clusters, find_clusters
from maxmargin.engine.fit import label_within_limits
from maxmargin.engine.model import MarginModel, fitted_functions, reduce_landmarks
from maxmargin.engine.options import SEARCH_SAMPLES
from maxmargin.evolving.step import Outcome, SnapshotStep, search_afresh
from maxmargin.metrics.matching import match_labels
from maxmargin.rows.sample import draw_sample, indicators
from maxmargin.search.balance import Balance
from maxmargin.search.runs import fill_empty, search_state
from maxmargin.search.state import SearchResult, State, new_state
from maxmargin.smoothers.smoother import Smoother


@dataclass(frozen=True)
class NearRun(SearchResult):
    """A run with the prior ``strength * g``, with the previous values g."""

    strength: float


@dataclass(frozen=True)
class Gone:
    """The row that stands for the objects that left."""

    number: float
    values: np.ndarray  # the mean of their previous values, for each cluster
    strength: float  # c

    @property
    def weight(self) -> float:
        """Weight of the row that stands for the objects that left."""
        return self.strength * self.number / (1.0 + self.strength)

    def terms(
        self, smoother: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, float, float]:
        """Return s, r and q."""
        s = smoother.sum(axis=1) / weights.sum()
        q = float(s.sum() / weights.sum())
        return s, self.weight / (1.0 + self.weight * q), q

    def raise_targets(
        self, smoother: np.ndarray, weights: np.ndarray, mixed: np.ndarray
    ) -> np.ndarray:
        """Return what is added to ``z + c g`` to fit the functions without the row."""
        s, _, q = self.terms(smoother, weights)
        factor, v = 1.0 + self.strength, self.weight
        mean = (s @ mixed / factor + v * q * self.values) / (1.0 + v * q)
        return np.asarray(factor * v / weights.sum() * (self.values - mean))


def cluster_near_previous(step: SnapshotStep, before: Outcome) -> Outcome:
    """Cluster the present with functions near those of the snapshot before."""
    options, random = step.options, step.random
    n_now, functions = step.X.shape[0], before.functions
    assert functions is not None
    if n_now <= step.n_clusters:
        return label_few(step.X, before)
    weights = np.ones(n_now)
    limit = min(step.max_samples, SEARCH_SAMPLES)
    sample = draw_sample(step.X, weights, merge=True, limit=limit, random=random)
    inverse = sample.inverse
    of_rows = memberships(previous_values(functions, step, sample.rows))
    values = np.zeros((len(sample.indices), of_rows.shape[1]))
    np.add.at(values, sample.groups, of_rows)
    values /= np.bincount(sample.groups)[:, None]  # the mean over equal rows
    left = None
    if step.published and step.same_number:
        left = memberships(values_of_the_left(functions, step))

    def previous_of(candidate: Candidate) -> np.ndarray:
        return values[inverse[candidate.sample.indices]]

    search = partial(
        _search_near, step=step, weights=weights, previous=previous_of, left=left
    )
    candidates = make_candidates(step.X, sample, options, random)
    clusters = find_clusters(
        step.X, sample, options, candidates, search, relabel=options.free
    )
    candidate, model = clusters.candidate, clusters.model
    if candidate.sample.complete and inverse.min() >= 0:
        labels = clusters.labels[candidate.sample.inverse]
    else:
        model = reduce_landmarks(model, step.X[sample.indices])
        labels = (
            model.label(step.X)
            if options.free
            else label_within_limits(step.X, weights, model, options)
        )
    return _outcome(clusters, previous_of(candidate), model, labels)


def _outcome(
    clusters: Clusters, previous: np.ndarray, model: MarginModel, labels: np.ndarray
) -> Outcome:
    """Return the clusters with the costs of the searched samples."""
    candidate, run = clusters.candidate, clusters.run
    assert isinstance(run, NearRun) and run.prior is not None
    smoother, targets = candidate.smoother, indicators(run.labels, previous.shape[1])
    mixed = (targets + run.prior) / (1.0 + run.strength)
    fitted = smoother.dot(mixed) / smoother.weights[:, None]
    shift = float(((fitted - previous) ** 2).sum(axis=1).mean())
    losses = ((targets - fitted) ** 2).sum(axis=1)
    costs = (float(losses.mean()), shift, run.objective)
    functions = fitted_functions(smoother, mixed)
    return Outcome(labels, model, functions, costs, run.converged)


def label_few(X, before: Outcome) -> Outcome:
    """Label fewer objects than clusters by the previous model."""
    assert before.model is not None
    labels = before.model.label(X)
    return replace(before, labels=labels, costs=(0.0, 0.0, 0.0), names=None)


def previous_values(
    functions: MarginModel, step: SnapshotStep, indices: np.ndarray
) -> np.ndarray:
    """Return the values of the previous functions for some of the present objects.

    For an object of both snapshots they are the values at its past row, for others
    those at the present row. If there are fewer clusters than before, the functions
    with the smallest values are left out; those of further clusters are zero.
    """
    past_row = np.full(step.X.shape[0], -1)
    past_row[step.matches.now] = step.matches.before
    there = past_row[indices]
    stayed = there >= 0
    values = np.empty((len(indices), len(functions.offsets)))
    if stayed.any():
        values[stayed] = functions.decide(step.past_X[there[stayed]])
    if not stayed.all():
        values[~stayed] = functions.decide(step.X[indices[~stayed]])
    n_before, n_clusters = values.shape[1], step.n_clusters
    if n_before > n_clusters:
        totals = np.maximum(values, 0.0).sum(axis=0)
        largest = np.argsort(-totals, kind="stable")[:n_clusters]
        return values[:, np.sort(largest)]
    return np.pad(values, ((0, 0), (0, n_clusters - n_before)))


def values_of_the_left(functions: MarginModel, step: SnapshotStep) -> np.ndarray:
    """Return the values of the previous functions for the objects that left."""
    left = np.ones(step.past_X.shape[0], dtype=bool)
    left[step.matches.before] = False
    if not left.any():
        return np.empty((0, len(functions.offsets)))
    return np.asarray(functions.decide(step.past_X[left]))


def memberships(values: np.ndarray) -> np.ndarray:
    """Return function values clipped to [0, inf) and scaled to a sum of at most 1.

    Far from the samples on which the functions were fitted, all values are near zero
    and have no influence.
    """
    values = np.maximum(values, 0.0)
    return values / np.maximum(values.sum(axis=1, keepdims=True), 1.0)


def _search_near(
    candidate: Candidate,
    step: SnapshotStep,
    weights: np.ndarray,
    previous: Callable[[Candidate], np.ndarray],
    left: np.ndarray | None,
) -> NearRun:
    """Return the best run toward the previous functions.

    It starts from their largest values, and from the labels of the snapshot clustered
    alone, matched to them.
    """
    options, k, smoother = step.options, step.n_clusters, candidate.smoother
    alone = search_afresh(step, candidate, weights).labels
    strength = _strength(step, smoother, alone)
    gone = None
    if left is not None and len(left):
        share = candidate.sample.weights.sum() / weights.sum()
        gone = Gone(share * len(left), left.mean(axis=0), strength)
    prior = strength * previous(candidate)
    first = prior.argmax(axis=1)
    matched = match_labels(alone, first, k)[alone]
    if len(first) <= k:
        return NearRun(matched, 0.0, (0.0,), 0, True, strength, prior=prior)
    balance = options.balance_of(candidate.sample, weights, candidate.objective)
    matrix = smoother.matrix()
    runs = []
    for labels in (first, matched):
        start = fill_empty(labels, k, step.random)
        state = near_state(
            matrix, candidate.sample.weights, balance, start, prior, gone
        )
        runs.append(search_state(state, balance, step.random, search="stochastic"))
    best = max(runs, key=lambda one: one.objective)
    if gone is not None:
        mixed = indicators(best.labels, k) + prior
        prior = prior + gone.raise_targets(matrix, candidate.sample.weights, mixed)
    return NearRun(**{**vars(best), "prior": prior}, strength=strength)


def _strength(step: SnapshotStep, smoother: Smoother, alone: np.ndarray) -> float:
    """Return the factor c, given the labels of the snapshot clustered alone."""
    if step.published:
        return 2.0 * step.weight * smoother.alpha
    loss = smoother.mean_loss(indicators(alone, step.n_clusters))
    return loss * (1.0 - step.weight) / step.weight


def near_state(
    smoother: np.ndarray,
    weights: np.ndarray,
    balance: Balance,
    labels: np.ndarray,
    prior: np.ndarray,
    gone: Gone | None = None,
) -> State:
    """Return the state for ``u_h = z_h + prior_h`` in place of the indicators ``z_h``.

    The size limits are raised by the sizes of the prior.
    """
    if gone is not None:
        s, r, q = gone.terms(smoother, weights)
        smoother = smoother - r * np.outer(s, s)
    added = np.maximum(weights @ prior, 0.0)
    limits = balance.limits + added
    state = new_state(smoother, weights, limits, labels, balance.objective)
    targets = indicators(labels, prior.shape[1]) + prior
    scores = state.scores + np.ascontiguousarray(prior.T) @ smoother
    within = np.einsum("nh,hn->h", targets, scores)
    if gone is not None:
        u = (1.0 + gone.strength) * gone.values
        scores = scores + r * np.outer(u, s)
        within = within + 2.0 * r * u * (s @ targets) + r * gone.weight * q * u**2
    return state._replace(scores=scores, within=within, sizes=state.sizes + added)
