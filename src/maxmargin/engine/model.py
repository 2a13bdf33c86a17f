"""The decision functions of a fitted estimator."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import qr, solve_triangular

from maxmargin.rows.preparation import Preparation
from maxmargin.rows.threads import BLOCK_ROWS, for_blocks
from maxmargin.search.objective import Objective, decision_terms
from maxmargin.smoothers.cholesky import pivoted_cholesky
from maxmargin.smoothers.feature_map import (
    FeatureMap,
    KernelColumns,
    PreparedFeatures,
)
from maxmargin.smoothers.smoother import Smoother
from maxmargin.smoothers.spectral_smoother import (
    NeighborFeatures,
    NeighborGraph,
    SpectralGraph,
)

# With fewer landmarks: the largest change of a decision value, as a share of their
# standard deviation, and the step in the number of landmarks.
MAX_CHANGE = 1e-2
STEP = 4
# With fewer neighbours: the number up to which all samples are kept, and the steps
# between those kept in the interior of a cluster, each with the share of the others
# that must keep their label, of this number of them. Few are kept only if that changes
# next to nothing, as where there are gaps between the clusters.
KEEP_ALL = 5000
RARE_STEPS = ((512, 0.999), (128, 0.999), (32, 0.999))
INTERIOR_STEPS = (*RARE_STEPS, (8, 0.99), (4, 0.99), (2, 0.99))
CHECKED = 1000


@dataclass(frozen=True)
class MarginModel:
    """Decision values ``feature_map(x) coefficients + offsets``, the largest wins."""

    feature_map: FeatureMap
    coefficients: np.ndarray  # (m, k)
    offsets: np.ndarray  # (k,)

    def decide(self, X) -> np.ndarray:
        """Return the decision values of samples X (n x k), block by block."""
        values = np.empty((X.shape[0], len(self.offsets)))

        def fill(block: slice) -> None:
            values[block] = self._decide_block(X[block])

        for_blocks(fill, X.shape[0], self._block_rows())
        return values

    def label(self, X) -> np.ndarray:
        """Return the cluster of each sample without storing decision values."""
        labels = np.empty(X.shape[0], dtype=np.int64)

        def fill(block: slice) -> None:
            labels[block] = self._decide_block(X[block]).argmax(axis=1)

        for_blocks(fill, X.shape[0], self._block_rows())
        return labels

    def reorder(self, order: np.ndarray) -> "MarginModel":
        """Return the model with the clusters in another order."""
        return replace(
            self, coefficients=self.coefficients[:, order], offsets=self.offsets[order]
        )

    def for_given(self, preparation: Preparation) -> "MarginModel":
        """Return the model for rows as they are given, of one for prepared rows."""
        if preparation.empty:
            return self
        return replace(
            self, feature_map=PreparedFeatures(self.feature_map, preparation)
        )

    def _decide_block(self, X) -> np.ndarray:
        values: np.ndarray = self.feature_map(X) @ self.coefficients + self.offsets
        return values

    def _block_rows(self) -> int:
        """Return the rows of a block, more of them for few features."""
        return BLOCK_ROWS * max(BLOCK_ROWS // max(len(self.coefficients), 1), 1)


def fitted_functions(smoother: Smoother, targets: np.ndarray) -> MarginModel:
    """Return the functions fitted to targets, one column for each."""
    coefficients = smoother.coefficients(targets)
    return MarginModel(smoother.feature_map, coefficients, np.zeros(targets.shape[1]))


def model_of_targets(
    smoother: Smoother, targets: np.ndarray, objective: Objective
) -> tuple[MarginModel, np.ndarray]:
    """Return the model of a labelling, and its decision values at the samples.

    ``targets`` are the indicators ``z_h`` of the clusters, or other memberships. With
    ``f_h`` the function fitted to ``z_h``, ``W_h = z_h' S z_h`` and the size ``n_h``,
    a sample gets the cluster with the largest decision value

        2 f_h(x) / n_h^p - p W_h / n_h^(p + 1),

    the change of the objective to first order when a small weight of x joins cluster h.
    The objective is convex in the sums over the clusters for p between 0 and 1, so a
    move gains at least the difference of two such values: if no single move gains, each
    sample is in the cluster with its largest value. For p = 1 that is the nearest
    centre in the space of the smoother, for p = 0 the largest fitted value.

    Values are scaled by the mean size to the power p, so that they are of the order of
    one for any number of samples. An empty cluster has the decision value -inf.
    """
    scores = smoother.dot(targets)
    coefficients = smoother.coefficients(targets)
    sizes = smoother.weights @ targets
    within = np.einsum("nh,nh->h", targets, scores)
    factors, offsets = decision_terms(within, sizes, objective)
    model = MarginModel(smoother.feature_map, coefficients * factors, offsets)
    return model, scores / smoother.weights[:, None] * factors + offsets


def reduce_landmarks(model: MarginModel, X) -> MarginModel:
    """Return the model with fewer landmarks and nearly the same values at samples X.

    The number of landmarks allows for every function that the ridge does; the fitted
    functions need fewer. In the order of the pivots of a Cholesky factor, in which each
    is the one that those before it span least, the first r are kept, and the decision
    values are fitted by least squares. With ``k(X, landmarks) = Q R`` the coefficients
    solve ``R_rr c = Q_r' d``, so that one factor serves all r.
    """
    columns_of = model.feature_map
    if not isinstance(columns_of, KernelColumns) or columns_of.kernel.name != "rbf":
        return model
    basis = columns_of.basis
    if X.shape[0] <= basis.shape[0]:
        return model
    order = pivoted_cholesky(columns_of.kernel(basis, basis), tolerance=-1.0)[1]
    columns = columns_of(X)
    values = columns @ model.coefficients
    Q, R = qr(columns[:, order], mode="economic")
    parts = Q.T @ values
    allowed = MAX_CHANGE * values.std(axis=0).max()
    residuals = values.copy()
    for size in range(STEP, len(order), STEP):
        new = slice(size - STEP, size)
        residuals -= Q[:, new] @ parts[new]
        if np.abs(residuals).max() <= allowed:
            coefficients = solve_triangular(R[:size, :size], parts[:size])
            few = replace(columns_of, basis=basis[order[:size]])
            return MarginModel(few, coefficients, model.offsets)
    return model


def reduce_neighbors(
    model: MarginModel, labels: np.ndarray, graph: SpectralGraph
) -> MarginModel:
    """Return the model with fewer samples and nearly the same labels.

    Samples with a neighbour in another cluster are kept, and some of the others, so
    many that 99 % of those dropped keep their label. A given graph and several sources
    keep all.
    """
    features = model.feature_map
    if len(labels) <= KEEP_ALL or not isinstance(features, NeighborFeatures):
        return model
    assert isinstance(graph, NeighborGraph)
    others = labels[graph.neighbors] != labels[:, None]
    at_border = (others & (graph.neighbors >= 0)).any(axis=1)
    for step, share in INTERIOR_STEPS:
        kept = at_border.copy()
        kept[::step] = True
        if (step, share) in RARE_STEPS and kept.sum() > KEEP_ALL:
            continue  # those at the borders are most: their index would cost more
        few = replace(model, feature_map=features.take(np.flatnonzero(kept)))
        dropped = np.flatnonzero(~kept)
        some = dropped[:: max(1, len(dropped) // CHECKED)]
        same = few.label(features.index.X[some]) == labels[some]
        if same.mean() >= share:
            return few
    return model
