"""Snapshots: which objects were seen when, and which of them are the same."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import homogeneity_score

from maxmargin.metrics.matching import match_labels


class Snapshot(NamedTuple):
    """The objects of one time, with their clusters once these are known."""

    X: Any  # (n, d), dense or CSR
    ids: np.ndarray  # (n,), no two alike
    time: Any
    labels: np.ndarray  # (n,)


class Matches(NamedTuple):
    """The objects that two snapshots share, as positions in both."""

    now: np.ndarray
    before: np.ndarray


def match_objects(ids: np.ndarray, previous: np.ndarray) -> Matches:
    """Return where the objects of two snapshots are that both have."""
    if np.array_equal(ids, previous):
        everybody = np.arange(len(ids))
        return Matches(everybody, everybody)
    _, now, before = np.intersect1d(
        ids, previous, assume_unique=True, return_indices=True
    )
    order = np.argsort(now)
    return Matches(now[order], before[order])


def check_ids(ids: Any, n_objects: int) -> np.ndarray:
    """Return the names of the objects, by default their row numbers."""
    if ids is None:
        return np.arange(n_objects)
    ids = np.asarray(ids)
    if ids.dtype == object:
        if not all(isinstance(one, str) for one in ids.ravel()):
            raise ValueError("ids are of mixed kinds: give all numbers or all strings.")
        ids = ids.astype(str)
    if ids.shape != (n_objects,):
        raise ValueError(
            f"ids has shape {ids.shape}: give one for each of the {n_objects} objects."
        )
    names, counts = np.unique(ids, return_counts=True)
    if len(names) < n_objects:
        raise ValueError(
            f"ids has {names[counts.argmax()]!s} {counts.max()} times in one snapshot: "
            "an object can be there once. Drop or rename the repeated rows."
        )
    return ids


def check_comparable(ids: np.ndarray, previous: np.ndarray) -> None:
    """Refuse ids that cannot be compared with those of the snapshot before."""
    if (ids.dtype.kind in "US") != (previous.dtype.kind in "US"):
        raise ValueError(
            "ids were strings in one snapshot and numbers in the next: give one kind."
        )


def check_time(time: Any, previous: Any) -> Any:
    """Return the time of a snapshot, which must be later than the one before."""
    if previous is None:
        return 0 if time is None else _plain(time)
    if time is None:
        if isinstance(previous, (int, float)):
            return previous + 1
        raise ValueError(f"time is missing: the snapshot before had {previous!r}.")
    time = _plain(time)
    try:
        later = bool(time > previous)
    except TypeError as error:
        raise ValueError(
            f"time={time!r} cannot be compared with {previous!r} of the snapshot "
            "before: give times of one kind."
        ) from error
    if not later:
        raise ValueError(
            f"time={time!r} is not later than {previous!r} of the snapshot before: "
            "snapshots come in the order of time."
        )
    return time


def _plain(time: Any) -> Any:
    """Return a number, string or date in a form that files can hold."""
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
    """Return the rows of one snapshot and below them those of another."""
    if sp.issparse(first) or sp.issparse(second):
        return sp.vstack([sp.csr_array(first), sp.csr_array(second)], format="csr")
    return np.concatenate([first, second])


def best_renaming(
    labels: np.ndarray, wanted: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Return the new name of each cluster so that most labels are as wanted.

    It is the permutation p with the largest number of samples for which
    ``p[labels] == wanted``, an assignment problem.
    """
    return match_labels(labels, wanted, n_clusters)


def share_moved(known: np.ndarray, labels: np.ndarray, n_clusters: int) -> float:
    """Return the share of objects with a known label, not -1, that would change it.

    Clusters are named so that it is smallest.
    """
    there = known >= 0
    if not there.any():
        return 0.0
    names = best_renaming(labels[there], known[there], n_clusters)
    return float(np.mean(names[labels[there]] != known[there]))


def prefer(costs: list[float], moved: list[float], weight: float) -> int:
    """Return which of some labellings to take, the first one among equals.

    Two optima may be as good as each other and far apart, and the better one may change
    from time to time. So beside the cost, in units of the least one, the share of
    objects that change their cluster counts, equation (17) of Fan et al.; the former
    with the share of the present, the latter with that of the past.
    """
    unit = max(min(costs), np.finfo(float).tiny)
    values = [
        weight * cost / unit + (1.0 - weight) * change
        for cost, change in zip(costs, moved, strict=True)
    ]
    return int(np.argmin(values))


def tells_time(labels: np.ndarray, old: np.ndarray, known: np.ndarray) -> bool:
    """Tell whether labels say more about when a row was seen than about who it is.

    That is, whether they hold a larger share of the information about the snapshot
    (``old`` or not) than of that about the labels known from before (-1 where there is
    none). When all objects shift, two snapshots may be further apart than two clusters.
    """
    there = known >= 0
    who = homogeneity_score(known[there], labels[there])
    return bool(homogeneity_score(old, labels) > who)
