"""What clusters are corrected with: features and clusterings without labels and pairs.

It does not depend on the corrections, so that a warm start keeps it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.metrics.matching import match_labels
from maxmargin.rows.sample import Sample, draw_positions, normalise_weights
from maxmargin.semi_supervised.pair_model import (
    Answers,
    PairModel,
    PairSpace,
    fit_pairs,
    make_pair_space,
    pair_graph,
)
from maxmargin.smoothers.kernel import Kernel

CLUSTERED_SAMPLES = 1000  # by other kernels


class OtherClustering(MaxMarginClustering):
    """Clusters that are evidence beside others; some of them may be empty."""

    def _warn_if_empty(self, result):
        """Do not warn: nobody asked for these clusters."""


@dataclass(frozen=True)
class PairPrior:
    """The samples of a fit as corrections see them.

    A row that is not among them is represented by the nearest one.
    """

    X: Any  # the samples
    weights: np.ndarray
    space: PairSpace
    nearest: np.ndarray  # (n,), the position of the sample that represents each row
    parameters: dict[str, Any]  # of `MaxMarginClustering`, for other clusterings
    last: dict[str, Any] = field(default_factory=dict)  # start, and its scores

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.parameters["n_clusters"])

    @cached_property
    def others(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the labels of other clusterings, and the logs of the memberships."""
        found = other_clusterings(self.X, self.weights, self.parameters)
        return [(labels, self._logs(labels)) for labels in found]

    def _logs(self, labels: np.ndarray) -> np.ndarray:
        return np.log(self.space.memberships(labels, self.n_clusters))

    def scores(self, start: np.ndarray) -> np.ndarray:
        """Return the logs of the memberships in clusterings (e x n x k).

        The first one has the labels ``start``, to which the others are matched. Most
        answers leave the start as it is, so that the last scores are kept.
        """
        key = start.tobytes()
        if self.last.get("start") != key:
            found = [self._logs(start)]
            for labels, logs in self.others:
                matched = np.empty_like(logs)
                names = match_labels(labels, start, self.n_clusters, self.weights)
                matched[:, names] = logs
                found.append(matched)
            self.last.update(start=key, scores=np.stack(found))
        result: np.ndarray = self.last["scores"]
        return result

    def correct(self, start: np.ndarray, answers: Answers) -> PairModel:
        """Return the probabilities of clusters that answers change.

        Without any answer they are the memberships of the start.
        """
        if not answers.empty:
            scores = self.scores(start)
            return fit_pairs(self.space.features, scores, answers, self.weights)
        memberships = np.exp(self._logs(start))
        return PairModel(memberships, np.ones(1), 0.0)


def make_prior(
    X, sample: Sample, kernel: Kernel, parameters: dict[str, Any]
) -> PairPrior:
    """Return the prior of the samples drawn from rows X."""
    rows = X[sample.indices]
    weights = normalise_weights(sample.weights, len(sample.indices))
    graph = pair_graph(rows, weights, parameters["n_clusters"])
    space = make_pair_space(rows, graph, kernel)
    nearest = sample.inverse
    missing = np.flatnonzero(nearest < 0)
    if len(missing):
        nearest[missing] = space.index.query(X[missing], 1)[1][:, 0]
    return PairPrior(rows, weights, space, nearest, parameters)


def other_clusterings(
    X, weights: np.ndarray, parameters: dict[str, Any]
) -> list[np.ndarray]:
    """Return the clusters of samples by a radial and by a linear kernel.

    Of many samples some are clustered, and predict the clusters of all. The parameters
    are those of `MaxMarginClustering`.
    """
    if parameters["n_clusters"] == 1:
        return []
    by_content = np.random.RandomState(0)
    some = draw_positions(X.shape[0], CLUSTERED_SAMPLES, by_content)
    model = OtherClustering(**parameters)
    found = []
    for kernel in ("rbf", "linear"):
        model.set_params(kernel=kernel).fit(X[some], sample_weight=weights[some])
        found.append(model.predict(X))
    return found
