"""Evidence for the class of each sample, from several notions of similarity.

Each notion gives a table of scores, one column for each class, on a logarithmic scale,
and the same for each labelled sample with its own label left out. The sum

    log p(class h of sample i) = sum_e w_e E_e[i, h] + constant of i

has weights ``w_e >= 0`` for which the labels that are left out are most probable. They
have a Gaussian prior, which decides if there are few labels: then the graph of all
samples counts most. A label that is the only one of its class says nothing about
weights.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import log_softmax

from maxmargin.engine.model import MarginModel
from maxmargin.rows.sample import indicators
from maxmargin.semi_supervised.random_walk import RandomWalk
from maxmargin.smoothers.feature_map import KernelColumns
from maxmargin.smoothers.kernel import Kernel

# A difference of one between fitted values, the largest there is, on the log scale.
FITTED_SCALE = 10.0
# The precision of the prior of the weights: as if it had been seen in so many labels.
PRIOR_LABELS = 10.0
MAX_LEFT_OUT = 300  # labels that are left out in turn on the graph
SMALLEST_SHARE = 1e-8  # of the largest probability of a walk, for classes not reached


class KnownLabels(NamedTuple):
    """The samples with a label."""

    rows: np.ndarray  # (m,), positions
    classes: np.ndarray  # (m,)
    weights: np.ndarray  # (m,)
    n_classes: int

    @property
    def targets(self) -> np.ndarray:
        """Return the indicators of the classes (m x k)."""
        return indicators(self.classes, self.n_classes)

    @property
    def repeated(self) -> np.ndarray:
        """Return a mask of the labels that are not the only one of their class."""
        counts = np.bincount(self.classes, minlength=self.n_classes)
        return counts[self.classes] > 1

    def ranks(self) -> np.ndarray:
        """Return the number of each label among those of its class, from 0 on."""
        order = np.argsort(self.classes, kind="stable")
        starts = np.searchsorted(self.classes[order], np.arange(self.n_classes))
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order)) - starts[self.classes[order]]
        return ranks

    def take(self, some: np.ndarray) -> "KnownLabels":
        """Return some of the labels."""
        return KnownLabels(
            self.rows[some], self.classes[some], self.weights[some], self.n_classes
        )

    def first(self, limit: int) -> "KnownLabels":
        """Return at most ``limit`` of the labels, as many of each class as possible."""
        order = np.argsort(self.ranks(), kind="stable")
        return self.take(np.sort(order[: max(limit, self.n_classes)]))


class Evidence(NamedTuple):
    """Scores of the classes on a logarithmic scale."""

    of_all: np.ndarray  # (n, k)
    left_out: np.ndarray  # (m, k), of the labelled samples, without their own labels


def graph_evidence(
    walk: RandomWalk, labels: KnownLabels, n_samples: int, some: np.ndarray
) -> Evidence:
    """Return the logarithm of the probability that a walk stops at a label of a class.

    It is divided by the weight of the labels of the class. Without the label of sample
    i itself, ``F_ii`` is subtracted. ``some`` are the labels that are left out.
    """
    targets = labels.targets * labels.weights[:, None]
    masses = np.maximum(targets.sum(axis=0), np.finfo(float).tiny)
    placed = np.zeros((n_samples, labels.n_classes))
    placed[labels.rows] = targets
    reached = np.maximum(walk.spread(placed), 0.0)
    own = targets[some]
    back = walk.returns(labels.rows[some])[:, None] * own
    without = np.maximum(reached[labels.rows[some]] - back, 0.0)
    without /= np.maximum(masses - own, np.finfo(float).tiny)
    reached /= masses
    least = SMALLEST_SHARE * reached.max()
    return Evidence(np.log(reached + least), np.log(without + least))


def kernel_evidence(
    kernel: Kernel, ridge: float, X, labels: KnownLabels, some: np.ndarray
) -> Evidence:
    """Return the fitted values of least squares with a kernel on the labelled samples.

    With ``A = (K + r V^-1)^-1`` for the weights ``V`` of the labels, the coefficients
    are ``C = A (Y - 1/k)``, and the value at sample i without its own label is
    ``Y_i - C_i / A_ii``.
    """
    basis = kernel.take(X, labels.rows)
    corner = kernel(X[labels.rows], basis)
    weights = labels.weights / labels.weights.mean()
    corner.flat[:: len(corner) + 1] += ridge / weights
    inverse = cho_solve(cho_factor(corner), np.eye(len(corner)))
    targets = labels.targets - 1.0 / labels.n_classes
    coefficients = inverse @ targets
    left_out = targets - coefficients / np.diagonal(inverse)[:, None]
    offsets = np.zeros(labels.n_classes)
    model = MarginModel(KernelColumns(kernel, basis), coefficients, offsets)
    return Evidence(FITTED_SCALE * model.decide(X), FITTED_SCALE * left_out[some])


def fit_weights(
    evidence: list[Evidence], classes: np.ndarray, prior: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return the weights of the evidence, and the mean log-probability of the labels.

    The labels are those left out, ``classes``; the mean is minus the logarithm of the
    number of classes if there are none.
    """
    scores = np.stack([log_softmax(one.left_out, axis=1) for one in evidence])
    labels = np.arange(len(classes))
    if not len(classes):
        return prior, -float(np.log(scores.shape[2]))

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logs = log_softmax(np.tensordot(weights, scores, 1), axis=1)
        excess = np.exp(logs)
        excess[labels, classes] -= 1.0
        slopes = np.tensordot(scores, excess, ([1, 2], [0, 1]))
        change = weights - prior
        value = -logs[labels, classes].sum() + PRIOR_LABELS / 2 * change @ change
        return float(value), slopes + PRIOR_LABELS * change

    bounds = [(0.0, None)] * len(prior)
    weights = minimize(loss, prior, jac=True, bounds=bounds, method="L-BFGS-B").x
    logs = log_softmax(np.tensordot(weights, scores, 1), axis=1)
    return weights, float(logs[labels, classes].mean())


def combine(evidence: list[Evidence], weights: np.ndarray) -> np.ndarray:
    """Return the probabilities of the classes of all samples (n x k)."""
    total = np.zeros_like(evidence[0].of_all)
    for one, weight in zip(evidence, weights, strict=True):
        total += weight * log_softmax(one.of_all, axis=1)
    return np.exp(log_softmax(total, axis=1))
