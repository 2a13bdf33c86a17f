"""From labels of a part to labels of all: a classifier, trained and polished.

A search needs some thousand samples; labels are wanted for all. So a least-squares
classifier with landmarks is trained on the labels that were found. Passes over many
more samples then raise the objective of maximum margin clustering with that classifier,
``sum_h z_h' S z_h / n_h^p``, to a local optimum, and the classifier labels all samples.
Memory and the time of everything but the last step do not grow with their number.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.clustering.candidates import KERNEL_POWER, Candidate, Similarity
from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.wishes import Wishes
from maxmargin.kernels.blocks import ArrayBlocks, Blocks, RowSource
from maxmargin.kernels.feature_map import KernelColumns
from maxmargin.kernels.kernel import Kernel, make_kernel
from maxmargin.kernels.landmarks import choose_landmarks
from maxmargin.kernels.low_rank_smoother import (
    factor_corner,
    factor_gram,
    gram_of_block,
    project_columns,
)
from maxmargin.kernels.reservoir import Reservoir
from maxmargin.kernels.smoother import Ridge
from maxmargin.search.balance import Balance
from maxmargin.search.passes import (
    Decisions,
    Sums,
    add_sums,
    decide_by,
    pass_block,
    pass_within_limits,
    repeat_passes,
    sum_columns,
)

# Passes take so many samples, fewer where memory is short; the sums over them are then
# known to a fraction of a percent. The inner products of kernel columns are taken from
# some of them, so many for each landmark.
POLISH_SAMPLES = 50_000
GRAM_PER_LANDMARK = 25


@dataclass(frozen=True)
class Labelled:
    """Samples of X with the labels that a search has found."""

    X: Any
    candidate: Candidate
    labels: np.ndarray


@dataclass(frozen=True)
class Trained:
    """A classifier for all samples, and which part it learned from."""

    model: MarginModel
    best: int
    history: tuple[float, ...]  # the objective after each pass
    converged: bool


def train_on_parts(
    parts: list[Labelled],
    source: RowSource,
    similarity: Similarity,
    wishes: Wishes,
    random: np.random.RandomState,
    memory: float,
) -> Trained:
    """Train a classifier on the labels of each part, and polish the best.

    All have the same landmarks and make passes over the same samples, so that their
    objectives can be compared; the best goes on with more samples.
    """
    X, candidate = parts[0].X, parts[0].candidate
    kernel, ridge = _kernel_and_ridge(X, similarity, candidate, random)
    degrees = ridge.expected_degrees(len(candidate.sample.indices))
    wish = "auto" if similarity.landmarks is None else similarity.landmarks
    landmarks = choose_landmarks(kernel, X, candidate.sample, wish, random, degrees)
    inner = factor_corner(kernel, X, landmarks)
    feature_map = KernelColumns(kernel, landmarks)
    most = int(min(POLISH_SAMPLES, max(memory / 4 / (8 * len(inner)), len(inner))))
    many = source.draw(most, random).replaced(feature_map)
    thinning = max(1, min(most, source.n_samples) // (GRAM_PER_LANDMARK * len(inner)))
    outer = _factor_some(many.thinned(thinning), inner, source.total_weight, ridge)
    projection = project_columns(inner, outer)
    balance = wishes.make_balance(source.some_weights(), KERNEL_POWER)
    starts = []
    for part in parts:
        sample = part.candidate.sample
        columns = feature_map(part.X[sample.indices])
        sums = sum_columns(columns, sample.weights, part.labels, wishes.n_clusters)
        starts.append(decide_by(sums, projection, balance.power))

    def polish(start: Decisions, one_pass):
        return repeat_passes(
            one_pass,
            start,
            projection,
            balance.power,
            max_iter=wishes.max_iter,
            on_iteration=wishes.on_iteration,
        )

    best = 0
    if len(parts) > 1:
        some = many.thinned(len(parts))
        one_pass = _one_pass(some, balance, source.total_weight)
        runs = [polish(start, one_pass) for start in starts]
        best = int(np.argmax([history[-1] for _, history, _ in runs]))
        starts = [decisions for decisions, _, _ in runs]
    decisions, history, converged = polish(
        starts[best], _one_pass(many, balance, source.total_weight)
    )
    model = MarginModel(feature_map, decisions.coefficients, decisions.offsets)
    return Trained(model, best, history, converged)


def _factor_some(
    blocks: Blocks, inner: np.ndarray, total_weight: float, ridge: Ridge
) -> np.ndarray:
    """Return ``C`` of ``C C' = Z' W Z + a I``, the sum estimated from some rows."""
    parts = blocks.map(partial(_gram_and_weight, inner))
    gram = np.sum([gram for gram, _, _ in parts], axis=0)
    weight = sum(weight for _, weight, _ in parts)
    n_rows = sum(number for _, _, number in parts)
    return factor_gram(gram * (total_weight / weight), ridge, n_rows)[1]


def _gram_and_weight(
    inner: np.ndarray, columns: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, float, int]:
    gram = gram_of_block(columns, weights, inner)
    return gram, float(weights.sum()), len(weights)


def _one_pass(blocks: Blocks, balance: Balance, total_weight: float):
    """Return the function that passes over blocks of kernel columns."""
    if not balance.bounded:
        return lambda decisions: add_sums(
            blocks.map(partial(pass_block, decisions=decisions))
        )
    if not isinstance(blocks, ArrayBlocks):
        raise ValueError(
            "Limits of cluster sizes need all samples in one place: use "
            "MaxMarginClustering, or balance='free'."
        )
    columns = np.concatenate([rows for rows, _ in blocks.parts])
    weights = np.concatenate([weights for _, weights in blocks.parts])
    limits = balance.scaled(weights.sum() / total_weight).limits

    def limited(decisions: Decisions) -> Sums:
        return pass_within_limits(columns, weights, decisions, limits)

    return limited


def make_reservoir(n_features: int, memory: float, random_state) -> Reservoir:
    """Return room for the samples of the passes, in a quarter of the memory."""
    fitting = int(memory / 4 / (8 * n_features))
    return Reservoir(min(POLISH_SAMPLES, fitting), check_random_state(random_state))


def _kernel_and_ridge(
    X, similarity: Similarity, candidate: Candidate, random: np.random.RandomState
) -> tuple[Kernel, Ridge]:
    """Return the kernel of the classifier: the chosen one, or radial for a graph.

    A kernel that the user named keeps the degrees of freedom that it had on the part.
    """
    feature_map = candidate.smoother.feature_map
    if isinstance(feature_map, KernelColumns):
        if similarity.ridge == Ridge():
            return feature_map.kernel, similarity.ridge
        return feature_map.kernel, Ridge(None, candidate.smoother.degrees_of_freedom)
    samples = X[candidate.sample.indices]
    return make_kernel("rbf", samples, gamma=similarity.gamma, random=random), Ridge()
