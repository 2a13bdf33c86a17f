"""``maxmargin evolve``: clusters that follow a table over time."""

import time as clock
from types import SimpleNamespace
from typing import Any

import click

from maxmargin.cli import options


@click.command(name="evolve")
@click.argument("table", type=options.INPUT)
@click.option("--time", required=True, metavar="COLUMN", help="Column of times.")
@click.option(
    "-k",
    "--clusters",
    type=click.IntRange(min=2),
    default=2,
    show_default=True,
    help="Number of clusters.",
)
@click.option(
    "--strategy",
    type=click.Choice(["cohort", "individual", "model"]),
    default="cohort",
    show_default=True,
    help="What is to last: the data as a whole, each object, or the functions.",
)
@click.option(
    "--weight",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.7,
    show_default=True,
    help="Share of the present; the rest is that of the past.",
)
@options.table_options
@click.option("--label", metavar="COLUMN", help="True classes, for evaluation only.")
@options.seed_option
@click.option("--out", type=options.OUTPUT, help="Write who was where, and moved.")
@click.option("--model", type=options.OUTPUT, help="Write a model for predict.")
@click.option("--report", type=options.OUTPUT, help="Write a page with the timeline.")
@options.output_options
def command(table: str, **wishes: Any) -> None:
    """Cluster TABLE, in which objects occur at several times.

    Rows of one time are a snapshot; --id tells which object a row is. Clusters keep
    their names and follow the data without jumping.

    \b
    maxmargin evolve sales.csv --time month --id customer -k 4 --report page.html
    """  # noqa: D301
    from maxmargin.cli import data as tables
    from maxmargin.cli.console import warnings_as_notes, working
    from maxmargin.cli.results import check_outputs

    outputs = {n: wishes[n] for n in ("out", "model", "report") if wishes[n]}
    files, writer = check_outputs(outputs, wishes["force"])
    data = tables.load_wished(table, wishes)
    from maxmargin.evolving.max_margin import EvolvingMaxMarginClustering

    estimator = EvolvingMaxMarginClustering(
        wishes["clusters"],
        strategy=wishes["strategy"],
        weight=wishes["weight"],
        random_state=wishes["seed"],
    )
    times = _times(data.time, wishes["time"])
    ids = data.ids if wishes["id_column"] else None
    start = clock.perf_counter()
    with warnings_as_notes(data.notes), working("following"):
        estimator.fit(data.X, times=times, ids=ids)
    summary = _summary(table, data, estimator, clock.perf_counter() - start)
    if wishes["id_column"] is None:
        data.notes.append("no --id: rows of equal position are taken for one object")
    with files:
        _write(files, writer, outputs, wishes["time"], data, estimator, summary)
    summary["files"] = outputs
    _tell(summary, wishes["as_json"], wishes["out"] == "-")


def _times(column: Any, name: str) -> Any:
    """Return times that can be put in order, all of one kind."""
    import numpy as np

    gaps = [value is None or value != value for value in column.tolist()]
    if any(gaps):
        raise click.ClickException(
            f"Column {name!r} has {sum(gaps)} rows without a time: fill them in."
        )
    return column.astype(str) if column.dtype == object else np.asarray(column)


def _summary(table: str, data: Any, estimator: Any, seconds: float) -> dict[str, Any]:
    import numpy as np

    from maxmargin.evolving.history import snapshots_table

    last = estimator.history_[-1]
    summary = {
        "table": table,
        "rows": len(data.X),
        "features": data.rules.names,
        "scaled": data.rules.scaled,
        "missing": data.rules.missing,
        "n_clusters": estimator.n_clusters_,
        "sizes": np.bincount(last.labels, minlength=estimator.n_clusters_).tolist(),
        "snapshots": snapshots_table(estimator.history_),
        "seconds": round(seconds, 3),
        "parameters": estimator.get_params(),
        "notes": data.notes,
    }
    if data.label is not None:
        from sklearn.metrics import adjusted_rand_score

        summary["adjusted_rand_index"] = float(
            adjusted_rand_score(data.label.astype(str), estimator.labels_)
        )
    return summary


def _write(
    files: Any,
    writer: Any,
    outputs: dict[str, str],
    time_name: str,
    data: Any,
    estimator: Any,
    summary: dict[str, Any],
) -> None:
    import numpy as np

    from maxmargin.cli.results import save_for_predict, write_columns
    from maxmargin.evolving.history import objects_table

    if "model" in outputs:
        outcome = estimator._outcome
        last = SimpleNamespace(_model=outcome.model, _counts=outcome.counts)
        kind = type(estimator).__name__
        save_for_predict(files, outputs["model"], last, data, kind, "cluster")
    if "report" in outputs:
        from maxmargin.report.timeline import make_timeline_page

        page = make_timeline_page(data, estimator, summary).encode()
        files.add(outputs["report"], lambda file: file.write(page))
    if "out" in outputs:
        found = objects_table(estimator.history_)
        names = {"time": time_name, "id": data.id_name, "label": "cluster"}
        columns = {names.get(key, key): np.array(v) for key, v in found.items()}
        write_columns(files, writer, outputs["out"], columns)


def _tell(summary: dict[str, Any], as_json: bool, to_stderr: bool) -> None:
    from maxmargin.cli.console import note, print_json, print_table

    if as_json and not to_stderr:
        print_json(summary)
        return
    for text in summary["notes"]:
        note(text)
    found = summary["snapshots"]
    click.echo(
        f"{summary['rows']:,} rows, {len(found['time'])} snapshots, "
        f"{len(summary['features'])} features, {summary['n_clusters']} clusters, "
        f"{summary['seconds']:.2f} s",
        err=to_stderr,
    )
    names = ["time", "n_objects", "stayed", "moved", "came", "left"]
    rows = list(zip(*(map(str, found[name]) for name in names), strict=True))
    print_table(["time", "objects", *names[2:]], rows, to_stderr)
    if "adjusted_rand_index" in summary:
        value = summary["adjusted_rand_index"]
        click.echo(f"adjusted Rand index: {value:.3f}", err=to_stderr)
    for kind, path in summary["files"].items():
        if path != "-":
            click.echo(f"{kind}: {path}", err=to_stderr)
