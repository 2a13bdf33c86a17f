"""The smoother of several sources of the same samples: the sum of theirs.

A classifier of its own is trained in each source. With the smoothers ``S_s`` of the
sources, the classifiers of labels ``z_h`` leave the squared losses

    sum_s w_s sum_h (z_h' W z_h - z_h' S_s z_h) = const - sum_h z_h' (sum_s w_s S_s) z_h

for weights ``w_s`` that add up to one. So the labels that are separated best in all
sources at once are those of the smoother ``S = sum_s w_s S_s``, whose features are
those of the sources side by side, times ``sqrt(w_s)``. In the objective
``sum_h sqrt(z_h' S z_h)`` a cluster has one direction in all of them, in which a source
counts as much as it holds this cluster together; the sum of the objectives of single
sources would not tell clusters apart in this respect.

The weights are how far a source agrees with the common labels. With features of unit
length and the sums ``s_h`` of those of a cluster, ``R_s = sum_h |s_h| / n`` is the mean
cosine between the samples and the centres of their clusters. If directions are
distributed around the centres as von Mises and Fisher suppose, the concentration that
is most likely is proportional to ``R_s / (1 - R_s^2)`` in many dimensions [1]_, and the
likelihood weighs the cosines of a source by its concentration. Labels and weights are
found in turns.

References
----------
.. [1] A. Banerjee, I. S. Dhillon, J. Ghosh, S. Sra. Clustering on the unit hypersphere
   using von Mises-Fisher distributions. Journal of Machine Learning Research 6, 2005.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.rows.sample import Sample, draw_sample
from maxmargin.rows.sources import Sources
from maxmargin.search.features import squared_lengths, sum_rows
from maxmargin.search.objective import Objective
from maxmargin.search.relocation import relocate_centers
from maxmargin.smoothers.feature_map import FeatureMap
from maxmargin.smoothers.smoother import LowRankSmoother
from maxmargin.smoothers.spectral_smoother import VECTORS_PER_CLUSTER, NeighborGraph

MAX_TURNS = 5
SETTLED = 0.01  # the largest change of a weight after which there is no other turn
LARGEST_COSINE = 0.999  # a source that fits perfectly has no infinite weight


@dataclass(frozen=True)
class SourceFeatures(FeatureMap):
    """The features of several sources side by side, times the roots of weights."""

    sources: Sources
    maps: tuple[FeatureMap, ...]
    shares: np.ndarray  # the weights, which add up to one

    def __call__(self, X) -> np.ndarray:  # noqa: D102
        parts = self.sources.split(X)
        features = [one(part) for one, part in zip(self.maps, parts, strict=True)]
        return side_by_side(features, self.shares)


def side_by_side(features: Sequence[np.ndarray], shares: np.ndarray) -> np.ndarray:
    """Return features of ``sum_s w_s S_s``, given those of each source."""
    scaled = [
        np.sqrt(share) * rows for share, rows in zip(shares, features, strict=True)
    ]
    return np.ascontiguousarray(np.hstack(scaled))


def source_smoother(
    X: Any,
    weights: np.ndarray,
    sources: Sources,
    degrees: float,
    n_clusters: int,
    objective: Objective,
) -> LowRankSmoother:
    """Return the smoother of samples that have several sources.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_samples, n_features)
        The samples, with the columns of the sources side by side.
    weights : ndarray of shape (n_samples,)
    sources : Sources
    degrees : float
        The degrees of freedom of each smoother, and so of their sum.
    n_clusters : int
    objective : Objective
    """
    own = [
        smoother_of_source(part, weights, degrees, n_clusters)
        for part in sources.split(X)
    ]
    features = [smoother.features[sample.groups] for smoother, sample in own]
    shares = agreement(features, weights, n_clusters, objective)
    maps = tuple(smoother.feature_map for smoother, _ in own)
    joint = side_by_side(features, shares)
    return LowRankSmoother(
        SourceFeatures(sources, maps, shares),
        weights,
        own[0][0].alpha,
        joint,
        np.eye(joint.shape[1]),
    )


def smoother_of_source(
    X: Any, weights: np.ndarray, degrees: float, n_clusters: int
) -> tuple[LowRankSmoother, Sample]:
    """Return the smoother of the distinct samples of a source, and these.

    Samples that differ in other sources may be equal in this one. As nodes of their
    own they would be islands of the graph.
    """
    random = np.random.RandomState(0)  # all are drawn
    sample = draw_sample(X, weights, merge=True, limit=None, random=random, least=1)
    n_vectors = max(VECTORS_PER_CLUSTER * n_clusters, int(np.ceil(2 * degrees)))
    graph = NeighborGraph(X[sample.indices], sample.weights, n_vectors, n_clusters)
    smoother = graph.soft_smoother(min(degrees, 0.9 * len(graph.values)))
    return smoother, sample


def agreement(
    features: Sequence[np.ndarray],
    weights: np.ndarray,
    n_clusters: int,
    objective: Objective,
) -> np.ndarray:
    """Return the weights of sources by how far they agree with the common labels.

    They begin equal. The starts of the search are drawn alike in all fits, so that the
    weights do not depend on a seed.
    """
    shares = np.full(len(features), 1.0 / len(features))
    if n_clusters == 1 or len(weights) <= n_clusters:
        return shares
    for _ in range(MAX_TURNS):
        labels = relocate_centers(
            side_by_side(features, shares),
            weights,
            n_clusters,
            np.random.RandomState(0),
            objective=objective,
        ).labels
        cosines = [mean_cosine(rows, weights, labels, n_clusters) for rows in features]
        fits = np.minimum(cosines, LARGEST_COSINE)
        concentrations = fits / (1.0 - fits**2)
        before, shares = shares, concentrations / concentrations.sum()
        if np.abs(shares - before).max() <= SETTLED:
            break
    return shares


def mean_cosine(
    features: np.ndarray, weights: np.ndarray, labels: np.ndarray, n_clusters: int
) -> float:
    """Return the mean cosine between samples and the centres of their clusters."""
    sums, _ = sum_rows(features, weights, labels, n_clusters)
    length = float(np.sqrt(squared_lengths(features).max()))
    total = np.sqrt(squared_lengths(sums)).sum()
    return float(total / (length * weights.sum()))
