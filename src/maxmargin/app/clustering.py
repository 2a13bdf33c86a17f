"""The clusters at one step of the work: labels, margins, names, corrections."""

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from maxmargin.app.records import CorrectionsRecord, StepRecord
from maxmargin.app.schemas import Rename
from maxmargin.questions import Parts, Question, ask


@dataclass(frozen=True)
class Cluster:
    """A cluster that keeps its number as long as it exists."""

    id: int
    name: str = ""
    color: str | None = None


@dataclass(frozen=True)
class Corrections:
    """What the user has said, which each fit keeps."""

    labels: dict[int, int] = field(default_factory=dict)  # clusters by row
    together: tuple[tuple[int, int], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    unsure: tuple[int, ...] = ()

    @property
    def rows(self) -> np.ndarray:
        """Return the rows with a label or in a pair."""
        pairs = [row for pair in (*self.together, *self.apart) for row in pair]
        return np.unique(np.array([*self.labels, *pairs], dtype=np.int64))

    def given(self, n_rows: int) -> np.ndarray:
        """Return the cluster of each row, -1 if the user said none."""
        clusters = np.full(n_rows, -1)
        clusters[list(self.labels)] = list(self.labels.values())
        return clusters

    def links(self) -> dict[str, list[tuple[int, int]]]:
        """Return the pairs as arguments of a fit."""
        return {"must_link": list(self.together), "cannot_link": list(self.apart)}

    def with_labels(self, rows: list[int], cluster: int) -> "Corrections":
        """Return the corrections with the given cluster of some rows.

        What was said of these rows before is replaced.
        """
        free = self.without(rows)
        return replace(free, labels=free.labels | dict.fromkeys(rows, cluster))

    def without(self, rows: list[int]) -> "Corrections":
        """Return the corrections without those of some rows."""
        gone = set(rows)
        return Corrections(
            {row: c for row, c in self.labels.items() if row not in gone},
            tuple(pair for pair in self.together if not gone & set(pair)),
            tuple(pair for pair in self.apart if not gone & set(pair)),
            tuple(row for row in self.unsure if row not in gone),
        )

    def with_pair(self, first: int, second: int, together: bool) -> "Corrections":
        """Return the corrections with one more pair; the last answer counts."""
        pair = (min(first, second), max(first, second))
        kept = {
            "together": tuple(p for p in self.together if p != pair),
            "apart": tuple(p for p in self.apart if p != pair),
        }
        kept["together" if together else "apart"] += (pair,)
        unsure = tuple(row for row in self.unsure if row not in pair)
        return Corrections(self.labels, **kept, unsure=unsure)

    def with_unsure(self, rows: list[int]) -> "Corrections":
        """Return the corrections with rows that are doubtful."""
        free = self.without(rows)
        return replace(free, unsure=tuple(sorted({*free.unsure, *rows})))

    def relabelled(self, numbers: dict[int, int]) -> "Corrections":
        """Return the corrections with other numbers of clusters; -1 drops a label."""
        moved = {row: numbers.get(c, c) for row, c in self.labels.items()}
        return replace(self, labels={row: c for row, c in moved.items() if c >= 0})

    def to_json(self) -> CorrectionsRecord:
        """Return the corrections as JSON."""
        return {
            "labels": list(self.labels.items()),
            "together": list(self.together),
            "apart": list(self.apart),
            "unsure": list(self.unsure),
        }

    @staticmethod
    def from_json(data: CorrectionsRecord) -> "Corrections":
        """Return what `to_json` stored."""
        return Corrections(
            {int(row): int(cluster) for row, cluster in data["labels"]},
            tuple((int(i), int(j)) for i, j in data["together"]),
            tuple((int(i), int(j)) for i, j in data["apart"]),
            tuple(int(row) for row in data["unsure"]),
        )


@dataclass(frozen=True)
class Clustering:
    """The clusters of all rows, and how far these are from the boundaries."""

    labels: np.ndarray  # (n,), ids of clusters
    margin: np.ndarray  # (n,), to the second cluster, from 0 on a boundary to 1
    rivals: np.ndarray  # (n,), id of the second cluster, -1 for none
    clusters: tuple[Cluster, ...]
    corrections: Corrections
    base: np.ndarray  # (n,), labels without what the user said about rows
    shares: np.ndarray | None = None  # (parts, k), mean probabilities of the clusters

    @property
    def ids(self) -> np.ndarray:
        """Return the ids of the clusters."""
        return np.array([cluster.id for cluster in self.clusters], dtype=np.int64)

    @property
    def names(self) -> dict[int, str]:
        """Return a name of each cluster that no other one has.

        If two have the same, their numbers are added.
        """
        names = {c.id: c.name or str(c.id) for c in self.clusters}
        while len(set(names.values())) < len(names):
            counts = Counter(names.values())
            names = {
                h: name if counts[name] == 1 else f"{name} ({h})"
                for h, name in names.items()
            }
        return names

    def new_id(self) -> int:
        """Return the id of a new cluster."""
        return int(max(self.ids, default=-1)) + 1

    def check_cluster(self, number: int) -> None:
        """Raise an error if there is no such cluster."""
        if number not in self.ids:
            raise ValueError(f"There is no cluster {number}: load the page again.")

    def renamed(self, action: Rename) -> "Clustering":
        """Return the clustering with another name or colour of a cluster."""
        self.check_cluster(action.cluster)
        clusters = tuple(
            Cluster(
                cluster.id,
                cluster.name if action.name is None else action.name,
                action.color or cluster.color,
            )
            if cluster.id == action.cluster
            else cluster
            for cluster in self.clusters
        )
        return replace(self, clusters=clusters)

    def with_clusters(self, ids: np.ndarray) -> "Clustering":
        """Return the clustering with these clusters, which keep their names."""
        known = {cluster.id: cluster for cluster in self.clusters}
        clusters = tuple(known.get(int(c), Cluster(int(c))) for c in ids)
        return replace(self, clusters=clusters)

    def with_shares(self, parts: Parts | None) -> "Clustering":
        """Return the clustering with the shares of the clusters in parts of the rows.

        The smaller the margin of a row, the more of it counts for its second cluster,
        up to one half.
        """
        if parts is None:
            return self
        ids, rows = self.ids, np.arange(len(self.labels))
        memberships = np.zeros((len(rows), len(ids)))
        other = np.where(self.rivals < 0, 0.0, (1.0 - self.margin) / 2.0)
        memberships[rows, np.searchsorted(ids, self.labels)] = 1.0 - other
        known = np.flatnonzero(self.rivals >= 0)
        second = np.searchsorted(ids, self.rivals[known])
        memberships[known, second] += other[known]
        return replace(self, shares=parts.means(memberships))

    def questions(self, parts: Parts, number: int) -> list[Question]:
        """Return the pairs of rows whose answers help most."""
        if len(self.clusters) < 2 or self.shares is None:
            return []
        said, ids = self.corrections, self.ids
        given = said.given(len(self.labels))
        labels = np.where(given < 0, -1, np.searchsorted(ids, given))
        found = ask(parts, self.shares, number, labels=labels, **said.links())
        unsure = set(said.unsure)
        return [
            one._replace(cluster=int(ids[one.cluster]))
            for one in found
            if not unsure & {one.first, one.second}
        ]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays to store."""
        found = {
            "labels": self.labels,
            "margin": self.margin,
            "rivals": self.rivals,
            "base": self.base,
        }
        return found if self.shares is None else found | {"shares": self.shares}

    def about(self) -> dict[str, Any]:
        """Return all but the arrays as JSON."""
        return {
            "clusters": [asdict(cluster) for cluster in self.clusters],
            "constraints": self.corrections.to_json(),
        }

    @staticmethod
    def of(about: StepRecord, arrays: dict[str, np.ndarray]) -> "Clustering":
        """Return the clustering that was stored."""
        return Clustering(
            arrays["labels"],
            arrays["margin"],
            arrays["rivals"],
            tuple(Cluster(**cluster) for cluster in about["clusters"]),
            Corrections.from_json(about["constraints"]),
            arrays.get("base", arrays["labels"]),
            arrays.get("shares"),
        )
