"""The methods that are compared, and what is measured of a run."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from maxmargin import (
    EvolvingKMeans,
    EvolvingMaxMarginClustering,
    EvolvingSpectralClustering,
)
from maxmargin.metrics import churn, km_cost

STRATEGIES = {"CDE": "cohort", "IDE": "individual", "MI": "model"}
PEERS = ("PCQ", "PCM", "ACC", "IND")
METHODS = (*STRATEGIES, *PEERS)


def make(name, n_clusters, seed, *, loss="hinge", n_init=1):
    """Return the method of a name of the paper; ``n_init`` is that of k-means."""
    if name in STRATEGIES:
        return EvolvingMaxMarginClustering(
            n_clusters, strategy=STRATEGIES[name], loss=loss, random_state=seed
        )
    if name in ("ACC", "IND"):
        history = "accumulate" if name == "ACC" else "none"
        return EvolvingKMeans(
            n_clusters, history=history, n_init=n_init, random_state=seed
        )
    preserve = "quality" if name == "PCQ" else "membership"
    return EvolvingSpectralClustering(
        n_clusters, preserve=preserve, n_init=n_init, random_state=seed
    )


@dataclass(frozen=True)
class Scores:
    """What a run reached at each time after the first."""

    nmi: np.ndarray
    cost: np.ndarray  # equation (20), each snapshot with its own labels
    carried: np.ndarray  # the same, the past with the present labels of its objects
    churn: np.ndarray


def follow(model, steps):
    """Return the scores of a model that takes one snapshot after another."""
    nmi, cost, carried, moved = [], [], [], []
    past = None
    for step in steps:
        model.partial_fit(step.X, ids=step.ids, time=step.time)
        labels = model.labels_
        nmi.append(
            normalized_mutual_info_score(step.y, labels, average_method="geometric")
        )
        if past is not None:
            before, before_labels = past
            cost.append(km_cost(step.X, labels, before.X, before_labels).total)
            _, i, j = np.intersect1d(step.ids, before.ids, return_indices=True)
            if len(i):
                carried.append(km_cost(step.X, labels, before.X[j], labels[i]).total)
                moved.append(churn(labels[i], before_labels[j]))
        past = step, labels
    return Scores(*(np.array(one) for one in (nmi, cost, carried, moved)))
