"""Clusters of a table with times, and what the page plays."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.app.engine import scale_map
from maxmargin.app.schemas import TimeSettings
from maxmargin.app.store import row_arrays, write_arrays
from maxmargin.plots.style import principal_plane
from maxmargin.plots.timeline import count_moves
from maxmargin.tables.samples import read_samples
from maxmargin.tables.times import order_times

MAX_TIMES = 500


def cluster_times(table: str, folder: Path, settings: TimeSettings) -> dict[str, Any]:
    """Cluster the snapshots of a table; return the first step of the work."""
    samples = read_samples(table, settings.table_options(), None, settings.time)
    if samples.texts is not None:
        raise ValueError("Texts over time are not compared: leave the time out.")
    assert samples.times is not None
    times = order_times(samples.times)
    if len(times.names) > MAX_TIMES:
        raise ValueError(
            f"Column {settings.time!r} has {len(times.names)} times, and the page "
            f"plays {MAX_TIMES}: choose another column, or round the times."
        )
    estimator = EvolvingMaxMarginClustering(
        settings.clusters,
        strategy=settings.strategy,
        weight=settings.weight,
        scale=False,
        random_state=settings.seed,
    )
    ids = samples.ids if settings.id_column else None
    estimator.fit(samples.X, times=times.positions, ids=ids)
    history = [
        replace(record, time=str(name))
        for record, name in zip(estimator.history_, times.names, strict=True)
    ]
    objects = _number_objects(ids, times.positions)
    write_arrays(
        folder / "base.npz",
        pca=scale_map(principal_plane(samples.X).positions),
        **row_arrays(samples),
        times=times.positions.astype(np.int32),
        objects=objects.astype(np.int32),
    )
    write_arrays(
        folder / "0000.npz",
        labels=np.asarray(estimator.labels_),
        margin=np.ones(len(objects), np.float32),
        rivals=np.full(len(objects), -1),
    )
    timeline = {**_timeline(history, settings.clusters), "note": times.note}
    return _first_step(timeline, settings.clusters, list(samples.notes))


def _number_objects(ids: np.ndarray | None, positions: np.ndarray) -> np.ndarray:
    """Return a number for each object; without ids, its position in the snapshot."""
    if ids is not None:
        return np.unique(ids.astype(str), return_inverse=True)[1]
    objects = np.empty(len(positions), dtype=np.int64)
    for number in np.unique(positions):
        here = np.flatnonzero(positions == number)
        objects[here] = np.arange(len(here))
    return objects


def _timeline(history: list[Any], k: int) -> dict[str, Any]:
    """Return the sizes of the clusters at each time, and the moves between them."""
    snapshots = [
        {
            "time": str(record.time),
            "objects": len(record.ids),
            "stayed": record.stayed,
            "moved": record.moved,
            "came": record.came,
            "left": record.left,
            "sizes": np.bincount(record.labels, minlength=k).tolist(),
        }
        for record in history
    ]
    flows = [
        count_moves(before, now, k).tolist()
        for before, now in itertools.pairwise(history)
    ]
    return {"snapshots": snapshots, "flows": flows}


def _first_step(timeline: dict[str, Any], k: int, notes: list[str]) -> dict[str, Any]:
    """Return the step of a work, which has no corrections."""
    return {
        "result": "0000",
        "clusters": [{"id": h, "name": "", "color": None} for h in range(k)],
        "constraints": {"labels": [], "together": [], "apart": [], "unsure": []},
        "timeline": timeline,
        "notes": notes,
        "profiles": [],
        "doubtful": [],
        "margin": None,
        "moved": 0,
        "flows": [],
    }
