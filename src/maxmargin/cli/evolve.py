"""``maxmargin evolve``: clusters of a table with times."""

from __future__ import annotations

import time as clock
from typing import TYPE_CHECKING

import click

from maxmargin.cli import options

if TYPE_CHECKING:
    import numpy as np

    from maxmargin import EvolvingMaxMarginClustering
    from maxmargin.cli.console import Summary
    from maxmargin.files import Writer
    from maxmargin.report.results import TableResult
    from maxmargin.tables.preprocessing import TableOptions, TableSamples


@click.command()
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
    help="What changes little over time: the data as a whole, the cluster of each "
    "object, or the decision functions.",
)
@click.option(
    "--weight",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.7,
    show_default=True,
    help="Weight of the current snapshot; the rest is that of the past.",
)
@options.table_options
@options.label_option
@options.seed_option
@click.option(
    "--out", type=options.OUTPUT, help="Write the cluster and event of each row."
)
@options.model_option
@click.option("--report", type=options.OUTPUT, help="Write an HTML report.")
@options.output_options
def evolve(
    table: str,
    time: str,
    table_options: TableOptions,
    clusters: int,
    strategy: str,
    weight: float,
    label: str | None,
    seed: int,
    out: str | None,
    model: str | None,
    report: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Cluster TABLE, in which objects occur at several times.

    The rows with the same time are a snapshot; --id is the column of the objects.
    Clusters keep their numbers from one snapshot to the next, and change little.

    \b
    maxmargin evolve sales.csv --time month --id customer -k 4 --report page.html
    """  # noqa: D301
    from maxmargin.cli.console import print_summary
    from maxmargin.cli.files import check_outputs, load_samples
    from maxmargin.files import write_files

    outputs = check_outputs(force, out=out, model=model, report=report)
    samples = load_samples(table, table_options, label, time)
    from maxmargin import EvolvingMaxMarginClustering

    estimator = EvolvingMaxMarginClustering(
        clusters, strategy=strategy, weight=weight, random_state=seed
    )
    result = _fit(estimator, samples, time, table_options.id_column)
    write_files(_writers(result, outputs, time), force)
    print_summary(_summarize(result, outputs), as_json, to_stderr=out == "-")


def _fit(
    estimator: EvolvingMaxMarginClustering,
    samples: TableSamples,
    time: str,
    id_column: str | None,
) -> TableResult[EvolvingMaxMarginClustering]:
    from sklearn.metrics import adjusted_rand_score

    from maxmargin.cli.console import progress_bar, warnings_as_notes
    from maxmargin.report.results import TableResult

    assert samples.times is not None
    times = _check_times(samples.times, time)
    notes = list(samples.notes)
    start = clock.perf_counter()
    with warnings_as_notes(notes), progress_bar("clustering the snapshots"):
        ids = samples.ids if id_column else None
        labels = estimator.fit(samples.X, times=times, ids=ids).labels_
    seconds = round(clock.perf_counter() - start, 3)
    if id_column is None:
        notes.append(
            "without --id, rows at the same position in two snapshots are one object"
        )
    score = None
    if samples.labels is not None:
        truth = samples.labels.astype(str)
        score = float(adjusted_rand_score(truth, labels))
    return TableResult(samples, estimator, labels, seconds, tuple(notes), score)


def _check_times(column: np.ndarray, name: str) -> np.ndarray:
    """Return times that can be sorted; raise an error if some are missing."""
    n_missing = sum(value is None or value != value for value in column.tolist())
    if n_missing:
        raise click.ClickException(
            f"Column {name!r} has {n_missing} rows without a time: fill them in."
        )
    return column.astype(str) if column.dtype == object else column


def _writers(
    result: TableResult[EvolvingMaxMarginClustering],
    outputs: dict[str, str],
    time: str,
) -> dict[str, Writer]:
    """Return functions that write the outputs."""
    import numpy as np

    from maxmargin.cli.files import save_table_model
    from maxmargin.evolving.snapshots import objects_table
    from maxmargin.tables.write import table_writer

    samples, estimator = result.samples, result.estimator
    writers: dict[str, Writer] = {}
    if "model" in outputs:
        writers[outputs["model"]] = lambda file: save_table_model(
            file, estimator, samples
        )
    if "report" in outputs:
        from maxmargin.report.timeline_page import make_timeline_page

        page = make_timeline_page(result).encode()
        writers[outputs["report"]] = lambda file: file.write(page)
    if "out" in outputs:
        names = {"time": time, "id": samples.id_name, "label": "cluster"}
        columns = {
            names.get(name, name): np.array(values)
            for name, values in objects_table(estimator.history_).items()
        }
        writers[outputs["out"]] = table_writer(outputs["out"], columns)
    return writers


def _summarize(
    result: TableResult[EvolvingMaxMarginClustering], outputs: dict[str, str]
) -> Summary:
    import numpy as np

    from maxmargin.cli.console import Summary
    from maxmargin.evolving.snapshots import snapshots_table

    samples, estimator = result.samples, result.estimator
    n_clusters, last = estimator.n_clusters_, estimator.history_[-1]
    return Summary(
        table=samples.table,
        rows=len(samples.X),
        features=samples.preprocessor.feature_names,
        scaled=samples.preprocessor.scaled,
        missing=samples.preprocessor.missing,
        n_clusters=n_clusters,
        sizes=np.bincount(last.labels, minlength=n_clusters).tolist(),
        snapshots=snapshots_table(estimator.history_),
        seconds=result.seconds,
        parameters=estimator.get_params(),
        notes=result.notes,
        adjusted_rand_index=result.adjusted_rand_index,
        files=outputs,
    )
