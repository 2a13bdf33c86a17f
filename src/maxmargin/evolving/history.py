"""The history of the snapshots as records and tables."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.evolving.snapshots import Snapshot, match_objects


@dataclass(frozen=True)
class SnapshotRecord:
    """The record of one snapshot.

    Attributes
    ----------
    time : number, string or date
    ids : ndarray of shape (n_objects,)
    labels : ndarray of shape (n_objects,)
    snapshot_cost : float
        The cost of the clusters for the present objects.
    temporal_cost : float
        Their cost for the past; 0 for the first snapshot.
    objective : float
        The objective, larger is better.
    stayed, moved, came, left : int
        Numbers of objects that kept their cluster, changed it, are new, or are gone.
    """

    time: Any
    ids: np.ndarray
    labels: np.ndarray
    snapshot_cost: float
    temporal_cost: float
    objective: float
    stayed: int
    moved: int
    came: int
    left: int


def make_record(
    present: Snapshot, past: Snapshot | None, costs: tuple[float, float, float]
) -> SnapshotRecord:
    """Count the objects that stayed, moved, came and left."""
    n_objects = len(present.ids)
    both = stayed = n_before = 0
    if past is not None:
        now, before = match_objects(present.ids, past.ids)
        both, n_before = len(now), len(past.ids)
        stayed = int(np.sum(present.labels[now] == past.labels[before]))
    return SnapshotRecord(
        present.time,
        present.ids,
        present.labels,
        *costs,
        stayed=stayed,
        moved=both - stayed,
        came=n_objects - both,
        left=n_before - both,
    )


def objects_table(history: list[SnapshotRecord]) -> dict[str, list]:
    """Return columns with a row for each object and time."""
    table: dict[str, list] = {"time": [], "id": [], "label": [], "event": []}
    before: dict[Any, int] = {}
    for number, record in enumerate(history):
        names, labels = record.ids.tolist(), record.labels.tolist()
        table["time"] += [record.time] * len(names)
        table["id"] += names
        table["label"] += labels
        for name, label in zip(names, labels, strict=True):
            if number == 0 or name not in before:
                table["event"].append("came")
            else:
                table["event"].append("stayed" if before[name] == label else "moved")
        before = dict(zip(names, labels, strict=True))
    return table


def snapshots_table(history: list[SnapshotRecord]) -> dict[str, list]:
    """Return columns with a row for each snapshot: costs and counts."""
    names = ["time", "snapshot_cost", "temporal_cost", "objective"]
    names += ["stayed", "moved", "came", "left"]
    table = {name: [getattr(record, name) for record in history] for name in names}
    return {"n_objects": [len(record.ids) for record in history], **table}


def as_frame(table: dict[str, list]) -> Any:
    """Return a pandas frame."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas: pip install pandas, or read history_."
        ) from error
    return pd.DataFrame(table)
