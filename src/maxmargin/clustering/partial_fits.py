"""Fits to samples that arrive in blocks."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from maxmargin.clustering.base import check_n_samples, unchanged_on_failure
from maxmargin.clustering.samples import sample_blocks
from maxmargin.engine.choice import membership_strengths
from maxmargin.engine.options import Options
from maxmargin.engine.part_classifier import make_reservoir
from maxmargin.rows.blocks import ArraySource, Reservoir
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.rows.validation import check_weights
from maxmargin.tables.objects import is_lazy, is_table


def _accepts_blocks(estimator):
    if estimator.kernel == "precomputed":
        raise AttributeError(
            "partial_fit is not available for a precomputed kernel, each row of which "
            "has a value for every sample: use fit, or another kernel."
        )
    return True


class PartialFitMixin:
    """``partial_fit`` of a clusterer, whose ``_fit`` takes the rows of a source."""

    _reservoir: Reservoir | None = None  # the samples that are kept

    # Of the clusterer.
    _fit: Any
    _model: Any
    decision_function: Any
    n_clusters: Any
    predict: Any
    random_state: Any
    tree_: Any
    labels_: Any
    outlier_scores_: Any
    probabilities_: Any

    @available_if(_accepts_blocks)
    @unchanged_on_failure
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add a block of samples, and find the clusters of all blocks so far.

        A random part of at most 50,000 samples of all blocks is kept, fewer if memory
        is limited, and fitted anew in each call. ``labels_`` are those of the block.
        Size limits hold among the samples that are kept, and ``scale_`` has their
        standard deviations. To fit a large table in blocks once, pass it to ``fit``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : Ignored
            Present for the conventions of scikit-learn.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self : object
        """
        options = Options.of(self)
        reset = self._reservoir is None
        kept = None if self._reservoir is None else self._reservoir.copy()
        again = not is_table(X) or is_lazy(X)
        blocks = []  # to label, of a table that may be a stream, which is read once
        for block in sample_blocks(
            self, X, reset=reset, whole=sample_weight is not None
        ):
            if not again:
                blocks.append(block)
            if kept is None:
                kept = make_reservoir(block.shape[1], options.memory, self.random_state)
            kept.add(block, check_weights(sample_weight, block.shape[0]))
        assert kept is not None  # there is at least one block
        self._reservoir, self.n_samples_seen_ = kept, kept.n_seen
        check_n_samples(len(kept.weights), self.n_clusters)
        self._fit(ArraySource(kept.rows, kept.weights, kept.n_seen), options)
        self._set_labels_of_block(X if again else blocks, again)
        self.tree_ = replace(self.tree_, leaves=None)  # those of the samples kept
        self.outlier_scores_ = None
        return self

    def _set_labels_of_block(self, X, again):
        """Set labels and strengths of a block of rows, or of its parts if read once."""
        if is_lazy(X):  # decision values of all rows may not fit in memory
            self.labels_, self.probabilities_ = self.predict(X), None
            return
        with single_threaded_libraries():
            parts = [] if again else [self._model.decide(part) for part in X]
        decisions = self.decision_function(X) if again else np.concatenate(parts)
        self.labels_ = decisions.argmax(axis=1)
        strengths = membership_strengths(decisions, self.labels_)
        self.probabilities_ = strengths.astype(np.float32)
