"""Clusters of a table with times, and what the page plays."""

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.app.engine import scale_map
from maxmargin.app.schemas import TimeSettings
from maxmargin.app.store import write_arrays
from maxmargin.plots.style import principal_plane
from maxmargin.plots.timeline import count_moves
from maxmargin.tables.preprocessing import TableOptions, read_samples
from maxmargin.tables.times import order_times

MAX_TIMES = 500


def cluster_times(table: str, folder: Path, settings: TimeSettings) -> dict[str, Any]:
    """Cluster the snapshots of a table; return the first step of the work."""
    options = TableOptions(
        settings.features,
        [settings.label] if settings.label and settings.features is None else None,
        settings.id_column,
        settings.scale,
        settings.missing,
    )
    samples = read_samples(table, options, None, settings.time)
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
    if ids is None:  # an object is a position within its snapshot
        objects = np.empty(len(samples.X), dtype=np.int64)
        for number in range(len(times.names)):
            here = np.flatnonzero(times.positions == number)
            objects[here] = np.arange(len(here))
    else:
        objects = np.unique(ids.astype(str), return_inverse=True)[1]
    labels = np.asarray(estimator.labels_)
    n_rows, k = len(labels), settings.clusters
    assert samples.rows is not None
    write_arrays(
        folder / "base.npz",
        pca=scale_map(principal_plane(samples.X).positions),
        rows=samples.rows,
        times=times.positions.astype(np.int32),
        objects=objects.astype(np.int32),
    )
    write_arrays(
        folder / "0000.npz",
        labels=labels,
        confidence=np.ones(n_rows, np.float32),
        rivals=np.full(n_rows, -1),
    )
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
    return {
        "result": "0000",
        "clusters": [{"id": h, "name": "", "color": None} for h in range(k)],
        "constraints": {"labels": [], "together": [], "apart": [], "unsure": []},
        "timeline": {"snapshots": snapshots, "flows": flows, "note": times.note},
        "notes": list(samples.notes),
        "profiles": [],
        "doubtful": [],
        "confidence": 1.0,
        "moved": 0,
        "flows": [],
    }
