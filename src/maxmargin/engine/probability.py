"""Membership probabilities, calibrated by the agreement of refits on resamples.

With ``h`` the label of a sample, the cluster with its largest decision value ``d_h``,
and ``g`` the gap to the second largest, the probabilities are

    p_h = max(a_h(g), 1 / m)
    p_l = min(c q_l, p_h)  for l != h,  with c such that they add up to 1,
    q   = softmax(d / T) C.

``a_h``, the agreement, is the share of refits in which samples of cluster h with the
gap g keep their label: a non-decreasing function. It may be below 1/2 where refits move
a whole cluster. The m clusters that are not empty share what is left: by the distance
to their border, whose width is the temperature ``T``, and by the confusion matrix ``C``
with the frequencies at which samples inside a cluster get another label. No other
cluster gets more than the label: the largest probability is always that of the label.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax
from sklearn.isotonic import IsotonicRegression

from maxmargin.engine.fit import FitResult, fit_source
from maxmargin.engine.options import Options
from maxmargin.metrics.matching import match_labels
from maxmargin.rows.blocks import ArraySource
from maxmargin.rows.sample import draw_part, take_square

# Refits go on until the standard error of the mean agreement is small enough.
MIN_REFITS, MAX_REFITS = 20, 60
MAX_ERROR = 0.01
SHARE = 0.5  # of the samples in a refit
MAX_SAMPLES = 2000  # to refit on and to compare
SMALLEST_GAP = 1e-9  # of two decision values, as a share of the largest one
# The agreement is averaged over samples of a cluster with similar gaps, at least the
# first number and at most the second number of groups.
GROUP_SAMPLES, MAX_GROUPS = 10, 10
LARGEST = 1.0 + 1e-6  # the ratio of the label's probability to those of others


@dataclass(frozen=True)
class MembershipProbability:
    """Turns decision values into the probability of each cluster under resampling."""

    agreement: tuple[np.ndarray, ...]  # (2, r) for each cluster: gaps, and shares
    temperature: float
    confusion: np.ndarray  # (k, k), rows add up to 1

    def __call__(self, decisions: np.ndarray) -> np.ndarray:
        """Return the probabilities (n x k)."""
        labels, gaps = decisions.argmax(axis=1), decision_gaps(decisions)
        filled = np.isfinite(decisions)
        kept = np.empty(len(labels))
        for h, (knots, shares) in enumerate(self.agreement):
            own = labels == h
            kept[own] = np.interp(gaps[own], knots, shares)
        n_others = np.maximum(filled.sum(axis=1) - 1, 0)
        kept = np.maximum(kept, LARGEST / (LARGEST + n_others))
        others = softmax(decisions / self.temperature, axis=1) @ self.confusion
        # None is zero, so that there is something to share out.
        others = np.where(filled, np.maximum(others, 1e-12), 0.0)
        others[np.arange(len(labels)), labels] = 0.0
        result = share_out(1.0 - kept, others, kept / LARGEST)
        result[np.arange(len(labels)), labels] = 1.0 - result.sum(axis=1)
        return result


def share_out(total: np.ndarray, shares: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Divide a total among the columns of each row, in proportion up to a limit.

    Columns with positive shares can hold the total. In each round what exceeds the
    limit is left to the other columns.
    """
    result = np.zeros(shares.shape)
    free = shares.copy()
    for _ in range(shares.shape[1]):
        left = total - result.sum(axis=1)
        sums = free.sum(axis=1)
        factors = np.divide(left, sums, out=np.zeros_like(left), where=sums > 0)
        divided = free * factors[:, None]
        over = divided > limit[:, None]
        if not over.any():
            break
        result = np.where(over, limit[:, None], result)
        free[over] = 0.0
        divided[over.any(axis=1)] = 0.0  # again in the next round
    return result + divided


def fit_probability(
    result: FitResult, X, options: Options, random: np.random.RandomState
) -> MembershipProbability:
    """Refit on random halves and estimate how often samples keep their cluster.

    Each refit labels all samples; its clusters are matched to those of the fit by the
    largest overlap. The confusion matrix is that of the samples in the inner half of
    each cluster, by the gap between their two largest decision values; the temperature
    maximises the likelihood of the labels of the refits.
    """
    sample = draw_part(result.clusters.sample, MAX_SAMPLES, random)
    precomputed = options.kernel == "precomputed"
    rows = _take(result.clusters.X, sample.indices, precomputed)
    weights = sample.weights
    options = replace(
        options,
        n_clusters=result.clusters.n_clusters,
        scale=False,  # the rows are prepared
        init=None,
        on_iteration=None,
    )
    decisions = result.model.decide(X[sample.indices])
    labels = decisions.argmax(axis=1)
    drawn: list[np.ndarray] = []
    shares: list[float] = []  # of the samples that keep their label in each refit
    while len(drawn) < MIN_REFITS or (
        len(drawn) < MAX_REFITS and np.std(shares) > MAX_ERROR * len(drawn) ** 0.5
    ):
        drawn.append(refit_labels(options, rows, weights, labels, random))
        shares.append(float(np.average(drawn[-1] == labels, weights=weights)))
    return calibrate(decisions, np.stack(drawn), weights)


def calibrate(
    decisions: np.ndarray, drawn: np.ndarray, weights: np.ndarray
) -> MembershipProbability:
    """Fit the probabilities to the labels of refits (refits x samples)."""
    labels = decisions.argmax(axis=1)
    agreement = _agreement(decisions, drawn, weights)
    confusion = _confusion(decisions, labels, drawn)

    def negative_likelihood(log_temperature: float) -> float:
        temperature = float(np.exp(log_temperature))
        probability = MembershipProbability(agreement, temperature, confusion)
        of_drawn = probability(decisions)[np.arange(len(labels)), drawn]
        return -float(np.mean(np.log(np.maximum(of_drawn, 1e-12))))

    gap = np.median(decision_gaps(decisions))
    largest = np.abs(decisions[np.isfinite(decisions)]).max() or 1.0
    scale = np.log(max(gap, SMALLEST_GAP * largest))
    bounds = (scale - 8, scale + 3)
    best = minimize_scalar(negative_likelihood, bounds=bounds, method="bounded")
    return MembershipProbability(agreement, float(np.exp(best.x)), confusion)


def refit_labels(
    options: Options,
    X,
    weights: np.ndarray,
    labels: np.ndarray,
    random: np.random.RandomState,
) -> np.ndarray:
    """Return the labels of all samples after a refit on some, matched to the fit."""
    n_clusters, precomputed = options.n_clusters, options.kernel == "precomputed"
    size = max(int(SHARE * len(labels)), min(2 * n_clusters, len(labels)))
    part = random.choice(len(labels), size, replace=False)
    seeded = np.random.RandomState(random.randint(2**31 - 1))
    source = ArraySource(_take(X, part, precomputed), weights[part])
    few = replace(options, n_clusters=min(n_clusters, size))  # the fit has said so
    refit = fit_source(source, few, seeded)
    found = refit.model.label(X[:, part] if precomputed else X)
    return match_labels(found, labels, n_clusters, weights)[found]


def _take(X, rows: np.ndarray, precomputed: bool):
    """Return some samples; of a kernel matrix, their kernel with each other."""
    return take_square(X, rows) if precomputed else X[rows]


def decision_gaps(decisions: np.ndarray) -> np.ndarray:
    """Return the differences between the two largest decision values."""
    if decisions.shape[1] == 1:
        return np.ones(len(decisions))
    two = np.partition(decisions, -2, axis=1)[:, -2:]
    return np.nan_to_num(two[:, 1] - two[:, 0], posinf=0.0)


def _agreement(
    decisions: np.ndarray, drawn: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return for each cluster the share of refits that keep a label, by the gap.

    Isotonic regression over groups of samples with similar gaps. A cluster without
    samples has a share of one.
    """
    labels, gaps = decisions.argmax(axis=1), decision_gaps(decisions)
    kept = np.mean(drawn == labels, axis=0)
    result = []
    for h in range(decisions.shape[1]):
        own = np.flatnonzero(labels == h)
        if not len(own):
            result.append(np.ones((2, 1)))
            continue
        own = own[np.argsort(gaps[own], kind="stable")]
        n_groups = min(max(len(own) // GROUP_SAMPLES, 1), MAX_GROUPS)
        groups = np.arange(len(own)) * n_groups // len(own)
        sizes = np.bincount(groups, weights[own])
        means = [
            np.bincount(groups, weights[own] * values[own]) / sizes
            for values in (gaps, kept)
        ]
        curve = IsotonicRegression().fit(*means, sample_weight=sizes)
        result.append(np.stack([curve.X_thresholds_, curve.y_thresholds_]))
    return tuple(result)


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
