"""A classifier trained on the labels of a part, which labels all samples.

A search needs some thousand samples. A least-squares classifier with landmarks is
trained on the labels that were found there. Passes over many more samples then increase
the objective of maximum margin clustering with that classifier,
``sum_h z_h' S z_h / n_h^p``, to a local optimum, and the classifier labels all samples.
Memory, and the time of everything but the last step, do not grow with their number.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.engine.candidates import Candidate
from maxmargin.engine.choice import Clusters
from maxmargin.engine.model import MarginModel
from maxmargin.engine.options import Options
from maxmargin.rows.blocks import Blocks, Reservoir, RowSource
from maxmargin.search.passes import decide_by, pass_over, repeat_passes, sum_columns
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.feature_map import KernelColumns
from maxmargin.smoothers.kernel import Kernel, make_kernel
from maxmargin.smoothers.landmarks import Landmarks, choose_landmarks
from maxmargin.smoothers.smoother import estimate_factor, factor_corner, project_columns

# The number of samples of the passes, fewer if memory is short; the sums over them are
# then known to a fraction of a percent. The inner products of kernel columns are
# estimated from some of them, this number per landmark.
PASS_SAMPLES = 50_000
GRAM_PER_LANDMARK = 25


@dataclass(frozen=True)
class TrainedClassifier:
    """A classifier for all samples."""

    model: MarginModel
    converged: bool


def train_classifier(
    part: Clusters,
    source: RowSource,
    options: Options,
    random: np.random.RandomState,
) -> TrainedClassifier:
    """Train a classifier on the clusters of a part, and improve it by passes."""
    features = _make_features(part, source, options, random)
    weights = source.positive_weights()
    balance = options.make_balance(weights, part.candidate.objective)
    sample = part.candidate.sample
    columns = features.columns(part.X[sample.indices])
    sums = sum_columns(columns, sample.weights, part.labels, options.n_clusters)
    run = repeat_passes(
        pass_over(features.blocks, balance, source.total_weight),
        decide_by(sums, features.projection, balance.objective),
        projection=features.projection,
        objective=balance.objective,
        on_iteration=options.on_iteration,
    )
    model = MarginModel(features.columns, *run.decisions)
    return TrainedClassifier(model, run.converged)


class _Features(NamedTuple):
    """The features of the classifier, and kernel columns of the samples of passes."""

    columns: KernelColumns
    projection: np.ndarray
    blocks: Blocks


def _make_features(
    part: Clusters, source: RowSource, options: Options, random: np.random.RandomState
) -> _Features:
    """Choose landmarks in a part, and draw the samples of the passes."""
    candidate = part.candidate
    kernel, ridge = _kernel_and_ridge(part.X, options, candidate, random)
    degrees = ridge.expected_degrees(len(candidate.sample.indices))
    basis = choose_landmarks(
        kernel, part.X, candidate.sample, Landmarks(), random, degrees
    )
    inner = factor_corner(kernel, part.X, basis)
    columns = KernelColumns(kernel, basis)
    n_fitting = max(options.memory / 4 / (8 * len(inner)), len(inner))
    n_passed = int(min(PASS_SAMPLES, n_fitting))
    blocks = source.draw(n_passed, random).transform(columns)
    step = max(1, min(n_passed, source.n_samples) // (GRAM_PER_LANDMARK * len(inner)))
    some = blocks.every(step)
    outer = estimate_factor(some, inner, source.total_weight, ridge)
    return _Features(columns, project_columns(inner, outer), blocks)


def make_reservoir(n_features: int, memory: float, random_state) -> Reservoir:
    """Return an empty reservoir for the samples of the passes.

    Its size is limited to a quarter of the memory.
    """
    fitting = int(memory / 4 / (8 * n_features))
    return Reservoir(min(PASS_SAMPLES, fitting), check_random_state(random_state))


def _kernel_and_ridge(
    X, options: Options, candidate: Candidate, random: np.random.RandomState
) -> tuple[Kernel, Ridge]:
    """Return the kernel of the classifier: the chosen one, or radial for a graph.

    A kernel that was given keeps the degrees of freedom that it had on the part. Those
    of a kernel beside the graph are automatic.
    """
    feature_map = candidate.smoother.feature_map
    if isinstance(feature_map, KernelColumns):
        beside_graph = candidate.positions is not None
        if beside_graph or isinstance(options.degrees_of_freedom, str):
            return feature_map.kernel, Ridge()
        return feature_map.kernel, Ridge(None, candidate.smoother.degrees_of_freedom)
    samples = X[candidate.sample.indices]
    return make_kernel("rbf", samples, gamma=options.gamma, random=random), Ridge()
