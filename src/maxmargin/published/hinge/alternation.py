"""Alternation between a function and labels (Zhang, Tsang and Kwok, 2007).

Maximum margin clustering minimises over functions ``f = g + b`` and labels y

    |g|^2 + 2 C sum_i w_i l(y_i f(x_i))   subject to limits on the sizes.

A round fits f to the labels and then takes the labels from f. The hinge loss does not
penalise large margins: f fits any labels with large margins, and labels hardly change.
The Laplacian and the squared loss also penalise margins above one, so that labels near
the boundary can change.

The bias is searched together with the labels (Algorithm 2), or it is the one of the
fitted function, which its KKT conditions give (Algorithm 1). The latter knows no limits
on the sizes: a cluster may lose all samples, which has the cost zero.
"""

from dataclasses import dataclass

import numpy as np

from maxmargin.published.hinge.function_solvers import FittedFunction, FunctionSolver
from maxmargin.published.hinge.margin_loss import MarginLoss, search_bias
from maxmargin.published.hinge.standard_features import LinearFunctions
from maxmargin.search.limits import assign_in_order
from maxmargin.search.state import OnIteration, SearchResult


@dataclass(frozen=True)
class AlternationResult(SearchResult):
    """A run and its functions ``f_h(x) = features(x)' coefficients[:, h] + b_h``."""

    coefficients: np.ndarray  # (m, k)
    biases: np.ndarray  # (k,)


@dataclass(frozen=True)
class AlternationProblem:
    """The problem of a run."""

    solver: FunctionSolver
    weights: np.ndarray
    limits: np.ndarray  # (2, k), smallest and largest sizes
    loss: MarginLoss
    C: float
    bias: str = "search"  # or "kkt"
    keep_best: bool = False  # return the best round, else the last one

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

    def fit(
        self, labels: np.ndarray, previous: list[FittedFunction] | None = None
    ) -> list[FittedFunction]:
        """Fit the functions to the labels, starting from the previous functions."""
        targets = targets_of(labels, self.n_clusters)
        starts = [None] * len(targets) if previous is None else previous
        return [
            self.solver.fit(one, start)
            for one, start in zip(targets, starts, strict=True)
        ]


def targets_of(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the targets -1 and 1 of each function: one for two clusters, else k."""
    clusters = np.arange(n_clusters)[:, None] if n_clusters > 2 else np.array([[1]])
    return np.where(labels == clusters, 1.0, -1.0)


@dataclass(frozen=True)
class Round:
    """The functions of a round and the labels taken from them."""

    functions: list[FittedFunction]
    biases: np.ndarray
    labels: np.ndarray
    objective: float  # larger is better


def label_round(problem: AlternationProblem, functions: list[FittedFunction]) -> Round:
    """Take the labels from the functions, with the best bias if there are two."""
    if problem.bias == "kkt":
        biases = np.array([functions[0].bias])
        labels = (functions[0].values + biases[0] > 0).astype(np.int64)
    elif problem.n_clusters == 2:
        best = search_bias(
            functions[0].values, problem.weights, problem.limits, problem.loss
        )
        labels, biases = best.labels, np.array([best.bias])
    else:
        biases = np.array([function.bias for function in functions])
        values = np.column_stack([function.values for function in functions]) + biases
        labels = assign_in_order(values, problem.weights, problem.limits)
    objective = -problem.cost(functions, biases, labels)
    return Round(functions, biases, labels, objective)


def alternate(
    problem: AlternationProblem,
    labels: np.ndarray,
    max_iter: int = 100,
    on_iteration: OnIteration | None = None,
) -> AlternationResult:
    """Alternate from the given labels until a round changes none, and return it.

    This is the repetition of steps 2 to 5 in Algorithm 2, and of 2 to 4 in Algorithm 1.
    Labels of an earlier round, which the same rounds would follow for ever, end a run
    as well. The objective is minus the cost, so that larger is better. Where the size
    limits do not bind it never decreases, because both steps decrease the cost. Where
    they bind it may decrease: ``problem.keep_best`` returns the best round, not the
    last one.
    """
    fitted = problem.fit(labels)
    history = [-problem.cost(fitted, [one.bias for one in fitted], labels)]
    kept: Round | None = None
    seen = {labels.tobytes()}
    n_moves, recurred = 0, False
    while len(history) <= max_iter and not recurred:
        if len(history) > 1:
            fitted = problem.fit(labels, fitted)
        done = label_round(problem, fitted)
        n_moves += int((done.labels != labels).sum())
        labels = done.labels
        history.append(done.objective)
        recurred = labels.tobytes() in seen
        seen.add(labels.tobytes())
        if kept is None or not problem.keep_best or done.objective > kept.objective:
            kept = done
        if on_iteration is not None:
            on_iteration(len(history) - 1, done.objective)
    assert kept is not None
    coefficients = np.column_stack([one.coefficients for one in kept.functions])
    functions = LinearFunctions(coefficients, kept.biases)
    if len(fitted) == 1:
        functions = functions.with_negative()
    return AlternationResult(
        kept.labels, kept.objective, tuple(history), n_moves, recurred, *functions
    )
