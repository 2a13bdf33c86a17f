"""Snapshots of objects, the objects that two of them share, and their history."""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from maxmargin.smoothers.distances import same_kind

ROUNDING = 1e-6  # that of single precision, relative to the largest value of the column


class Snapshot(NamedTuple):
    """The objects of one time and their clusters."""

    X: Any  # (n, d), dense or CSR
    ids: np.ndarray  # (n,), no two alike
    time: Any
    labels: np.ndarray  # (n,)
    memory: Any = None  # of the rows of its objects
    known: tuple = ()  # the clusters so far, see `evolving.names.KnownCluster`


class Matches(NamedTuple):
    """The objects that two snapshots share, as positions in both."""

    now: np.ndarray
    before: np.ndarray


def match_objects(ids: np.ndarray, previous: np.ndarray) -> Matches:
    """Return the positions of the objects that both snapshots have."""
    if np.array_equal(ids, previous):
        positions = np.arange(len(ids))
        return Matches(positions, positions)
    _, now, before = np.intersect1d(
        ids, previous, assume_unique=True, return_indices=True
    )
    order = np.argsort(now)
    return Matches(now[order], before[order])


def is_unchanged(X: Any, past_X: Any, matches: Matches) -> bool:
    """Tell whether two snapshots have the same objects, with equal rows.

    Rows may differ by rounding: they may be means over time, or have been stored in
    single precision.
    """
    now, before = matches
    if not len(now) == X.shape[0] == past_X.shape[0]:
        return False
    past_X = same_kind(past_X, X)
    differences = _largest(X[now] - past_X[before])
    return bool((differences <= ROUNDING * _largest(X)).all())


def _largest(X: Any) -> np.ndarray:
    """Return the largest absolute value of each column."""
    found = abs(X).max(axis=0)
    return found.toarray().ravel() if sp.issparse(found) else np.asarray(found)


def check_ids(
    ids: Any, n_objects: int, previous: np.ndarray | None = None
) -> np.ndarray:
    """Return the ids of the objects, by default their row numbers.

    They must be comparable with those of the previous snapshot.
    """
    ids = np.arange(n_objects) if ids is None else np.array(ids)
    check_length("ids", ids, n_objects)
    if ids.dtype == object:
        if not all(isinstance(one, str) for one in ids.ravel()):
            raise ValueError("ids are of mixed types: give all numbers or all strings.")
        ids = ids.astype(str)
    names, counts = np.unique(ids, return_counts=True)
    if len(names) < n_objects:
        raise ValueError(
            f"ids has {names[counts.argmax()]!s} {counts.max()} times in one snapshot: "
            "give each object once. Drop or rename the repeated rows."
        )
    if previous is not None and (ids.dtype.kind in "US") != (
        previous.dtype.kind in "US"
    ):
        raise ValueError(
            "ids are strings in one snapshot and numbers in the next: give one type."
        )
    return ids


def check_length(name: str, values: np.ndarray, n_rows: int) -> None:
    """Raise an error if there is not one value for each row, or one is missing."""
    if values.shape != (n_rows,):
        raise ValueError(
            f"{name} has shape {values.shape}: give one value for each of the "
            f"{n_rows} rows."
        )
    if (missing := _is_missing(values)).any():
        raise ValueError(
            f"{name} is missing in row {missing.argmax()}: give it, or leave out rows "
            "without it."
        )


def _is_missing(values: np.ndarray) -> np.ndarray:
    """Return a mask of None, NaN, NaT and pandas.NA."""
    if values.dtype.kind in "fM":
        return values != values
    if values.dtype != object:
        return np.zeros(values.shape, dtype=bool)
    names = ("None", "nan", "NaT", "<NA>")
    found = [not isinstance(one, str) and str(one) in names for one in values.flat]
    return np.array(found, dtype=bool)


def group_times(times: Any, n_rows: int) -> tuple[Any, np.ndarray]:
    """Return the times in their order, and the number of that of each row.

    Strings that are all numbers are ordered as numbers. If others were not in the order
    of their letters in the rows, as names of months are not, there is a warning.
    """
    if times is None:
        return [None], np.zeros(n_rows, dtype=np.int64)
    times = np.asarray(times)
    check_length("times", times, n_rows)
    try:
        moments, first, groups = np.unique(
            times, return_index=True, return_inverse=True
        )
    except TypeError as error:
        raise ValueError("times are of mixed types: give times of one type.") from error
    if not isinstance(moments[0], str):
        return moments, groups
    try:
        order = np.argsort(moments.astype(float), kind="stable")
    except ValueError:
        if (np.diff(first) < 0).any():
            shown = ", ".join(map(repr, moments[:3].tolist()))
            warnings.warn(
                f"times are strings, and are ordered by their letters: {shown} and so "
                "on. Give numbers or dates if this is not their order.",
                stacklevel=4,
            )
        return moments, groups
    return moments[order], np.argsort(order)[groups]


def check_time(time: Any, previous: Any) -> Any:
    """Return the time of a snapshot, which must be later than the previous one."""
    if previous is None:
        return 0 if time is None else _as_scalar(time)
    if time is None:
        if isinstance(previous, (int, float)):
            return previous + 1
        raise ValueError(
            f"time is missing: the previous snapshot has time={previous!r}."
        )
    time = _as_scalar(time)
    try:
        later = _is_later(time, previous)
    except TypeError as error:
        raise ValueError(
            f"time={time!r} cannot be compared with {previous!r} of the previous "
            "snapshot: give times of one type."
        ) from error
    if not later:
        raise ValueError(
            f"time={time!r} is not later than {previous!r} of the previous snapshot: "
            "give snapshots in the order of time."
        )
    return time


def _is_later(time: Any, previous: Any) -> bool:
    """Compare two times, strings as numbers if both are."""
    if isinstance(time, str) and isinstance(previous, str):
        try:
            return float(time) > float(previous)
        except ValueError:
            pass
    return bool(time > previous)


def _as_scalar(time: Any) -> Any:
    """Return a number, string or date that can be saved in a file."""
    if time != time:
        raise ValueError("time is missing: give a number, a string or a date.")
    if isinstance(time, (int, float, str)) and not isinstance(time, bool):
        return time
    value = np.asarray(time)
    if value.shape != () or value.dtype.kind not in "iufUM":
        try:
            value = np.asarray(time, dtype="datetime64[us]")
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"time={time!r} is not understood: give a number, a string or a date."
            ) from error
    return value[()] if value.dtype.kind == "M" else value.item()


def stack_rows(first: Any, second: Any) -> Any:
    """Return the rows of one snapshot followed by those of another."""
    if sp.issparse(first) or sp.issparse(second):
        return sp.vstack([sp.csr_array(first), sp.csr_array(second)], format="csr")
    return np.concatenate([first, second])


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
    events : tuple of Event
        What happened to clusters: born, returned, died, split, merged, grew, shrank,
        drifted. There are none in the first snapshot.
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
    events: tuple = ()


def make_record(
    present: Snapshot,
    past: Snapshot | None,
    costs: tuple[float, float, float],
    events: tuple = (),
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
        events=events,
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


def events_table(history: list[SnapshotRecord]) -> dict[str, list]:
    """Return columns with a row for each event; labels and ids are lists in a text."""
    names = ("time", "event", "cluster", "others", "n_objects", "objects")
    table: dict[str, list] = {name: [] for name in names}
    for record in history:
        for event in record.events:
            table["time"].append(record.time)
            table["event"].append(event.kind)
            table["cluster"].append(event.cluster)
            table["others"].append(" ".join(map(str, event.others)))
            table["n_objects"].append(len(event.objects))
            table["objects"].append(" ".join(map(str, event.objects.tolist())))
    return table


def as_frame(table: dict[str, list]) -> Any:
    """Return a pandas frame."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas: pip install pandas, or read history_."
        ) from error
    return pd.DataFrame(table)
