"""Names of clusters: a snapshot clustered by itself is named after the past."""

from dataclasses import replace

import numpy as np

from maxmargin.evolving.base import Outcome
from maxmargin.evolving.snapshots import Snapshot, best_renaming, match_objects
from maxmargin.kernels.counts import hellinger


def named_after(
    outcome: Outcome, X, ids: np.ndarray, past: Snapshot, previous: Outcome
) -> Outcome:
    """Name clusters so that most objects are where they were, or would have been.

    Objects of both snapshots have the label that they had, others the one that the
    model before gives to the place where they are.
    """
    assert previous.model is not None
    rows = hellinger(X) if previous.counts else X
    wanted = previous.model.label(rows)
    now, before = match_objects(ids, past.ids)
    wanted[now] = past.labels[before]
    n_clusters = len(previous.model.offsets)
    return rename(outcome, best_renaming(outcome.labels, wanted, n_clusters))


def rename(outcome: Outcome, names: np.ndarray) -> Outcome:
    """Return the outcome with other names for the clusters."""
    back = np.argsort(names)

    def reorder(model):
        if model is None:
            return None
        return replace(
            model,
            coefficients=model.coefficients[:, back],
            offsets=model.offsets[back],
        )

    return replace(
        outcome,
        labels=names[outcome.labels],
        model=reorder(outcome.model),
        functions=reorder(outcome.functions),
    )
