"""Soft membership whose confidence means something: agreement under resampling."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn.base import clone

from maxmargin.kernels.sample import Sample, draw_part
from maxmargin.metrics.matching import match_labels

N_REFITS = 20
SHARE = 0.5  # of the samples in a refit
MAX_SAMPLES = 2000  # to refit on and to compare


@dataclass(frozen=True)
class Membership:
    """Turns decision values into the chance of each cluster under resampling.

    ``softmax(decisions / temperature) @ confusion``: the temperature says how wide the
    border between clusters is, the confusion matrix how often the inside of a cluster
    itself ends up elsewhere.
    """

    temperature: float
    confusion: np.ndarray  # (k, k), rows add up to 1

    def __call__(self, decisions: np.ndarray) -> np.ndarray:
        """Return the chances (n x k)."""
        chances: np.ndarray = softmax(decisions / self.temperature, axis=1)
        return chances @ self.confusion


def fit_membership(
    estimator, X, sample: Sample, random: np.random.RandomState
) -> Membership:
    """Refit on random halves and learn how often samples keep their cluster.

    Each refit labels all samples; its clusters are matched to those of the fit by the
    largest overlap. The confusion matrix is that of the samples in the inner half of
    each cluster, by the gap between their two largest decision values; the temperature
    is the one under which the labels of the refits are most likely.
    """
    sample = draw_part(sample, MAX_SAMPLES, random)
    X, weights = X[sample.indices], sample.weights
    decisions = estimator._model.decide(X)
    labels = decisions.argmax(axis=1)
    drawn = np.stack(
        [_refit_labels(estimator, X, weights, labels, random) for _ in range(N_REFITS)]
    )
    confusion = _confusion(decisions, labels, drawn)

    def surprise(log_temperature: float) -> float:
        chances = Membership(float(np.exp(log_temperature)), confusion)(decisions)
        told = chances[np.arange(len(labels)), drawn]
        return -float(np.mean(np.log(np.maximum(told, 1e-12))))

    gap = decision_gaps(decisions)
    scale = np.log(max(np.median(gap), np.finfo(float).tiny))
    best = minimize_scalar(surprise, bounds=(scale - 8, scale + 3), method="bounded")
    return Membership(float(np.exp(best.x)), confusion)


def _refit_labels(estimator, X, weights, labels, random) -> np.ndarray:
    """Return the labels of all samples after a refit on some, named as before."""
    n_clusters = estimator.n_clusters_
    size = max(int(SHARE * len(labels)), min(2 * n_clusters, len(labels)))
    part = random.choice(len(labels), size, replace=False)
    again = clone(estimator).set_params(
        n_clusters=n_clusters,
        probability=False,
        random_state=random.randint(2**31 - 1),
        verbose=0,
    )
    again.fit(X[part], sample_weight=weights[part])
    found = again.predict(X)
    return match_labels(found, labels, n_clusters, weights)[found]


def decision_gaps(decisions: np.ndarray) -> np.ndarray:
    """Return the differences between the two largest decision values."""
    if decisions.shape[1] == 1:
        return np.ones(len(decisions))
    two = np.partition(decisions, -2, axis=1)[:, -2:]
    return np.nan_to_num(two[:, 1] - two[:, 0], posinf=0.0)


def _confusion(
    decisions: np.ndarray, labels: np.ndarray, drawn: np.ndarray
) -> np.ndarray:
    """Return where the inner half of each cluster went, one sample added to stay."""
    n_clusters = decisions.shape[1]
    gaps = decision_gaps(decisions)
    result = np.eye(n_clusters)
    for h in range(n_clusters):
        own = np.flatnonzero(labels == h)
        if len(own):
            inner = own[gaps[own] >= np.median(gaps[own])]
            result[h] += np.bincount(drawn[:, inner].ravel(), minlength=n_clusters)
    return result / result.sum(axis=1, keepdims=True)
