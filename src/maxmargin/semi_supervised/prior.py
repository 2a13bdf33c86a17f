"""What clusters are corrected with: features and labellings without labels and pairs.

It does not depend on the corrections, so that a warm start keeps it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.clustering.labellings import drop_near_copies, other_labellings
from maxmargin.clustering.max_margin import MaxMarginClustering
from maxmargin.metrics.matching import match_labels
from maxmargin.rows.sample import Sample, normalise_weights
from maxmargin.semi_supervised.pair_model import (
    Answers,
    PairModel,
    PairSpace,
    fit_pairs,
    make_pair_space,
    pair_graph,
)
from maxmargin.semi_supervised.pool import Pool
from maxmargin.smoothers.kernel import Kernel

KERNELS = ("radial kernel", "linear kernel")  # of the clusterings with a weight


@dataclass(frozen=True)
class PairPrior:
    """The samples of a fit as corrections see them.

    A row that is not among them is represented by the nearest one.
    """

    X: Any  # the samples
    weights: np.ndarray
    space: PairSpace
    indices: np.ndarray  # (m,), the rows of the samples
    nearest: np.ndarray  # (n,), the position of the sample that represents each row
    parameters: dict[str, Any]  # of `MaxMarginClustering`, for other clusterings
    default: np.ndarray | None = None  # (n,), of all rows, if pairs choose
    last: dict[str, Any] = field(default_factory=dict)  # start, and its scores

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.parameters["n_clusters"])

    @cached_property
    def labellings(self) -> dict[str, np.ndarray]:
        """Return other labels of the samples, all that pairs choose among."""
        clusterer = MaxMarginClustering(**self.parameters)
        only = KERNELS if self.default is None else None
        return dict(other_labellings(clusterer, self.X, self.weights, only))

    @cached_property
    def pool(self) -> Pool:
        """Return the labellings of all rows that pairs choose among."""
        assert self.default is not None
        own = [(name, one[self.nearest]) for name, one in self.labellings.items()]
        kept = [one.labels for one in drop_near_copies(self.default, own)]
        return Pool(np.stack([self.default, *kept]))

    @cached_property
    def others(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the labels of other clusterings, and the logs of the memberships.

        They are those by a radial and a linear kernel, and the default ones.
        """
        found = [self.labellings[one] for one in KERNELS if one in self.labellings]
        if self.default is not None:
            found.append(self.default[self.indices])
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
                if not np.array_equal(labels, start):
                    found.append(self._matched(labels, logs, start))
            self.last.update(start=key, scores=np.stack(found))
        result: np.ndarray = self.last["scores"]
        return result

    def _matched(
        self, labels: np.ndarray, logs: np.ndarray, start: np.ndarray
    ) -> np.ndarray:
        """Return logs of memberships with the clusters in the order of the start."""
        matched = np.empty_like(logs)
        names = match_labels(labels, start, self.n_clusters, self.weights)
        matched[:, names] = logs
        return matched

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
    X,
    sample: Sample,
    kernel: Kernel,
    parameters: dict[str, Any],
    default: np.ndarray | None = None,
) -> PairPrior:
    """Return the prior of the samples drawn from rows X.

    ``default`` are the labels of all rows without pairs, if pairs choose among
    labellings.
    """
    rows = X[sample.indices]
    weights = normalise_weights(sample.weights, len(sample.indices))
    graph = pair_graph(rows, weights, parameters["n_clusters"])
    space = make_pair_space(rows, graph, kernel)
    nearest = sample.inverse
    missing = np.flatnonzero(nearest < 0)
    if len(missing):
        nearest[missing] = space.index.query(X[missing], 1)[1][:, 0]
    return PairPrior(rows, weights, space, sample.indices, nearest, parameters, default)
