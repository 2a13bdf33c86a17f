"""``maxmargin predict``: the clusters or classes of new rows."""

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import click
import numpy as np

from maxmargin import progress
from maxmargin.cli import command_files
from maxmargin.cli.console import run_task
from maxmargin.cli.results import Summary, print_summary
from maxmargin.report.layout import counted
from maxmargin.table_model import TableModel, load_table_model
from maxmargin.tables.preprocessing import clean_table, count_gaps, gap_notes
from maxmargin.tables.read import declared_shape, read_table_blocks
from maxmargin.tables.text import TextOptions
from maxmargin.tables.write import with_found


def run(
    model: str,
    table: str,
    id_column: str | None,
    missing: str | None,
    out: str | None,
    keep: bool,
    force: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Run the command; ``reading`` are the fields of `TextOptions`."""
    command_files.check_keep(keep, table, out)
    text_options = command_files.pop_text_options(dict(reading))
    outputs = command_files.check_output_options(force, [model, table], out=out)
    try:
        saved = load_table_model(model)
    except ValueError as error:
        raise click.ClickException(f"{model}: {error}") from None
    if saved.preprocessor is None:
        raise click.ClickException(
            f"{model} does not have the columns of a table: write a model with --model."
        )
    preprocessor = saved.preprocessor
    if missing is not None:
        preprocessor = replace(preprocessor, missing=missing)
    with run_task("predicting") as task:
        found = _predict(saved.estimator, preprocessor, table, id_column, text_options)
    labels = found.labels
    if saved.classes is not None:
        labels = np.array(saved.classes)[labels]
    columns = with_found({id_column or "row": found.ids}, {saved.column: labels})
    if keep:
        columns = command_files.add_kept_columns(
            columns, table, found.rows, [id_column], reading
        )
    notes = command_files.write_outputs(outputs, force, columns)
    summary = Summary(
        table=table,
        rows=len(found.labels),
        features=preprocessor.columns,
        missing=preprocessor.missing,
        n_clusters=saved.n_clusters,
        what="classes" if saved.classes else "clusters",
        column=saved.column,
        names=saved.classes or list(range(saved.n_clusters)),
        sizes=np.bincount(found.labels, minlength=saved.n_clusters).tolist(),
        seconds=task.seconds,
        notes=[*_different(saved), *found.notes, *task.notes, *notes],
        files=outputs,
    )
    print_summary(summary, as_json)


def _different(saved: TableModel) -> list[str]:
    """Return a note if the model does not give the labels that were written with it."""
    if not saved.n_different:
        return []
    return [
        f"the model gives {saved.n_different:,} of the {saved.n_rows:,} rows of its "
        "table another cluster than the labels that were written with it"
    ]


class _Predictions(NamedTuple):
    rows: np.ndarray
    ids: np.ndarray
    labels: np.ndarray
    notes: list[str]


def _predict(
    estimator: Any,
    preprocessor: Any,
    table: str,
    id_column: str | None,
    text_options: TextOptions,
) -> _Predictions:
    """Predict a block of rows at a time."""
    text = preprocessor.text_columns  # as in the table of the model
    options = replace(text_options, text=text)
    keep = [id_column] if id_column else []
    positions, ids, labels = [], [], []
    unseen: dict[str, tuple[int, str]] = {}
    gaps: Counter[str] = Counter()
    n_rows = 0
    total, _ = declared_shape(table)
    blocks = read_table_blocks(table, preprocessor.columns, keep, text_options=options)
    for block in blocks:
        size = len(block)
        for name, (count, value) in preprocessor.unseen(block).items():
            before, first = unseen.get(name, (0, value))
            unseen[name] = before + count, first
        if preprocessor.missing == "median":
            gaps += count_gaps(clean_table(block), preprocessor.columns)
        X, rows = preprocessor.transform(block)
        labels.append(estimator.predict(X))
        positions.append(n_rows + rows)
        ids.append(block.kept[id_column][rows] if id_column else positions[-1])
        n_rows += size
        if total:
            progress.update(n_rows / total)
    if not labels:
        raise click.ClickException(f"{table} has no rows: give a table with rows.")
    found = np.concatenate(labels)
    n_dropped = n_rows - len(found)
    left_out = f"{counted(n_dropped, 'rows')} with missing values left out"
    notes = [left_out] if n_dropped else []
    notes += gap_notes(gaps, preprocessor.encoder)
    for name, (count, value) in unseen.items():
        notes.append(
            f"{counted(count, 'rows')} with a value of {name!r} that the model does "
            f"not know, such as {value!r}"
        )
    return _Predictions(np.concatenate(positions), np.concatenate(ids), found, notes)
