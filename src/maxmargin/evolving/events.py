"""What happens to clusters from one snapshot to the next.

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

import numpy as np

from maxmargin.distances import squared_distances
from maxmargin.evolving.names import KnownCluster, Labelled, present_names
from maxmargin.evolving.snapshots import match_objects
from maxmargin.metrics.matching import contingency_table

GROWTH = 1.5


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
