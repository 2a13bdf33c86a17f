"""The evolutionary search of paper 000 with fitness functions computed the plain way.

Algorithm 1 with one parent and one offspring. The shortcut of the library is a
thousand lines; these are what it is measured against, in numpy and scikit-learn:

- ``SupportVectorFitness`` trains a support vector machine for each candidate;
- ``QuadraticFitness`` is ``1 - y'Ry / n`` with the smoother R kept, O(n^2);
- ``LinearFitness`` keeps ``Ry`` as well and needs the rows of R that belong to the
  flipped labels, O(s n) for s flips: the shortcut of the paper, in numpy.
"""

from abc import ABC, abstractmethod

import numpy as np
from sklearn.svm import SVC

PATIENCE = 4.6  # mutations for each sample without improvement before a run ends


class Fitness(ABC):
    """The fitness of labels, computed anew for each candidate.

    ``parent`` is what a fitness knows of the labels that won last: here nothing.
    """

    parent = None

    @abstractmethod
    def start(self, y):
        """Return the fitness of labels."""

    def mutate(self, y, flipped):
        """Return the fitness of y, of which these labels have been flipped, and more.

        What comes besides is the ``parent``, should these labels win.
        """
        return self.start(y), None


class SupportVectorFitness(Fitness):
    """The primal objective of a support vector machine, per sample."""

    def __init__(self, K, alpha):
        self.K = K
        self.C = 1.0 / alpha

    def start(self, y):
        """Return the fitness of labels."""
        machine = SVC(C=self.C, kernel="precomputed").fit(self.K, y)
        support, duals = machine.support_, machine.dual_coef_[0]
        values = self.K[:, support] @ duals + machine.intercept_[0]
        norm = duals @ self.K[np.ix_(support, support)] @ duals
        losses = np.maximum(0.0, 1.0 - y * values).sum()
        return (losses + 0.5 * norm / self.C) / len(y)


class QuadraticFitness(Fitness):
    """The least-squares fitness from a matrix and a vector."""

    def __init__(self, K, alpha):
        n_samples = len(K)
        self.R = np.linalg.solve(K + alpha * np.eye(n_samples), K)

    def start(self, y):
        """Return the fitness of labels."""
        return 1.0 - y @ (self.R @ y) / len(y)


class LinearFitness(QuadraticFitness):
    """The same from what is known of the parent."""

    def start(self, y):
        """Return the fitness of labels."""
        self.parent = self.R @ y
        return 1.0 - y @ self.parent / len(y)

    def mutate(self, y, flipped):
        """Return the fitness of y, and its fitted values."""
        fitted = self.parent + 2.0 * (y[flipped] @ self.R[flipped])
        return 1.0 - y @ fitted / len(y), fitted


def evolve_plainly(fitness, n_samples, balance, random):
    """Run Algorithm 1 from random balanced labels; return labels and generations."""
    limit = balance * n_samples
    y = np.where(random.permutation(n_samples) < n_samples // 2, -1.0, 1.0)
    best = fitness.start(y)
    generations = waited = 0
    while waited < PATIENCE * n_samples:
        n_flips = max(1, n_samples // (generations + 1))
        flipped = random.choice(n_samples, n_flips, replace=False)
        y[flipped] *= -1.0
        if abs(y.sum()) > limit:  # a swap instead of a flip
            others = np.flatnonzero(y == np.sign(y.sum()))
            others = np.setdiff1d(others, flipped)
            excess = int(np.ceil((abs(y.sum()) - limit) / 2))
            swapped = random.choice(others, min(excess, len(others)), replace=False)
            y[swapped] *= -1.0
            flipped = np.append(flipped, swapped)
        value, child = np.inf, None
        if abs(y.sum()) <= limit:
            value, child = fitness.mutate(y, flipped)
        generations += 1
        waited += 1
        if value < best - 1e-12:
            best, waited = value, 0
            fitness.parent = child
        else:
            y[flipped] *= -1.0
    return y, generations
