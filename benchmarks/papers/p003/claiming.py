"""Search from given labels by claiming samples near them, until all have a label.

Section 5 of Pahikkala et al. (2014) proposes it for semi-supervised learning, in place
of shaking: classes keep claiming samples without a label, one by one, from the vicinity
of those that have one. With the indicators ``z_h`` of the samples labelled so far, the
next claim is the pair of a sample j and a class d whose gain in the objective of the
paper, the sum of ``z_h' S z_h``, is largest:

    S_jj + 2 (S z_d)_j.

``(S z_d)_j`` is the value at j of the function fitted to class d, so that classes grow
where they are predicted best. A claim is found in O(n k) and updates one row of scores
in O(n).
"""

import numpy as np

from maxmargin.compiled import compiled
from maxmargin.search.balance import Balance
from maxmargin.search.constraints import Constraints, merge_groups


@compiled
def claim_all(smoother, weights, limits, labels, scores, sizes):
    """Give every sample with label -1 a class, in place; return their number.

    A class that a sample would take beyond its largest size claims it only if all
    classes are full.
    """
    n_samples = labels.shape[0]
    n_classes = sizes.shape[0]
    n_claims = 0
    while True:
        best = -1
        best_class = -1
        best_gain = -np.inf
        fits = False
        for j in range(n_samples):
            if labels[j] >= 0:
                continue
            for d in range(n_classes):
                room = sizes[d] + weights[j] <= limits[1, d]
                if fits and not room:
                    continue
                gain = smoother[j, j] + 2.0 * scores[d, j]
                if gain > best_gain or (room and not fits):
                    best, best_class, best_gain = j, d, gain
                    fits = room
        if best < 0:
            return n_claims
        sizes[best_class] += weights[best]
        labels[best] = best_class
        for i in range(n_samples):
            scores[best_class, i] += smoother[best, i]
        n_claims += 1


def claim_labels(
    smoother: np.ndarray,
    weights: np.ndarray,
    constraints: Constraints,
    balance: Balance,
) -> np.ndarray:
    """Return the preference of each group for each class (n_groups x k), 1 or 0.

    Groups with a given label keep it, the others are claimed.
    """
    n_classes = len(balance.targets)
    n_groups = len(constraints.labels)
    smoother, weights = merge_groups(smoother, weights, constraints.groups, n_groups)
    labels = np.array(constraints.labels, dtype=np.int64)
    given = np.eye(n_classes)[:, labels] * (labels >= 0)
    claim_all(
        smoother, weights, balance.limits, labels, given @ smoother, given @ weights
    )
    preferences: np.ndarray = np.eye(n_classes)[labels]
    return preferences
