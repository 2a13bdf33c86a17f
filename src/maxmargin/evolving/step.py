"""What the strategies share: the input of a step, and the match with the past."""

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.metrics import homogeneity_score

from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.parameters import Options
from maxmargin.evolving.snapshots import Matches, Snapshot, match_objects
from maxmargin.metrics.matching import match_labels


@dataclass(frozen=True)
class Outcome:
    """The clusters of one snapshot."""

    labels: np.ndarray
    model: MarginModel | None  # for any sample
    functions: MarginModel | None  # the functions fitted to the indicators
    costs: tuple[float, float, float]  # snapshot, temporal, objective
    converged: bool = True
    memory: Any = None  # further data that the next step needs

    def rename(self, names: np.ndarray) -> "Outcome":
        """Return the outcome with new labels for the clusters."""
        order = np.argsort(names)
        return replace(
            self,
            labels=names[self.labels],
            model=None if self.model is None else self.model.reorder(order),
            functions=None if self.functions is None else self.functions.reorder(order),
        )


@dataclass(frozen=True)
class Step:
    """The input of a step with the square loss: two snapshots and the options."""

    X: Any  # the present rows
    past_X: Any
    past_labels: np.ndarray
    matches: Matches
    weight: float  # of the present
    options: Options
    max_samples: int  # to search
    random: np.random.RandomState

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.options.n_clusters)


def name_after_past(
    outcome: Outcome, X, ids: np.ndarray, past: Snapshot, previous: Outcome
) -> Outcome:
    """Rename clusters so that most objects keep their label.

    Objects of both snapshots have their previous label, others the label that the
    previous model predicts.
    """
    assert previous.model is not None
    reference = previous.model.label(X)
    now, before = match_objects(ids, past.ids)
    reference[now] = past.labels[before]
    n_clusters = len(previous.model.offsets)
    return outcome.rename(match_labels(outcome.labels, reference, n_clusters))


def balance_in_weights(
    balance: Any, n_clusters: int, factor: float
) -> str | float | list:
    """Return the option ``balance`` with numbers of objects multiplied by a factor."""
    if isinstance(balance, (str, numbers.Real)) or balance is None or factor == 1.0:
        return balance
    values = list(balance)
    proportions = len(values) == n_clusters and None not in values
    if proportions and np.isclose(sum(values), 1.0):
        return values
    return [None if value is None else value * factor for value in values]


def prefer(costs: Sequence[float], moved: Sequence[float], weight: float) -> int:
    """Return the position of the labelling to keep, the first one among equals.

    Two optima may be nearly equal and far apart, and the better one may change with
    time. So besides the cost, in units of the smallest one, the share of objects that
    change their cluster counts, equation (17) of Fan et al.; the former with the weight
    of the present, the latter with that of the past. Costs may be negative, as some are
    given up to a constant.
    """
    smallest = min(costs)
    unit = max(abs(smallest), np.finfo(float).tiny)
    values = [
        weight * (cost - smallest) / unit + (1.0 - weight) * change
        for cost, change in zip(costs, moved, strict=True)
    ]
    return int(np.argmin(values))


def separates_snapshots(labels: np.ndarray, old: np.ndarray, known: np.ndarray) -> bool:
    """Return True if labels predict the snapshot of a row better than its old cluster.

    That is, if they contain a larger share of the information about the snapshot
    (``old`` or not) than of that about the labels known from before (-1 for none). When
    all objects shift, two snapshots may be further apart than two clusters.
    """
    there = known >= 0
    of_cluster = homogeneity_score(known[there], labels[there])
    return bool(homogeneity_score(old, labels) > of_cluster)
