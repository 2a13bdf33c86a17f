"""Rows that are one object: they move together.

Labels that are constant on units are ``z_h = M' u_h``; the engine's objective knows
them through ``u_h' (M S M') u_h`` and ``(M w)' u_h`` (`search.links`). For a smoother
of low rank, ``S = W Phi Phi' W``, a unit is a sample of weight ``M w`` whose features
are the weighted mean of those of its rows.
"""

from dataclasses import replace

import numpy as np

from maxmargin.clustering.candidates import Candidate
from maxmargin.kernels.exact_smoother import ExactSmoother
from maxmargin.kernels.low_rank_smoother import LowRankSmoother
from maxmargin.search.links import merge_groups


def tie_units(candidate: Candidate, units: np.ndarray) -> tuple[Candidate, np.ndarray]:
    """Return a candidate with units in place of rows, and the unit of each row."""
    sample, smoother = candidate.sample, candidate.smoother
    names, first, groups = np.unique(
        units[sample.indices], return_index=True, return_inverse=True
    )
    if len(names) == len(groups):
        return candidate, np.arange(len(groups))
    if isinstance(smoother, LowRankSmoother):
        masses = np.bincount(groups, sample.weights)
        sums = np.zeros((len(names), smoother.features.shape[1]))
        np.add.at(sums, groups, smoother.features * smoother.weights[:, None])
        tied: LowRankSmoother | ExactSmoother = replace(
            smoother, weights=masses, features=sums / masses[:, None]
        )
    else:
        values, masses = merge_groups(
            smoother.matrix(), sample.weights, groups, len(names)
        )
        tied = ExactSmoother(smoother.feature_map, masses, smoother.alpha, values)
    together = sample._replace(indices=sample.indices[first], weights=masses)
    return replace(candidate, sample=together, smoother=tied), groups


def unit_labels(labels: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the label of the first row of each unit."""
    return labels[np.unique(groups, return_index=True)[1]]
