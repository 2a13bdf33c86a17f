"""From labels of a part to labels of all: a classifier, trained and polished.

A search needs some thousand samples; labels are wanted for all. So a least-squares
classifier with landmarks is trained on the labels that were found. Passes over many
more samples then raise the objective of maximum margin clustering with that classifier,
``sum_h z_h' S z_h / n_h^p``, to a local optimum, and the classifier labels all samples.
Memory and the time of everything but the last step do not grow with their number.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.clustering.candidates import KERNEL_POWER, Candidate, Similarity
from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.wishes import Wishes
from maxmargin.kernels.feature_map import KernelColumns
from maxmargin.kernels.kernel import Kernel, make_kernel
from maxmargin.kernels.landmarks import choose_landmarks
from maxmargin.kernels.low_rank_smoother import factor_columns, project_columns
from maxmargin.kernels.reservoir import Reservoir
from maxmargin.kernels.sample import draw_rows
from maxmargin.kernels.smoother import Ridge
from maxmargin.kernels.threads import map_blocks
from maxmargin.search.passes import (
    Decisions,
    Sums,
    add_sums,
    pass_block,
    pass_within_limits,
    repeat_passes,
    sum_columns,
)

# Passes take so many samples, fewer where memory is short; the sums over them are then
# known to a fraction of a percent. The inner products of kernel columns are taken from
# so many samples for each landmark.
POLISH_SAMPLES = 50_000
GRAM_PER_LANDMARK = 25
PASS_ROWS = 4096


@dataclass(frozen=True)
class Trained:
    """A classifier for all samples, and the record of its passes."""

    model: MarginModel
    alpha: float
    history: tuple[float, ...]
    converged: bool


@dataclass(frozen=True)
class Student:
    """The features ``k(x, landmarks) projection`` in which the classifier is linear."""

    feature_map: KernelColumns
    projection: np.ndarray
    alpha: float

    def sums_of(
        self, X, indices: np.ndarray, weights: np.ndarray, labels: np.ndarray, k: int
    ) -> Sums:
        """Return the sums of labelled samples, a block at a time."""

        def one(block: slice) -> Sums:
            columns = self.feature_map(X[indices[block]])
            return sum_columns(columns, weights[block], labels[block], k)

        return add_sums(map_blocks(one, len(indices), 1, PASS_ROWS))

    def model(self, decisions: Decisions) -> MarginModel:
        """Return the model that decides so."""
        return MarginModel(self.feature_map, decisions.coefficients, decisions.offsets)


def train_on_part(
    X,
    weights: np.ndarray,
    similarity: Similarity,
    wishes: Wishes,
    candidate: Candidate,
    labels: np.ndarray,
    random: np.random.RandomState,
    n_threads: int,
    memory: float,
) -> Trained:
    """Train a classifier on the labels of a part and polish it on more samples."""
    kernel, ridge = _kernel_and_ridge(X, similarity, candidate, random)
    degrees = ridge.expected_degrees(len(candidate.sample.indices))
    landmarks = choose_landmarks(
        kernel, X, candidate.sample, similarity.landmarks, random, degrees
    )
    rows = draw_polish_rows(weights, landmarks.shape[0], memory, random)
    student = make_student(kernel, landmarks, X, weights, rows, ridge, n_threads)
    sample = candidate.sample
    start = student.sums_of(
        X, sample.indices, sample.weights, labels, wishes.n_clusters
    )
    columns = student.feature_map(X[rows], n_threads)
    balance = wishes.make_balance(weights, KERNEL_POWER)
    part = weights[rows]
    limits = balance.scaled(part.sum() / weights.sum()).limits

    def one_pass(decisions: Decisions) -> Sums:
        if balance.bounded:
            return pass_within_limits(columns, part, decisions, limits)

        def one(block: slice) -> Sums:
            return pass_block(columns[block], part[block], decisions)

        return add_sums(map_blocks(one, len(columns), n_threads, PASS_ROWS))

    decisions, history, converged = repeat_passes(
        one_pass,
        start,
        student.projection,
        balance.power,
        max_iter=wishes.max_iter,
        on_iteration=wishes.on_iteration,
    )
    return Trained(student.model(decisions), student.alpha, history, converged)


def draw_polish_rows(
    weights: np.ndarray,
    n_landmarks: int,
    memory: float,
    random: np.random.RandomState,
) -> np.ndarray:
    """Draw the samples for the passes: what a quarter of the memory holds."""
    fitting = int(memory / 4 / (8 * n_landmarks))
    return draw_rows(weights, max(min(POLISH_SAMPLES, fitting), n_landmarks), random)


def make_reservoir(n_features: int, memory: float, random_state) -> Reservoir:
    """Return room for the samples of the passes, in a quarter of the memory."""
    fitting = int(memory / 4 / (8 * n_features))
    return Reservoir(min(POLISH_SAMPLES, fitting), check_random_state(random_state))


def make_student(
    kernel: Kernel,
    landmarks,
    X,
    weights: np.ndarray,
    rows: np.ndarray,
    ridge: Ridge,
    n_threads: int,
) -> Student:
    """Return the features of a kernel with landmarks, scaled by some of the rows."""
    step = max(len(rows) // (GRAM_PER_LANDMARK * landmarks.shape[0]), 1)
    rows = rows[::step]
    feature_map = KernelColumns(kernel, landmarks)
    columns = feature_map(X[rows], n_threads)
    corner = kernel(X[landmarks] if kernel.precomputed else landmarks, landmarks)
    total = weights.sum() / weights[rows].sum()
    alpha, inner, outer = factor_columns(
        columns, corner, weights[rows] * total, ridge, n_threads
    )
    return Student(feature_map, project_columns(inner, outer), alpha)


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
