r"""The strategy ``"individual"`` with the square loss and two labels, equation (8).

The present and the past row of an object share a slack, and each has its own label. The
slack is the largest that one of the rows needs, as in equation (16) of Fan et al. With
weights w, indicators z and the functions f of the clusters,

    minimise   sum_objects max_rows w_i |z_i - f(x_i)|^2 + ridge |f|^2.

For given functions each row gets the cluster with its largest value. For given labels
the problem is convex. The maximum of two losses p and q is replaced by
``t log(exp(p / t) + exp(q / t))``, larger by at most ``t log 2``, whose derivatives are
the shares u and 1 - u of the two rows.

In the features of a smoother, ``S = W Phi Phi' W``, functions are ``f = Phi c`` and the
ridge term is ``c' (I - Phi' W Phi) c``. At the optimum ``c = Phi' W (f + u (z - f))``
with the shares u, 1 for an object with one row. So the functions are those fitted to
the targets ``f + u (z - f)``, and a model follows from these as from any targets.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from maxmargin.rows.sample import indicators
from maxmargin.search.limits import assign_within_limits

SMOOTHING = 1e-3  # t, in units of the largest loss of a row with f = 0
MAX_ROUNDS = 30


@dataclass(frozen=True)
class SharedSlack:
    """Rows with weights in the features of a smoother, some of them in pairs."""

    features: np.ndarray  # (n, m)
    weights: np.ndarray
    first: np.ndarray  # the positions of the two rows of each pair
    second: np.ndarray

    def losses(self, c: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Return ``w_i |z_i - f(x_i)|^2`` of the rows."""
        residuals = targets - self.features @ c
        return self.weights * np.einsum("ik,ik->i", residuals, residuals)

    def shares(self, losses: np.ndarray, t: float) -> np.ndarray:
        """Return the shares u of the rows in the maxima."""
        shares = np.ones(len(losses))
        shares[self.first] = expit((losses[self.first] - losses[self.second]) / t)
        shares[self.second] = 1.0 - shares[self.first]
        return shares

    def objective(self, c: np.ndarray, targets: np.ndarray, t: float) -> float:
        """Return the smoothed objective."""
        losses = self.losses(c, targets)
        alone = np.ones(len(losses), dtype=bool)
        alone[self.first] = alone[self.second] = False
        pairs = t * np.logaddexp(losses[self.first] / t, losses[self.second] / t)
        return float(losses[alone].sum() + pairs.sum() + self._ridge_term(c)[0])

    def _ridge_term(self, c: np.ndarray) -> tuple[float, np.ndarray]:
        """Return ``c' (I - Phi' W Phi) c`` and half its gradient."""
        f = self.features @ c
        half = c - self.features.T @ (self.weights[:, None] * f)
        return float(np.sum(c * half)), half

    def fit(self, targets: np.ndarray, c: np.ndarray, t: float) -> np.ndarray:
        """Return the coefficients of the functions for given labels."""

        def value_and_gradient(flat):
            now = flat.reshape(c.shape)
            losses = self.losses(now, targets)
            factors = self.weights * self.shares(losses, t)
            residuals = targets - self.features @ now
            gradient = -self.features.T @ (factors[:, None] * residuals)
            gradient += self._ridge_term(now)[1]
            return self.objective(now, targets, t), 2.0 * gradient.ravel()

        found = minimize(
            value_and_gradient,
            c.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 500, "ftol": 1e-10, "gtol": 1e-7},
        )
        return np.asarray(found.x.reshape(c.shape))


@dataclass(frozen=True)
class TwoLabels:
    """Labels of the rows, the targets of their functions, losses and objective."""

    labels: np.ndarray
    targets: np.ndarray
    losses: np.ndarray
    objective: float
    converged: bool


def descend_with_two_labels(
    problem: SharedSlack,
    labels: np.ndarray,
    n_clusters: int,
    limits: np.ndarray | None = None,
) -> TwoLabels:
    """Alternate between functions and labels until no label changes.

    ``limits`` are the largest sizes of the clusters, if there are any.
    """
    t = SMOOTHING * problem.weights.max()
    z = indicators(labels, n_clusters)
    c = problem.features.T @ (problem.weights[:, None] * z)
    converged = False
    for _ in range(MAX_ROUNDS):
        c = problem.fit(z, c, t)
        f = problem.features @ c
        if limits is None:
            best = f.argmax(axis=1)
        else:
            best = assign_within_limits(f, problem.weights, limits)
        converged = np.array_equal(best, labels)
        if converged:
            break
        labels, z = best, indicators(best, n_clusters)
    f, losses = problem.features @ c, problem.losses(c, z)
    targets = f + problem.shares(losses, t)[:, None] * (z - f)
    objective = -problem.objective(c, z, t)
    return TwoLabels(labels, targets, losses / problem.weights, objective, converged)


def pairs_of(units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of the two rows of each unit that has two."""
    order = np.argsort(units, kind="stable")
    same = np.flatnonzero(units[order][1:] == units[order][:-1])
    return order[same], order[same + 1]
