"""Membership probabilities, calibrated by the agreement of refits on resamples."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn.base import clone

from maxmargin.metrics.matching import match_labels
from maxmargin.rows.sample import Sample, draw_part

N_REFITS = 20
SHARE = 0.5  # of the samples in a refit
MAX_SAMPLES = 2000  # to refit on and to compare
SMALLEST_GAP = 1e-9  # of two decision values, as a share of the largest one


@dataclass(frozen=True)
class MembershipProbability:
    """Turns decision values into the probability of each cluster under resampling.

    ``softmax(decisions / temperature) @ confusion``: the temperature is the width of
    the border between clusters, the confusion matrix has the probabilities that samples
    inside a cluster are assigned to another one.
    """

    temperature: float
    confusion: np.ndarray  # (k, k), rows add up to 1

    def __call__(self, decisions: np.ndarray) -> np.ndarray:
        """Return the probabilities (n x k)."""
        soft: np.ndarray = softmax(decisions / self.temperature, axis=1)
        return soft @ self.confusion


def fit_probability(
    estimator, X, rows, sample: Sample, random: np.random.RandomState
) -> MembershipProbability:
    """Refit on random halves and estimate how often samples keep their cluster.

    ``rows`` are the samples X as they were searched: those of counts are transformed.

    Each refit labels all samples; its clusters are matched to those of the fit by the
    largest overlap. The confusion matrix is that of the samples in the inner half of
    each cluster, by the gap between their two largest decision values; the temperature
    maximises the likelihood of the labels of the refits.
    """
    sample = draw_part(sample, MAX_SAMPLES, random)
    rows, weights = _take(estimator, rows, sample.indices), sample.weights
    decisions = estimator._model.decide(X[sample.indices])
    labels = decisions.argmax(axis=1)
    drawn = np.stack(
        [
            refit_labels(estimator, rows, weights, labels, random)
            for _ in range(N_REFITS)
        ]
    )
    confusion = _confusion(decisions, labels, drawn)

    def negative_likelihood(log_temperature: float) -> float:
        probability = MembershipProbability(float(np.exp(log_temperature)), confusion)
        of_drawn = probability(decisions)[np.arange(len(labels)), drawn]
        return -float(np.mean(np.log(np.maximum(of_drawn, 1e-12))))

    gap = np.median(decision_gaps(decisions))
    largest = np.abs(decisions[np.isfinite(decisions)]).max() or 1.0
    scale = np.log(max(gap, SMALLEST_GAP * largest))
    bounds = (scale - 8, scale + 3)
    best = minimize_scalar(negative_likelihood, bounds=bounds, method="bounded")
    return MembershipProbability(float(np.exp(best.x)), confusion)


def refit_labels(estimator, X, weights, labels, random) -> np.ndarray:
    """Return the labels of all samples after a refit on some, matched to the fit."""
    n_clusters = estimator.n_clusters_
    size = max(int(SHARE * len(labels)), min(2 * n_clusters, len(labels)))
    part = random.choice(len(labels), size, replace=False)
    refit = clone(estimator).set_params(
        n_clusters=n_clusters,
        probability=False,
        scale=False if estimator.scale_ is None else estimator.scale_,
        random_state=random.randint(2**31 - 1),
        verbose=0,
    )
    refit.fit(_take(estimator, X, part), sample_weight=weights[part])
    found = refit.predict(X[:, part] if estimator.kernel == "precomputed" else X)
    return match_labels(found, labels, n_clusters, weights)[found]


def _take(estimator, X, rows: np.ndarray):
    """Return some samples; of a kernel matrix, their kernel with each other."""
    return X[np.ix_(rows, rows)] if estimator.kernel == "precomputed" else X[rows]


def decision_gaps(decisions: np.ndarray) -> np.ndarray:
    """Return the differences between the two largest decision values."""
    if decisions.shape[1] == 1:
        return np.ones(len(decisions))
    two = np.partition(decisions, -2, axis=1)[:, -2:]
    return np.nan_to_num(two[:, 1] - two[:, 0], posinf=0.0)


def _confusion(
    decisions: np.ndarray, labels: np.ndarray, drawn: np.ndarray
) -> np.ndarray:
    """Return the frequencies of refit labels in the inner half of each cluster.

    One sample that keeps its cluster is added to each, so that none is empty.
    """
    n_clusters = decisions.shape[1]
    gaps = decision_gaps(decisions)
    result = np.eye(n_clusters)
    for h in range(n_clusters):
        own = np.flatnonzero(labels == h)
        if len(own):
            inner = own[gaps[own] >= np.median(gaps[own])]
            result[h] += np.bincount(drawn[:, inner].ravel(), minlength=n_clusters)
    return result / result.sum(axis=1, keepdims=True)
