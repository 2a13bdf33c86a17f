"""Alternation between a function and labels (Zhang, Tsang and Kwok, 2007).

Maximum margin clustering minimises over functions ``f = g + b`` and labels y

    |g|^2 + 2 C sum_i w_i l(y_i f(x_i))   subject to limits on the sizes.

A round fits f to the labels and then takes the labels from f. With the hinge loss the
function is soon sure of any labels and nothing moves; with the Laplacian or the square
loss it also pays for being too sure, and labels near the boundary can change sides.
"""

from dataclasses import dataclass

import numpy as np

from maxmargin.hinge.bias import search_bias
from maxmargin.hinge.function import FittedFunction, FunctionSolver
from maxmargin.hinge.loss import Loss
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.state import OnIteration, SearchResult

PATIENCE = 5  # rounds in vain after which a run ends


@dataclass(frozen=True)
class AlternationResult(SearchResult):
    """A run and its functions: ``f_h(x) = feature_map(x) coefficients[:, h] + b_h``."""

    coefficients: np.ndarray  # (m, k)
    biases: np.ndarray  # (k,)


@dataclass(frozen=True)
class Problem:
    """What stays the same from round to round."""

    solver: FunctionSolver
    weights: np.ndarray
    limits: np.ndarray  # (2, k), smallest and largest sizes
    loss: Loss
    C: float

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return self.limits.shape[1]

    def cost(self, functions: list[FittedFunction], biases, labels) -> float:
        """Return ``sum_h |g_h|^2 + 2 C sum_i w_i l(y_ih f_h(x_i))``."""
        total = 0.0
        for targets, function, bias in zip(
            targets_of(labels, self.n_clusters), functions, biases, strict=True
        ):
            losses = self.loss.of_margins(targets * (function.values + bias))
            total += function.norm + 2 * self.C * float(self.weights @ losses)
        return total


def targets_of(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the targets -1 and 1 of each function: one for two clusters, else k."""
    clusters = np.arange(n_clusters)[:, None] if n_clusters > 2 else np.array([[1]])
    return np.where(labels == clusters, 1.0, -1.0)


def relabel(
    problem: Problem, functions: list[FittedFunction]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels that functions give, and the biases they are given with.

    For two clusters the bias is searched among all cuts within the limits; for more,
    each sample goes to the largest value as far as the limits allow.
    """
    if problem.n_clusters == 2:
        cut = search_bias(
            functions[0].values, problem.weights, problem.limits, problem.loss
        )
        return cut.labels, np.array([cut.bias])
    biases = np.array([function.bias for function in functions])
    values = np.column_stack([function.values for function in functions]) + biases
    return assign_within_limits(values, problem.weights, problem.limits), biases


def alternate(
    problem: Problem,
    labels: np.ndarray,
    max_iter: int = 100,
    on_iteration: OnIteration | None = None,
) -> AlternationResult:
    """Alternate from the given labels until they stay the same, or come again.

    The objective is minus the cost, so that larger is better. It never falls where the
    limits do not bind, because both steps lower the cost. Where they bind, labels may
    wander: after some rounds in vain the best ones count.
    """
    functions = _fit(problem, labels, None)
    own = [function.bias for function in functions]
    history = [-problem.cost(functions, own, labels)]
    best: tuple[float, np.ndarray, list[FittedFunction], np.ndarray] | None = None
    seen = {labels.tobytes()}
    n_moves, vain, stable = 0, 0, False
    while len(history) <= max_iter and vain < PATIENCE and not stable:
        if len(history) > 1:
            functions = _fit(problem, labels, functions)
        new_labels, biases = relabel(problem, functions)
        n_moves += int((new_labels != labels).sum())
        labels = new_labels
        history.append(-problem.cost(functions, biases, labels))
        stable = labels.tobytes() in seen
        seen.add(labels.tobytes())
        vain = 0 if best is None or history[-1] > best[0] else vain + 1
        if best is None or vain == 0 or stable:
            best = history[-1], labels, functions, biases
        if on_iteration is not None:
            on_iteration(len(history) - 1, history[-1])
    assert best is not None
    objective, labels, functions, biases = best
    coefficients = np.column_stack([function.coefficients for function in functions])
    if problem.n_clusters == 2:
        coefficients = np.hstack([-coefficients, coefficients])
        biases = np.concatenate([-biases, biases])
    converged = stable or vain == PATIENCE
    return AlternationResult(
        labels, objective, tuple(history), n_moves, converged, coefficients, biases
    )


def _fit(
    problem: Problem, labels: np.ndarray, previous: list[FittedFunction] | None
) -> list[FittedFunction]:
    """Fit the functions to the labels, each from what it was before."""
    targets = targets_of(labels, problem.n_clusters)
    before = [None] * len(targets) if previous is None else previous
    return [
        problem.solver.fit(one, function)
        for one, function in zip(targets, before, strict=True)
    ]
