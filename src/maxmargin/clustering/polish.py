"""From a model on some samples to labels of all of them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from maxmargin.clustering.model import MarginModel, decision_terms, indicators
from maxmargin.kernels.landmark_smoother import LandmarkSmoother
from maxmargin.kernels.memory import available_memory
from maxmargin.kernels.threads import for_blocks
from maxmargin.search.assignment import assign_within_limits
from maxmargin.search.balance import Balance

MAX_PASSES = 30
STILL = 1e-3  # passes end when no larger share of the labels changes
CACHE_SHARE = 0.1  # of the free memory, for kernel columns that are used again


def polish_all(
    model: MarginModel,
    smoother: LandmarkSmoother,
    X,
    weights: np.ndarray,
    balance: Balance,
    n_threads: int = 1,
) -> tuple[MarginModel, np.ndarray]:
    """Alternate labels and functions over all samples, in passes by blocks.

    In the feature space of the smoother, ``Phi(x) = k(x, landmarks) P``, the functions
    follow from the sums ``u_h = P' s_h``, ``s_h = sum_j w_j z_jh k(landmarks, x_j)``:
    features are never formed, a pass holds some blocks of kernel columns and the m x k
    sums. The objective is convex in the sums, so no pass lowers it; for ``p = 1`` a
    pass is one of k-means.
    """
    columns = _column_source(model, X, n_threads)
    labels = np.full(X.shape[0], -1)
    for _ in range(MAX_PASSES):
        new, sums = _one_pass(model, columns, weights, balance, n_threads)
        changed = np.mean(new != labels)
        labels = new
        if changed <= STILL:
            return model, labels
        sizes = np.bincount(labels, weights, minlength=len(model.offsets))
        model = _refitted(model, smoother.projection, sums, sizes, balance.power)
    labels, _ = _one_pass(model, columns, weights, balance, n_threads)
    return model, labels


def _column_source(
    model: MarginModel, X, n_threads: int
) -> Callable[[slice], np.ndarray]:
    """Return a function that gives the kernel columns of a block of rows.

    They are kept in memory where they take little of it.
    """
    n_landmarks = len(model.coefficients)
    if 8 * X.shape[0] * n_landmarks > CACHE_SHARE * available_memory():
        return lambda block: model.kernel(X[block], model.basis)
    kept = model.kernel(X, model.basis, n_threads)
    return lambda block: kept[block]


def _one_pass(
    model: MarginModel,
    columns: Callable[[slice], np.ndarray],
    weights: np.ndarray,
    balance: Balance,
    n_threads: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels that the model gives, and their sums of kernel columns."""
    n_clusters = len(model.offsets)
    decisions = np.empty((len(weights), n_clusters))
    labels = np.empty(len(weights), dtype=np.int64)
    sums: dict[int, np.ndarray] = {}

    def decide(block: slice) -> None:
        decisions[block] = columns(block) @ model.coefficients + model.offsets

    def add(block: slice) -> None:
        weighted = indicators(labels[block], n_clusters) * weights[block, None]
        sums[block.start] = columns(block).T @ weighted

    def decide_and_add(block: slice) -> None:
        decide(block)
        labels[block] = decisions[block].argmax(axis=1)
        add(block)

    if balance.bounded:  # limits concern all samples, so labels come between
        for_blocks(decide, len(weights), n_threads)
        labels[:] = assign_within_limits(decisions, weights, balance.limits)
        for_blocks(add, len(weights), n_threads)
    else:
        for_blocks(decide_and_add, len(weights), n_threads)
    return labels, np.sum([sums[start] for start in sorted(sums)], axis=0)


def _refitted(
    model: MarginModel,
    projection: np.ndarray,
    sums: np.ndarray,
    sizes: np.ndarray,
    power: float,
) -> MarginModel:
    """Return the model of the labels that gave these sums, as `model_of_labels`."""
    totals = projection.T @ sums
    within = np.einsum("mh,mh->h", totals, totals)
    factors, offsets = decision_terms(within, sizes, power)
    return replace(model, coefficients=(projection @ totals) * factors, offsets=offsets)
