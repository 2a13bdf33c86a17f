"""``maxmargin demo``: clusters of a table that comes with the package's libraries."""

from typing import Any

import click

from maxmargin.cli import options

TABLES = ("iris", "wine", "digits", "cancer")


@click.command(name="demo")
@click.argument("folder", type=click.Path(file_okay=False), default="maxmargin-demo")
@click.option(
    "--data",
    type=click.Choice(TABLES),
    default="wine",
    show_default=True,
    help="Which table.",
)
@options.output_options
@click.pass_context
def command(
    ctx: click.Context, folder: str, data: str, force: bool, as_json: bool
) -> None:
    """Write a table to FOLDER, cluster it, and write clusters, model and page.

    The table is one of those that come with scikit-learn: nothing is downloaded. Its
    true classes are used to say how well they were found, and for nothing else.
    """
    from pathlib import Path

    from maxmargin.cli.cluster import command as cluster
    from maxmargin.tables.write import WholeFiles, columns_writer

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    names = [f"{data}.csv", "clusters.csv", "model.npz", "report.html"]
    with WholeFiles(force) as files:
        for name in names:
            try:
                files.check(place / name)
            except OSError as error:
                raise click.UsageError(str(error)) from None
        columns, n_classes = _columns(data)
        writer = columns_writer(names[0])
        files.add(place / names[0], lambda file: writer(columns, file))
    table, out, model, report = (str(place / name) for name in names)
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


def _columns(name: str) -> tuple[dict[str, Any], int]:
    from sklearn import datasets

    loaders = {"cancer": "breast_cancer"}
    bunch = getattr(datasets, f"load_{loaders.get(name, name)}")()
    columns = {
        str(column).replace(" (cm)", "").replace(" ", "_").replace("/", "_"): values
        for column, values in zip(bunch.feature_names, bunch.data.T, strict=True)
    }
    columns["class"] = bunch.target_names[bunch.target].astype(str)
    return columns, len(bunch.target_names)
