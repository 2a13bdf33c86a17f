"""Names of clusters that persist, and what happens to them between two snapshots.

A label is the name of a cluster. A cluster inherits the name of the living cluster that
it is matched with, one to one and so that most objects keep their label. It is new if
it has less than half as many objects of that cluster as a random part of the past would
have. A new cluster gets the next number, unless it is one that was gone and returns: it
has half of the objects of that cluster, or consists of such objects to a half, or
appears in its place with new objects.

With ``F_pc`` the number of objects of the past cluster p and of the present cluster c,
c comes from p if ``F_pc >= |c| / 2``, and p goes into c if ``F_pc >= |p| / 2``.

======== ==============================================================================
split    two or more present clusters come from one past cluster
merged   two or more past clusters go into one present cluster
born     the name is new, and the cluster is no part of one that split
returned the name is not among those of the previous snapshot, but was before
died     the name is gone, and the cluster did not merge
grew     the size is half as large again as when it was last reported, or at birth
shrank   the size is two thirds or less of that
drifted  the centre has moved by more than the spread of the cluster, the root of the
         mean squared distance from the centre, since it was last reported, or since
         birth
======== ==============================================================================

A change of size must also exceed twice its standard error as a difference of two random
numbers of objects.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from maxmargin.evolving.snapshots import match_objects
from maxmargin.metrics.matching import contingency_table
from maxmargin.rows.sample import squared_norms
from maxmargin.smoothers.distances import central_point, shift, squared_distances

GROWTH = 1.5  # of a size that is reported
MAX_GONE = 200  # clusters that are gone and still known, the latest ones
MAX_MEMBERS = 1000  # objects of each of them that are known


class Labelled(NamedTuple):
    """Objects and the names of their clusters."""

    ids: np.ndarray
    labels: np.ndarray

    def members(self, name: int) -> np.ndarray:
        """Return the ids of the objects of a cluster."""
        return self.ids[self.labels == name]


@dataclass(frozen=True)
class KnownCluster:
    """A cluster that is there or was there before."""

    name: int
    center: Any  # (1, d), the mean of its rows when it was last seen
    spread: float  # their mean squared distance from it
    place: Any  # the centre at its birth, or when it was last reported to have drifted
    size: int  # at its birth, or when a change of it was last reported
    members: np.ndarray | None = None  # ids of its last objects if it is gone

    @property
    def gone(self) -> bool:
        """Return True if the cluster is not in the last snapshot."""
        return self.members is not None


def present_names(labels: np.ndarray) -> np.ndarray:
    """Return the names that occur, in order."""
    return np.flatnonzero(np.bincount(labels))


def next_name(known: tuple[KnownCluster, ...]) -> int:
    """Return the smallest number above all names."""
    return 1 + max((one.name for one in known), default=-1)


def name_clusters(
    labels: np.ndarray,  # (n,), clusters of the present objects, numbered from 0
    seen: np.ndarray,  # (n,), names of their past clusters, -1 for a new object
    predicted: np.ndarray,  # the same, with a prediction for new objects or -1
    n_clusters: int,
    past: np.ndarray,  # names of the clusters of all past objects
    first_new: int,  # the first name for new clusters
    placed: np.ndarray | None = None,  # names by the places of the present objects
) -> np.ndarray:
    """Return a name for each cluster.

    Names are inherited through objects of both snapshots first. Clusters and names that
    are left over are then matched through all objects, new ones by their prediction. Of
    two halves of a cluster, the one that has kept its place keeps the name.
    """
    living = present_names(past)
    shares = np.bincount(past)[living] / len(past)
    expected = np.outer(np.bincount(labels, minlength=n_clusters), shares)
    names = np.full(n_clusters, -1)
    for reference in (seen, predicted):
        known = np.isin(reference, living)
        positions = np.searchsorted(living, reference[known])
        votes = contingency_table(labels[known], positions, n_clusters, len(living))
        if placed is not None:  # all of them together count less than one object
            there = np.isin(placed, living)
            where = np.searchsorted(living, placed[there])
            in_place = contingency_table(labels[there], where, *votes.shape)
            votes = votes + np.where(votes > 0, in_place, 0) / (2 * len(labels))
        votes[names >= 0] = 0
        votes[:, np.isin(living, names)] = 0
        for h, p in zip(*linear_sum_assignment(votes, maximize=True), strict=True):
            if votes[h, p] > 0.5 * expected[h, p]:
                names[h] = living[p]
    new = np.flatnonzero(names < 0)
    names[new] = first_new + np.arange(len(new))
    return names


def find_returned(
    X: Any,
    ids: np.ndarray,
    labels: np.ndarray,
    past_ids: np.ndarray,
    known: tuple[KnownCluster, ...],
) -> dict[int, int]:
    """Return the old names of the new clusters that were known before."""
    names = present_names(labels)
    gone = [one for one in known if one.gone]
    fresh = [name for name in names.tolist() if name >= next_name(known)]
    if not gone or not fresh:
        return {}
    found: dict[int, int] = {}
    centers = None
    for name in fresh:
        here = labels == name
        free = [one for one in gone if one.name not in found.values()]
        match = _of_same_objects(ids[here], free)
        if match is None and 2 * np.isin(ids[here], past_ids).sum() < here.sum():
            if centers is None:
                centers = centers_and_spreads(X, labels, names)[0]
            match = _at_same_place(centers, names.tolist().index(name), free)
        if match is not None:
            found[name] = match
    return found


def _of_same_objects(members: np.ndarray, gone: list[KnownCluster]) -> int | None:
    """Return the name of the cluster with which most objects are shared."""
    best, largest = None, 0
    for one in gone:
        assert one.members is not None
        shared = int(np.isin(one.members, members).sum())
        if shared > largest and 2 * shared >= min(len(members), len(one.members)):
            best, largest = one.name, shared
    return best


def _at_same_place(centers: Any, h: int, gone: list[KnownCluster]) -> int | None:
    """Return the name of the nearest cluster within whose spread the centre h lies.

    No other present cluster may be nearer to it.
    """
    best, nearest = None, np.inf
    for one in gone:
        distances = squared_distances(centers, one.center).ravel()
        if distances.argmin() == h and distances[h] <= min(one.spread, nearest):
            best, nearest = one.name, distances[h]
    return best


def centers_and_spreads(
    X: Any, labels: np.ndarray, names: np.ndarray
) -> tuple[Any, np.ndarray]:
    """Return the centres of clusters and the mean squared distances from them."""
    groups = np.searchsorted(names, labels)
    sizes = np.bincount(groups)
    n = len(labels)
    mean = sp.csr_array((1.0 / sizes[groups], (groups, np.arange(n))), (len(names), n))
    if sp.issparse(X):
        centers = sp.csr_matrix(mean @ sp.csr_array(X))
        spreads = mean @ squared_norms(X) - squared_norms(centers)
        return centers, np.maximum(spreads, 0.0)
    origin = central_point(X)
    near = shift(X, origin)
    centers = mean @ near
    spreads = mean @ squared_norms(near) - squared_norms(centers)
    return centers + origin, np.maximum(spreads, 0.0)


def update_known(
    known: tuple[KnownCluster, ...], X: Any, now: Labelled, before: Labelled | None
) -> tuple[KnownCluster, ...]:
    """Return the known clusters after a snapshot, those that are gone first."""
    labels = now.labels
    names = present_names(labels)
    sizes = np.bincount(labels)[names]
    centers, spreads = centers_and_spreads(X, labels, names)
    old = {one.name: one for one in known}
    living = []
    for h, name in enumerate(names.tolist()):
        center, size = centers[h : h + 1], int(sizes[h])
        earlier = old.pop(name, None)
        if earlier is None or earlier.gone:
            earlier = KnownCluster(name, center, 0.0, center, size)
        living.append(replace(earlier, center=center, spread=float(spreads[h])))
    gone = []
    for one in old.values():
        if not one.gone and before is not None:
            members = before.members(one.name)
            step = 1 + len(members) // MAX_MEMBERS
            one = replace(one, members=members[::step])
        gone.append(one)
    return (*gone[-MAX_GONE:], *living)


@dataclass(frozen=True)
class Event:
    """Something that happened to a cluster.

    Attributes
    ----------
    kind : str
        "born", "returned", "died", "split", "merged", "grew", "shrank" or "drifted".
    cluster : int
        Its label: of a cluster that split, that before; of a merged one, that after.
    others : tuple of int
        The labels of the parts of a cluster that split, or of those that merged.
    objects : ndarray
        Ids of the objects concerned: those of a cluster that was born, returned, died
        or drifted, those in another cluster than before after a split or merger, those
        that a cluster that grew has gained, or that one that shrank has lost.
    """

    kind: str
    cluster: int
    others: tuple[int, ...]
    objects: np.ndarray


def find_events(
    before: Labelled, now: Labelled, known: Sequence[KnownCluster] = ()
) -> list[Event]:
    """Return births, returns, deaths, splits and mergers between two snapshots."""
    names, past = present_names(now.labels), present_names(before.labels)
    i, j = match_objects(now.ids, before.ids)
    flows = contingency_table(
        np.searchsorted(past, before.labels[j]),
        np.searchsorted(names, now.labels[i]),
        len(past),
        len(names),
    )
    sizes = np.bincount(np.searchsorted(names, now.labels))
    past_sizes = np.bincount(np.searchsorted(past, before.labels))
    comes_from = 2 * flows >= np.maximum(sizes, 1)
    goes_into = 2 * flows >= np.maximum(past_sizes, 1)[:, None]
    events = []
    parts: set[int] = set()
    sources: set[int] = set()
    for p in np.flatnonzero(comes_from.sum(axis=1) > 1):
        found = names[comes_from[p]].tolist()
        parts.update(found)
        changed = i[(before.labels[j] == past[p]) & (now.labels[i] != past[p])]
        events.append(Event("split", int(past[p]), tuple(found), now.ids[changed]))
    for c in np.flatnonzero(goes_into.sum(axis=0) > 1):
        found = past[goes_into[:, c]].tolist()
        sources.update(found)
        changed = i[(now.labels[i] == names[c]) & (before.labels[j] != names[c])]
        events.append(Event("merged", int(names[c]), tuple(found), now.ids[changed]))
    earlier = {one.name for one in known}
    for name in sorted(set(names.tolist()) - set(past.tolist())):
        if name in earlier:
            events.append(Event("returned", name, (), now.members(name)))
        elif name not in parts:
            events.append(Event("born", name, (), now.members(name)))
    for name in sorted(set(past.tolist()) - set(names.tolist()) - sources):
        events.append(Event("died", name, (), before.members(name)))
    return events


def find_changes(
    before: Labelled, now: Labelled, known: Sequence[KnownCluster]
) -> list[Event]:
    """Return the living clusters that grew, shrank or drifted since their last report.

    ``known`` has the present centres, and the sizes and places that were reported last.
    """
    events = []
    for one in known:
        if one.gone:
            continue
        size = int(np.count_nonzero(now.labels == one.name))
        ratio = size / max(one.size, 1)
        if abs(size - one.size) > 2.0 * np.sqrt(size + one.size):
            if ratio >= GROWTH:
                gained = np.setdiff1d(now.members(one.name), before.members(one.name))
                events.append(Event("grew", one.name, (), gained))
            elif ratio <= 1.0 / GROWTH:
                lost = np.setdiff1d(before.members(one.name), now.members(one.name))
                events.append(Event("shrank", one.name, (), lost))
        if float(squared_distances(one.center, one.place)[0, 0]) > one.spread > 0.0:
            events.append(Event("drifted", one.name, (), now.members(one.name)))
    return events


def report_events(
    before: Labelled,
    now: Labelled,
    earlier: Sequence[KnownCluster],
    known: Sequence[KnownCluster],
) -> tuple[tuple[Event, ...], tuple[KnownCluster, ...]]:
    """Return all events, and the known clusters with these changes as reported.

    ``earlier`` are the clusters known before this snapshot. The size and place of a
    cluster that split or merged start anew.
    """
    events = find_events(before, now, earlier)
    involved = {name for one in events for name in (one.cluster, *one.others)}
    changes = [
        one for one in find_changes(before, now, known) if one.cluster not in involved
    ]
    sizes = np.bincount(now.labels)
    resized = involved | {one.cluster for one in changes if one.kind != "drifted"}
    moved = involved | {one.cluster for one in changes if one.kind == "drifted"}
    result = []
    for one in known:
        if not one.gone and one.name in resized:
            one = replace(one, size=int(sizes[one.name]))
        if not one.gone and one.name in moved:
            one = replace(one, place=one.center)
        result.append(one)
    return (*events, *changes), tuple(result)
