"""Other labellings of the rows, and questions whose answers tell them apart.

The clusters of a labelling have the numbers of those of the first fit with which they
share most rows, one to one, so that names and colours stay; further ones have new
numbers. Of the pairs of typical rows, the one is asked about on which the labellings
disagree most, each with a weight that halves with every answer that it contradicts.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from maxmargin.metrics.matching import match_labels
from maxmargin.questions import Parts
from maxmargin.report.descriptions import separating_columns
from maxmargin.tables.samples import TableSamples

MAX_TYPICAL = 150  # rows whose pairs are asked about
FILE = "alternatives.npz"

Answer = tuple[int, int, bool | None]  # whether two rows belong together, if known


@dataclass(frozen=True)
class Alternatives:
    """Labellings of all rows; the first one is that of the first fit."""

    labels: np.ndarray  # (m, n), ids of clusters
    descriptions: tuple[str, ...]
    ids: tuple[tuple[int, ...], ...]  # of the labels as the estimator numbers them

    @staticmethod
    def of(estimator: Any, X: Any) -> "Alternatives":
        """Find the labellings of a fitted `MaxMarginClustering`."""
        first = estimator.labels_
        found = estimator.find_alternatives(X)
        named = [_named_as(one.labels, first) for one in found]
        ids = [tuple(range(int(first.max()) + 1)), *(tuple(one) for one in named)]
        others = [each[one.labels] for each, one in zip(named, found, strict=True)]
        descriptions = ("the clusters of the fit", *(one.description for one in found))
        return Alternatives(np.array([first, *others]), descriptions, tuple(ids))

    def about(self, samples: TableSamples) -> list[dict[str, Any]]:
        """Return what the page says about each labelling."""
        return [
            {
                "text": text,
                "clusters": len(np.unique(labels)),
                "agreement": round(
                    float(adjusted_rand_score(self.labels[0], labels)), 3
                ),
                "moved": int((labels != self.labels[0]).sum()),
                "columns": separating_columns(samples, labels),
            }
            for text, labels in zip(self.descriptions, self.labels, strict=True)
        ]

    def agreements(self, answers: list[Answer]) -> np.ndarray:
        """Return with how many answers each labelling agrees."""
        found = np.zeros(len(self.labels), dtype=np.int64)
        for first, second, together in answers:
            same = self.labels[:, first] == self.labels[:, second]
            found += (same == together) & (together is not None)
        return found

    def next_pair(self, parts: Parts, answers: list[Answer]) -> tuple[int, int] | None:
        """Return the pair of typical rows whose answer tells most, None if none does.

        Rows of large parts come first, and rows that were not asked about before.
        """
        sizes = np.bincount(parts.of_samples, minlength=len(parts.typical))
        some = np.argsort(-sizes, kind="stable")[:MAX_TYPICAL]
        rows, counts = parts.typical[some], np.sqrt(sizes[some])
        asked = [row for *pair, _ in answers for row in pair]
        counts = counts * 0.5 ** np.array([asked.count(row) for row in rows.tolist()])
        right = self.agreements(answers)
        weights = 0.5 ** (right.max() - right)
        labels = self.labels[:, rows]
        same = labels[:, :, None] == labels[:, None, :]
        share = np.tensordot(weights / weights.sum(), same, axes=1)
        doubt = np.triu(share * (1.0 - share), 1) * np.outer(counts, counts)
        place = {int(row): i for i, row in enumerate(rows)}
        for first, second, _ in answers:
            if first in place and second in place:
                i, j = sorted((place[first], place[second]))
                doubt[i, j] = 0.0
        most = np.unravel_index(doubt.argmax(), doubt.shape)
        if doubt[most] < 1e-9:
            return None
        return int(rows[most[0]]), int(rows[most[1]])

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays to store."""
        counts = np.array([len(one) for one in self.ids])
        return {
            "labels": self.labels.astype(np.int32),
            "descriptions": np.array(self.descriptions),
            "counts": counts,
            "ids": np.concatenate([np.array(one) for one in self.ids]),
        }

    @staticmethod
    def from_arrays(arrays: dict[str, np.ndarray]) -> "Alternatives":
        """Return what `arrays` stored."""
        ends = np.cumsum(arrays["counts"])[:-1]
        ids = tuple(tuple(one.tolist()) for one in np.split(arrays["ids"], ends))
        return Alternatives(
            arrays["labels"].astype(np.int64),
            tuple(arrays["descriptions"].tolist()),
            ids,
        )


def _named_as(labels: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Return the id of each label: of the cluster that it matches, or a new one."""
    known, own = np.unique(first, return_inverse=True)
    values, codes = np.unique(labels, return_inverse=True)
    partner = match_labels(codes, own)
    matched = partner < len(known)
    ids = np.zeros(int(values[-1]) + 1, dtype=np.int64)
    new = int(known[-1]) + 1 + np.arange((~matched).sum())
    ids[values[matched]] = known[partner[matched]]
    ids[values[~matched]] = new
    return ids
