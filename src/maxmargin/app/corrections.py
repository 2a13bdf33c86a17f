"""Corrections: from one state of the clusters to the next."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.app.clustering import Clustering, Corrections
from maxmargin.app.engine import Engine, make_clusterer, relative_margins
from maxmargin.app.schemas import (
    Apart,
    Assign,
    Choose,
    Level,
    Merge,
    Recluster,
    Rename,
    Split,
    Together,
    Unsure,
)
from maxmargin.plots.style import margins
from maxmargin.questions import TooFewClustersError
from maxmargin.report.layout import counted as counted_noun


def apply(engine: Engine, state: Clustering, action: Any) -> Clustering:
    """Return the state after a correction; raise an error if it is not possible."""
    rows = getattr(action, "rows", [])
    if rows and max(rows) >= len(state.labels):
        raise ValueError(f"Row {max(rows)} is not in the table: it has fewer rows.")
    if isinstance(action, Rename):
        return state.renamed(action)
    if isinstance(action, Merge):
        return _merge(engine, state, action.clusters)
    if isinstance(action, Split):
        state.check_cluster(action.cluster)
        own = np.flatnonzero(state.labels == action.cluster)
        return _divide(engine, state, own, action.into, keep=action.cluster)
    if isinstance(action, Recluster):
        own = np.unique(np.array(action.rows, dtype=np.int64))
        return _divide(engine, state, own, action.into)
    if isinstance(action, Level):
        return engine.level(state, action.clusters)
    if isinstance(action, Choose):
        return _choose(engine, state, action)
    if isinstance(action, Assign):
        return _assign(engine, state, action)
    corrections = state.corrections
    if isinstance(action, Together):
        for first, second in zip(action.rows[:-1], action.rows[1:], strict=True):
            _check_pair(first, second)
            corrections = corrections.with_pair(first, second, True)
    elif isinstance(action, Apart):
        first, second = action.rows
        _check_pair(first, second)
        corrections = corrections.with_pair(first, second, False)
    else:
        assert isinstance(action, Unsure)
        return _unsure(state, action.rows)
    _check_number(state)
    return _refit(engine, state, corrections)


def _choose(engine: Engine, state: Clustering, action: Choose) -> Clustering:
    """Take a labelling; answers that it contradicts move rows as in other fits."""
    if max(itertools.chain(*action.together, *action.apart), default=0) >= len(
        state.labels
    ):
        raise ValueError("An answer is about a row that is not in the table.")
    taken = engine.alternative(state, action.number)
    said = taken.corrections
    for pairs, together in ((action.together, True), (action.apart, False)):
        for first, second in pairs:
            _check_pair(first, second)
            said = said.with_pair(first, second, together)
    if not said.links()["must_link"] and not said.links()["cannot_link"]:
        return taken
    _check_number(taken)
    return engine.refit(taken, said)


def _refit(engine: Engine, state: Clustering, corrections: Corrections) -> Clustering:
    """Fit with corrections; if they prove that there is one more cluster, make it.

    Three rows that are apart from each other are in three clusters: of two, the one in
    which most pairs of rows are apart is divided.
    """
    try:
        return engine.refit(state, corrections)
    except TooFewClustersError:
        pairs = [state.base[list(pair)] for pair in corrections.apart]
        within = [int(first) for first, second in pairs if first == second]
        if not within:
            raise
        own = np.flatnonzero(state.base == np.bincount(within).argmax())
        keep = int(state.base[own[0]])
        return engine.refit(_divide(engine, state, own, 2, keep), corrections)


def describe(action: Any, before: Clustering, after: Clustering) -> str:
    """Return a correction in a few words."""
    names = {c.id: c.name or str(c.id) for c in (*before.clusters, *after.clusters)}
    rows = getattr(action, "rows", [])
    counted = f"{len(rows):,} rows" if len(rows) != 1 else f"row {rows[0]}"
    if isinstance(action, Rename):
        return f"cluster {action.cluster} named {action.name or names[action.cluster]}"
    if isinstance(action, Merge):
        return f"merged {' and '.join(names[c] for c in action.clusters)}"
    if isinstance(action, Split):
        return f"split {names[action.cluster]} into {action.into}"
    if isinstance(action, Recluster):
        return f"clustered {counted} anew"
    if isinstance(action, Level):
        return f"level of {counted_noun(action.clusters, 'clusters')}"
    if isinstance(action, Choose):
        n_answers = len(action.together) + len(action.apart)
        answers = f", {counted_noun(n_answers, 'answers')}" if n_answers else ""
        return f"labelling {action.number}{answers}"
    if isinstance(action, Assign):
        target = "a new cluster"
        if action.cluster is not None:
            target = names[action.cluster]
        return f"{counted} to {target}"
    if isinstance(action, Unsure):
        return f"{counted} unsure"
    word = "together" if isinstance(action, Together) else "apart"
    if len(after.clusters) > len(before.clusters):
        word += ", which takes one more cluster"
    return f"rows {', '.join(map(str, rows[:3]))} {word}"


def _check_pair(first: int, second: int) -> None:
    if first == second:
        raise ValueError("A pair needs two different rows.")


def _check_number(state: Clustering) -> None:
    if len(state.clusters) < 2:
        raise ValueError("There is one cluster: split it before you say more.")


def _assign(engine: Engine, state: Clustering, action: Assign) -> Clustering:
    rows = sorted(set(action.rows))
    target = action.cluster
    if target is None:
        target = state.new_id()
        state = state.with_clusters(np.append(state.ids, target))
        base = state.base.copy()
        base[rows] = target
        labels = _labels_with(state, rows, target)
        state = replace(state, labels=labels, base=base)
    state.check_cluster(target)
    corrections = state.corrections.with_labels(rows, target)
    emptied = np.setdiff1d(state.ids, _labels_with(state, rows, target))
    if len(emptied):  # all rows of a cluster go: it is gone
        return _keep_clusters(
            engine,
            replace(state, labels=_labels_with(state, rows, target)),
            corrections.relabelled(dict.fromkeys(emptied.tolist(), -1)),
        )
    if len(state.clusters) < 2:
        return state
    return engine.refit(state, corrections)


def _labels_with(state: Clustering, rows: list[int], cluster: int) -> np.ndarray:
    labels = state.labels.copy()
    labels[rows] = cluster
    return labels


def _keep_clusters(
    engine: Engine, state: Clustering, corrections: Corrections
) -> Clustering:
    """Return the state with the clusters that have rows."""
    ids = np.unique(state.labels)
    rivals = np.where(np.isin(state.rivals, ids), state.rivals, -1)
    rivals = np.where(rivals == state.labels, -1, rivals)
    base = np.where(np.isin(state.base, ids), state.base, state.labels)
    state = replace(state, rivals=rivals, base=base, corrections=corrections)
    return state.with_clusters(ids).with_shares(engine.parts)


def _unsure(state: Clustering, rows: list[int]) -> Clustering:
    """Return the state with doubtful rows; their labels stay, without margin."""
    margin = state.margin.copy()
    margin[rows] = 0.0
    corrections = state.corrections.with_unsure(rows)
    return replace(state, margin=margin, corrections=corrections)


def _merge(engine: Engine, state: Clustering, clusters: list[int]) -> Clustering:
    first, *rest = dict.fromkeys(clusters)
    for number in (first, *rest):
        state.check_cluster(number)
    if not rest:
        raise ValueError("Choose two different clusters to merge.")
    labels, base, rivals = (
        np.where(np.isin(one, rest), first, one)
        for one in (state.labels, state.base, state.rivals)
    )
    corrections = state.corrections.relabelled(dict.fromkeys(rest, first))
    gone = {*rest, first}
    apart = tuple(
        pair
        for pair in corrections.apart
        if not {int(state.labels[row]) for row in pair} <= gone
    )
    corrections = replace(corrections, apart=apart)
    merged = replace(state, labels=labels, base=base, rivals=rivals)
    return _keep_clusters(engine, merged, corrections)


def _divide(
    engine: Engine,
    state: Clustering,
    rows: np.ndarray,
    into: int | str,
    keep: int | None = None,
) -> Clustering:
    """Cluster some rows anew; the largest part of a cluster keeps its number."""
    if len(rows) < 2 or (into != "auto" and len(rows) < int(into)):
        raise ValueError(
            f"{len(rows)} rows cannot be divided into {into} clusters: select more."
        )
    estimator = make_clusterer(engine.settings).set_params(n_clusters=into)
    estimator.fit(engine.X[rows])
    found = np.asarray(estimator.labels_)
    order = np.argsort(-np.bincount(found), kind="stable")
    start = state.new_id()
    numbers = np.empty(len(order), dtype=np.int64)
    numbers[order] = start + np.arange(len(order))
    if keep is not None:
        numbers[order] = [keep, *range(start, start + len(order) - 1)]
    labels = state.labels.copy()
    base = state.base.copy()
    labels[rows] = base[rows] = numbers[found]
    gaps = margins(estimator.decision_function(engine.X[rows]))
    margin, rivals = state.margin.copy(), state.rivals.copy()
    margin[rows] = relative_margins(gaps)
    if len(order) > 1:
        second = order[1] if len(order) == 2 else order[0]
        others = np.where(found == second, order[0], second)
        rivals[rows] = numbers[others]
    corrections = state.corrections.without(rows.tolist())
    state = replace(state, labels=labels, base=base, margin=margin, rivals=rivals)
    return _keep_clusters(engine, state, corrections)
