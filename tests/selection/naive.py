"""Shares and merges from their formulas, pair by pair."""

import numpy as np


def side(cut, within, size):
    part = cut / (cut + within) if cut + within > 0 else 0.0
    return (size * part + 0.5) / (size + 1.0)


def boundary(graph, first, second):
    cut = graph[np.ix_(first, second)].sum()
    return np.mean(
        [
            side(cut, graph[np.ix_(part, part)].sum(), len(part))
            for part in (first, second)
        ]
    )


def part_lost(graph, first, second):
    cut = graph[np.ix_(first, second)].sum()
    return sum(cut / (cut + graph[np.ix_(a, a)].sum()) for a in (first, second))


def closest_boundaries(graph, labels):
    groups = [np.flatnonzero(labels == h) for h in range(labels.max() + 1)]
    result = []
    for own in groups:
        others = [other for other in groups if other is not own]
        closest = max(others, key=lambda other: part_lost(graph, own, other))
        result.append(boundary(graph, own, closest))
    return np.array(result)


def merge_all(graph):
    """Merge the most similar pair until no edge is left; return the similarities."""
    groups = [[i] for i in range(len(graph))]
    volumes = graph.sum(axis=1)
    found = []
    while len(groups) > 1:
        table = [
            (
                graph[np.ix_(a, b)].sum() / (volumes[a].sum() * volumes[b].sum()),
                i,
                i + 1 + j,
            )
            for i, a in enumerate(groups)
            for j, b in enumerate(groups[i + 1 :])
        ]
        value, i, j = max(table)
        found.append((value, boundary(graph, groups[i], groups[j])))
        groups[i] = groups[i] + groups.pop(j)
    return np.array(found)
