r"""Answers choose among several labellings of the same samples.

With the share ``b`` of pairs that are together in the default labels, and a labelling e
whose adjusted Rand index with the truth is ``r``, two samples are together with the
probability

    s = r + (1 - r) b  if they are together in e,    a = (1 - r) b  if not:

this is what the index means for a random pair if sizes agree. Thus answers about pairs
have a likelihood under each labelling, for a typical ``r``. An answer about samples i
and j speaks for the samples of their clusters only, the shares ``m_i`` and ``m_j`` of
all, so that its likelihood has the power ``min(1, m_i + m_j)``: with many clusters a
few answers do not judge a whole labelling.

Before any answer the default labels have the probability ``DEFAULT_SHARE``, and the
others share the rest in proportion to their mean agreement with all: a labelling that
resembles none is hardly the truth. The choice is the labelling with the largest
expected agreement with the truth under the posterior ``w``.

The answer about a pair that is together in labellings of total weight
``S = sum_e w_e [together in e]`` tells

    v(S) = H(S s + (1 - S) a) - S H(s) - (1 - S) H(a)

about the labellings, with the entropy H: nothing where they agree. `pairs_to_choose`
asks about pairs by this value, until a labelling has the probability ``DECIDED``.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.metrics import adjusted_rand_score

from maxmargin.metrics.matching import match_labels
from maxmargin.search.constraints import Constraints
from maxmargin.semi_supervised.parts import Parts

QUALITY = 0.4  # the typical adjusted Rand index r of a labelling
DEFAULT_SHARE = 0.4
LEAST_AGREEMENT = 0.02  # so that no labelling is impossible
LEAST_INFORMATION = 0.02  # nats that an answer tells about the choice of labels
DECIDED = 0.9


@dataclass(frozen=True)
class Pool:
    """Labellings of the same samples, the default one first."""

    labels: np.ndarray  # (e, n)

    @cached_property
    def agreements(self) -> np.ndarray:
        """Return the adjusted Rand indices of the labellings (e x e)."""
        result = np.eye(len(self.labels))
        for i, one in enumerate(self.labels):
            for j in range(i):
                result[i, j] = adjusted_rand_score(one, self.labels[j])
                result[j, i] = result[i, j]
        return result

    @cached_property
    def probabilities(self) -> tuple[float, float]:
        """Return s and a, the probabilities that samples are together."""
        shares = np.bincount(self.labels[0]) / self.labels.shape[1]
        together = float(shares @ shares)
        apart = (1.0 - QUALITY) * together
        return QUALITY + apart, apart

    @cached_property
    def prior(self) -> np.ndarray:
        """Return the probabilities of the labellings before any answer."""
        n_others = len(self.labels) - 1
        if not n_others:
            return np.ones(1)
        means = (self.agreements.sum(axis=1) - 1.0) / n_others
        weights = np.maximum(means, LEAST_AGREEMENT)
        weights[1:] *= (1.0 - DEFAULT_SHARE) / weights[1:].sum()
        weights[0] = DEFAULT_SHARE
        return weights

    @cached_property
    def shares(self) -> np.ndarray:
        """Return the share of the samples for which each sample speaks (n,)."""
        result = np.zeros(self.labels.shape[1])
        for weight, labels in zip(self.prior, self.labels, strict=True):
            result += weight * np.bincount(labels)[labels] / len(labels)
        return result

    def posterior(self, must_link: np.ndarray, cannot_link: np.ndarray) -> np.ndarray:
        """Return the probabilities of the labellings after answers."""
        logs = np.log(self.prior)
        for pairs, answer in ((must_link, True), (cannot_link, False)):
            first, second = self.labels[:, pairs[:, 0]], self.labels[:, pairs[:, 1]]
            together, apart = self.probabilities
            found = np.where(first == second, together, apart)
            powers = np.minimum(self.shares[pairs].sum(axis=1), 1.0)
            logs += np.log(found if answer else 1.0 - found) @ powers
        weights = np.exp(logs - logs.max())
        return weights / weights.sum()

    def choose(self, must_link: np.ndarray, cannot_link: np.ndarray) -> np.ndarray:
        """Return the labels that answers choose, with the names of the default ones."""
        weights = self.posterior(must_link, cannot_link)
        chosen = self.labels[int((self.agreements @ weights).argmax())]
        default = self.labels[0]
        n_clusters = int(max(chosen.max(), default.max())) + 1
        names: np.ndarray = match_labels(chosen, default, n_clusters)
        return names[chosen]

    def together(self, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the weight of the labellings in which pairs of rows are together."""
        result = np.zeros((len(rows), len(rows)))
        for weight, labels in zip(weights, self.labels[:, rows], strict=True):
            result += weight * (labels[:, None] == labels)
        return result

    def information(self, together: np.ndarray) -> np.ndarray:
        """Return what answers tell about the labellings, v(S), in nats."""
        s, a = self.probabilities
        mixed = _entropy(together * s + (1.0 - together) * a)
        return mixed - together * _entropy(s) - (1.0 - together) * _entropy(a)


def pairs_to_choose(
    pool: Pool,
    weights: np.ndarray,
    rows: np.ndarray,
    parts: Parts,
    constraints: Constraints,
) -> list[tuple[int, int]]:
    """Return pairs of typical samples whose answers choose among labellings.

    With the weight ``S_ab`` of the labellings in which parts a and b are together, part
    a stands for ``m_a = sum_b n_b S_ab^2`` samples. The pairs with the largest
    ``v(S_ab) m_a m_b`` come first; no part is in two of them. There are at most as many
    as answers that could tell the labellings apart, and none once a labelling is
    decided. ``parts`` are those of ``rows``, and pairs are positions among these.
    """
    if weights.max() > DECIDED:
        return []
    typical = parts.typical
    together = pool.together(weights, rows[typical])
    masses = together**2 @ parts.sizes
    information = pool.information(together)
    groups = constraints.groups[typical]
    apart = constraints.apart[groups][:, groups].toarray() != 0
    closed = (groups[:, None] == groups) | apart | (information < LEAST_INFORMATION)
    values = np.where(closed, 0.0, information * np.outer(masses, masses))
    found: list[tuple[int, int]] = []
    limit = np.ceil(np.log2(len(pool.labels)))
    while len(found) < limit and values.max(initial=0.0) > 0.0:
        a, b = np.unravel_index(int(values.argmax()), values.shape)
        found.append((int(typical[a]), int(typical[b])))
        values[[a, b]] = values[:, [a, b]] = 0.0
    return found


def _entropy(p: float | np.ndarray) -> np.ndarray:
    """Return the entropy of an answer that is yes with the probability p."""
    p = np.clip(p, 1e-12, 1.0 - 1e-12)
    result: np.ndarray = -p * np.log(p) - (1.0 - p) * np.log1p(-p)
    return result
