"""The methods that are compared, and what is measured of a run."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.metrics import churn
from maxmargin.published import (
    EvolvingKMeans,
    EvolvingMMC,
    EvolvingSpectralClustering,
)

STRATEGIES = {"CDE": "cohort", "IDE": "individual", "MI": "model"}
PEERS = ("PCQ", "PCM", "ACC", "IND")
METHODS = (*STRATEGIES, *PEERS)


def make(name, n_clusters, seed, *, loss="hinge", n_init=1):
    """Return the method of a name of the paper; ``n_init`` is that of k-means.

    The hinge loss has the memory of objects, and the factor of the squared shift, of
    the square loss.
    """
    if name in STRATEGIES and loss == "squared":
        return EvolvingMaxMarginClustering(
            n_clusters, strategy=STRATEGIES[name], random_state=seed
        )
    if name in STRATEGIES:
        return EvolvingMMC(
            n_clusters,
            strategy=STRATEGIES[name],
            formulation="adapted",
            half_life="auto",
            random_state=seed,
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
    """What a run reached: the NMI at each time, the churn at each after the first."""

    nmi: np.ndarray
    churn: np.ndarray


def follow(model, steps):
    """Return the scores of a model that takes one snapshot after another."""
    found = []
    for step in steps:
        model.partial_fit(step.X, ids=step.ids, time=step.time)
        found.append(model.labels_)
    return score(steps, found)


def score(steps, found):
    """Return the scores of the labels of all snapshots."""
    nmi, moved = [], []
    past = None
    for step, labels in zip(steps, found, strict=True):
        nmi.append(
            normalized_mutual_info_score(step.y, labels, average_method="geometric")
        )
        if past is not None:
            before, before_labels = past
            _, i, j = np.intersect1d(step.ids, before.ids, return_indices=True)
            if len(i):
                moved.append(churn(labels[i], before_labels[j]))
        past = step, labels
    return Scores(np.array(nmi), np.array(moved))
