"""``maxmargin cluster``, and ``maxmargin demo``, which runs it on an example."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from maxmargin.cli import options

if TYPE_CHECKING:
    import numpy as np

    from maxmargin import MaxMarginClustering
    from maxmargin.cli.console import Summary
    from maxmargin.files import Writer
    from maxmargin.report.results import TableResult
    from maxmargin.tables.preprocessing import TableOptions, TableSamples

MIN_MEMORY = 200e6  # bytes, for a fit of a few thousand samples
EXAMPLES = {
    "iris": "load_iris",
    "wine": "load_wine",
    "digits": "load_digits",
    "cancer": "load_breast_cancer",
}


@click.command()
@click.argument("table", type=options.INPUT)
@options.clusters_option
@options.table_options
@options.label_option
@click.option(
    "--kernel",
    default="auto",
    show_default=True,
    help="Similarity of rows: auto, neighbors, rbf, linear, ...",
)
@click.option(
    "--balance",
    type=click.Choice(["free", "equal"]),
    default="free",
    show_default=True,
    help="Sizes of the clusters: unconstrained or equal.",
)
@options.seed_option
@click.option("--out", type=options.OUTPUT, help="Write the cluster of each row.")
@options.model_option
@click.option("--report", type=options.OUTPUT, help="Write an HTML report.")
@options.output_options
def cluster(
    table: str,
    table_options: TableOptions,
    clusters: int | str,
    label: str | None,
    kernel: str,
    balance: str,
    seed: int,
    out: str | None,
    model: str | None,
    report: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find clusters in TABLE.

    \b
    maxmargin cluster customers.csv -k 5 --id customer --out clusters.csv
    maxmargin cluster data.parquet -k auto --report page.html --model model.npz
    """  # noqa: D301
    from maxmargin.cli.console import print_summary
    from maxmargin.cli.files import check_outputs, load_samples
    from maxmargin.files import write_files

    outputs = check_outputs(force, model=model, report=report, out=out)
    samples = load_samples(table, table_options, label)
    if len(samples.X) < 2:
        raise click.ClickException(f"{table} has one row: at least two are needed.")
    from maxmargin import MaxMarginClustering

    estimator = MaxMarginClustering(
        clusters,
        kernel=kernel,
        balance=balance,
        memory_limit=memory_for(samples.X),
        random_state=seed,
    )
    result = _fit(estimator, samples)
    write_files(_writers(result, outputs), force)
    print_summary(_summarize(result, outputs), as_json, to_stderr=out == "-")


def memory_for(X: np.ndarray) -> float:
    """Return the memory limit of a fit in bytes.

    It is 1.25 times the size of the samples, or the least that a fit needs, so that the
    command takes less than three times the size of the samples.
    """
    return float(max(MIN_MEMORY, 1.25 * X.nbytes))


def _fit(
    estimator: MaxMarginClustering, samples: TableSamples
) -> TableResult[MaxMarginClustering]:
    from sklearn.metrics import adjusted_rand_score

    from maxmargin.cli.console import progress_bar, warnings_as_notes
    from maxmargin.report.results import TableResult

    notes = list(samples.notes)
    start = time.perf_counter()
    with warnings_as_notes(notes), progress_bar(f"clustering {len(samples.X):,} rows"):
        labels = estimator.fit_predict(samples.X)
    seconds = round(time.perf_counter() - start, 3)
    score = None
    if samples.labels is not None:
        score = float(adjusted_rand_score(samples.labels.astype(str), labels))
    return TableResult(samples, estimator, labels, seconds, tuple(notes), score)


def _writers(
    result: TableResult[MaxMarginClustering], outputs: dict[str, str]
) -> dict[str, Writer]:
    """Return functions that write the outputs."""
    from maxmargin.cli.console import progress_bar
    from maxmargin.cli.files import labels_writer, save_table_model

    samples, estimator = result.samples, result.estimator
    writers: dict[str, Writer] = {}
    if "model" in outputs:
        writers[outputs["model"]] = lambda file: save_table_model(
            file, estimator, samples
        )
    if "report" in outputs:
        from maxmargin.report.cluster_page import make_cluster_page

        with progress_bar("writing the report"):
            page = make_cluster_page(result).encode()
        writers[outputs["report"]] = lambda file: file.write(page)
    if "out" in outputs:
        writers[outputs["out"]] = labels_writer(
            outputs["out"], samples.id_name, samples.ids, "cluster", result.labels
        )
    return writers


def _summarize(
    result: TableResult[MaxMarginClustering], outputs: dict[str, str]
) -> Summary:
    import numpy as np

    from maxmargin.cli.console import Summary

    samples, estimator = result.samples, result.estimator
    n_clusters = estimator.n_clusters_
    return Summary(
        table=samples.table,
        rows=len(samples.X),
        features=samples.preprocessor.feature_names,
        scaled=samples.preprocessor.scaled,
        missing=samples.preprocessor.missing,
        n_clusters=n_clusters,
        sizes=np.bincount(result.labels, minlength=n_clusters).tolist(),
        objective=float(estimator.objective_),
        seconds=result.seconds,
        parameters=estimator.get_params(),
        notes=result.notes,
        adjusted_rand_index=result.adjusted_rand_index,
        files=outputs,
    )


@click.command()
@click.argument("folder", type=click.Path(file_okay=False), default="maxmargin-demo")
@click.option(
    "--data",
    type=click.Choice(list(EXAMPLES)),
    default="wine",
    show_default=True,
    help="Name of the table.",
)
@options.output_options
@click.pass_context
def demo(
    ctx: click.Context, folder: str, data: str, force: bool, as_json: bool
) -> None:
    """Cluster an example table, with all outputs in FOLDER.

    The table is one of those that come with scikit-learn: nothing is downloaded. Its
    true classes are used for evaluation only.
    """
    from pathlib import Path

    from maxmargin.cli.files import check_outputs
    from maxmargin.files import write_files
    from maxmargin.tables.write import table_writer

    names = [f"{data}.csv", "clusters.csv", "model.npz", "report.html"]
    Path(folder).mkdir(parents=True, exist_ok=True)
    table, out, model, report = (str(Path(folder) / name) for name in names)
    check_outputs(force, table=table, out=out, model=model, report=report)
    columns = _load_example(data)
    n_classes = len(set(columns["class"]))
    write_files({table: table_writer(table, columns)}, force)
    if not as_json:
        click.echo(
            f"maxmargin cluster {table} -k {n_classes} --label class --out {out} "
            f"--model {model} --report {report}"
        )
    ctx.invoke(
        cluster,
        table=table,
        clusters=n_classes,
        label="class",
        drop=[],
        out=out,
        model=model,
        report=report,
        force=force,
        as_json=as_json,
    )


def _load_example(name: str) -> dict[str, np.ndarray]:
    from sklearn import datasets

    bunch = getattr(datasets, EXAMPLES[name])()
    columns = {
        str(column).replace(" (cm)", "").replace(" ", "_").replace("/", "_"): values
        for column, values in zip(bunch.feature_names, bunch.data.T, strict=True)
    }
    columns["class"] = bunch.target_names[bunch.target].astype(str)
    return columns
