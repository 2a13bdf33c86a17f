"""``maxmargin predict``: the clusters or classes of new rows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import click

from maxmargin import progress
from maxmargin.cli import options

if TYPE_CHECKING:
    import numpy as np

    from maxmargin.cli.console import Summary
    from maxmargin.cli.files import TableModel
    from maxmargin.tables.preprocessing import Preprocessor


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.argument("table", type=options.INPUT)
@options.id_option
@click.option(
    "--out", type=options.OUTPUT, help="Write the cluster or class of each row."
)
@options.output_options
def predict(
    model: str,
    table: str,
    id_column: str | None,
    out: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Predict the clusters or classes of the rows of TABLE.

    MODEL is a file written by cluster, evolve or classify. The columns are found by
    name and preprocessed as in the table of the model. Rows are read in blocks, so that
    the table may be larger than the memory.

    \b
    maxmargin predict model.npz new.csv --id customer --out new_clusters.csv
    """  # noqa: D301
    import numpy as np

    from maxmargin.cli.console import print_summary
    from maxmargin.cli.files import check_outputs, labels_writer, load_table_model
    from maxmargin.files import write_files

    outputs = check_outputs(force, out=out)
    try:
        saved = load_table_model(model)
    except ValueError as error:
        raise click.ClickException(f"{model}: {error}") from None
    if saved.preprocessor is None:
        raise click.ClickException(
            f"{model} does not have the columns of a table: write a model with --model."
        )
    start = time.perf_counter()
    found = _predict(saved, saved.preprocessor, table, id_column)
    seconds = round(time.perf_counter() - start, 3)
    if out:
        labels = found.labels
        if saved.classes is not None:
            labels = np.array(saved.classes)[labels]
        id_name = id_column or "row"
        writer = labels_writer(out, id_name, found.ids, saved.column, labels)
        write_files({out: writer}, force)
    summary = _summarize(table, saved, saved.preprocessor, found, seconds, outputs)
    print_summary(summary, as_json, to_stderr=out == "-")


class _Predictions(NamedTuple):
    ids: np.ndarray
    labels: np.ndarray
    notes: list[str]


def _predict(
    saved: TableModel, preprocessor: Preprocessor, table: str, id_column: str | None
) -> _Predictions:
    """Predict a block of rows at a time."""
    import numpy as np

    from maxmargin.cli.console import progress_bar
    from maxmargin.tables.read import count_rows, read_table_blocks

    keep = [id_column] if id_column else []
    ids, labels = [], []
    n_rows = 0
    total = count_rows(table)
    with progress_bar("predicting"):
        for block in read_table_blocks(table, preprocessor.columns, keep):
            size = len(block)
            X, rows = preprocessor.transform(block)
            labels.append(saved.estimator.predict(X))
            ids.append(block.kept[id_column][rows] if id_column else n_rows + rows)
            n_rows += size
            if total:
                progress.update(n_rows / total)
    if not labels:
        raise click.ClickException(f"{table} has no rows: give a table with rows.")
    found = np.concatenate(labels)
    n_dropped = n_rows - len(found)
    notes = [f"{n_dropped} rows with missing values are left out"] if n_dropped else []
    return _Predictions(np.concatenate(ids), found, notes)


def _summarize(
    table: str,
    saved: TableModel,
    preprocessor: Preprocessor,
    found: _Predictions,
    seconds: float,
    outputs: dict[str, str],
) -> Summary:
    import numpy as np

    from maxmargin.cli.console import Summary

    return Summary(
        table=table,
        rows=len(found.labels),
        features=preprocessor.columns,
        n_clusters=saved.n_clusters,
        what="classes" if saved.classes else "clusters",
        column=saved.column,
        names=saved.classes or list(range(saved.n_clusters)),
        sizes=np.bincount(found.labels, minlength=saved.n_clusters).tolist(),
        seconds=seconds,
        notes=found.notes,
        files=outputs,
    )
