"""``maxmargin evolve``: clusters of a table with times."""

from dataclasses import replace
from typing import Any

import click
import numpy as np

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.cli import command_files
from maxmargin.cli.results import fit_samples, print_summary, summarize
from maxmargin.evolving.snapshots import (
    SnapshotRecord,
    events_table,
    objects_table,
    snapshots_table,
)
from maxmargin.report.layout import counted_range
from maxmargin.report.timeline_page import cluster_numbers, make_timeline_page
from maxmargin.table_model import save_table_model
from maxmargin.tables.samples import TableSamples
from maxmargin.tables.times import order_times
from maxmargin.tables.write import output_format, table_writer, with_found


def run(
    table: str,
    time: str,
    clusters: int | str,
    strategy: str,
    weight: float,
    half_life: float | str,
    label: str | None,
    order: str,
    seed: int,
    out: str | None,
    events: str | None,
    keep: bool,
    model: str | None,
    report: str | None,
    force: bool,
    as_json: bool,
    **columns: Any,
) -> None:
    """Run the command; ``columns`` are passed to `load_samples`."""
    command_files.check_keep(keep, table, out)
    outputs = command_files.check_output_options(
        force, [table], out=out, events=events, model=model, report=report
    )
    if events:
        output_format(events)
    samples = command_files.load_samples(table, label, time, **columns)
    estimator = EvolvingMaxMarginClustering(
        clusters,
        strategy=strategy,
        weight=weight,
        half_life=half_life,
        scale=False,
        random_state=seed,
    )
    times = order_times(_check_times(samples, time), order)
    ids = samples.ids if columns["id_column"] else None
    text = "clustering the snapshots"
    result = fit_samples(estimator, samples, text, times=times.positions, ids=ids)
    result = result.with_notes(times.note)
    if ids is None:
        result = result.with_notes(
            "without --id, rows at the same position in two snapshots are one object"
        )
    history = estimator.history_ = [
        replace(record, time=name)
        for record, name in zip(estimator.history_, times.names, strict=True)
    ]
    numbers = cluster_numbers(history)
    if len(set(numbers)) > 1:
        result = result.with_notes(
            f"there are {counted_range(numbers, 'clusters')}: where their number "
            "changes, objects move that may not have changed; -k with a number keeps it"
        )
    objects = _object_columns(history, time, samples.id_name) if out else {}
    if keep:
        assert samples.rows is not None
        rows = samples.rows[np.argsort(times.positions, kind="stable")]
        same = [time, columns["id_column"]]
        objects = command_files.add_kept_columns(objects, table, rows, same, columns)
    found = command_files.write_outputs(
        outputs,
        force,
        objects,
        **_event_writer(events, history, time),
        model=lambda file: save_table_model(file, estimator, samples),
        report=lambda file: command_files.write_report(
            file, make_timeline_page, result
        ),
    )
    labels = history[-1].labels
    snapshots = {**snapshots_table(history), "n_clusters": numbers}
    result = result.with_notes(*found)
    print_summary(summarize(result, labels, outputs, snapshots=snapshots), as_json)


def _event_writer(
    path: str | None, history: list[SnapshotRecord], time: str
) -> dict[str, Any]:
    """Return the writer of the table of events, none without a path."""
    if path is None:
        return {}
    return {"events": table_writer(path, _event_columns(history, time))}


def _event_columns(history: list[SnapshotRecord], time: str) -> dict[str, np.ndarray]:
    """Return the table of events; it may have no rows."""
    kinds = {"cluster": np.int64, "n_objects": np.int64}
    columns = {}
    for name, values in events_table(history).items():
        kind = kinds.get(name, object if name != "time" or not values else None)
        columns[name] = np.array(values, dtype=kind)
    return with_found({time: columns.pop("time")}, columns)


def _check_times(samples: TableSamples, name: str) -> np.ndarray:
    """Return the times; raise an error if some are missing."""
    assert samples.times is not None
    times = samples.times
    n_missing = sum(value is None or value != value for value in times.tolist())
    if n_missing:
        raise click.ClickException(
            f"Column {name!r} has missing times ({n_missing}): fill them in."
        )
    return times


def _object_columns(
    history: list[SnapshotRecord], time: str, id_name: str
) -> dict[str, np.ndarray]:
    """Return the cluster and event of each object at each time."""
    columns = {n: np.array(values) for n, values in objects_table(history).items()}
    objects = with_found({time: columns["time"]}, {id_name: columns["id"]})
    found = {"cluster": columns["label"], "event": columns["event"]}
    return with_found(objects, found)
