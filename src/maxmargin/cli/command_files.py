"""Files of a command: tables and models that it reads, outputs that it writes."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import IO, Any

import click
import numpy as np

from maxmargin import files
from maxmargin.cli.console import progress_bar
from maxmargin.table_model import TableModel, load_table_model
from maxmargin.tables.read import read_columns, read_table
from maxmargin.tables.samples import TableOptions, TableSamples, read_samples
from maxmargin.tables.table import Table
from maxmargin.tables.text import TextOptions
from maxmargin.tables.write import (
    is_formula,
    output_format,
    table_writer,
    with_found,
)


def load_samples(
    path: str,
    label: str | None = None,
    time: str | None = None,
    *,
    words: bool = False,
    **columns: Any,
) -> TableSamples:
    """Read the samples of a table; those of texts if the command can use ``words``.

    ``columns`` are the fields of `TableOptions`, with those of `TextOptions`.
    """
    text_options = pop_text_options(columns)
    options = TableOptions(**columns, text_options=text_options)
    with progress_bar("reading the table"):
        samples = read_samples(path, options, label, time)
    if samples.texts is not None and not words:
        raise click.ClickException(
            f"{path} has nothing but texts, which this command does not compare: "
            "cluster them with maxmargin cluster."
        )
    return samples


def pop_text_options(parameters: dict[str, Any]) -> TextOptions:
    """Remove the options of reading a text file from the parameters of a command."""
    given = {f.name: parameters.pop(f.name, None) for f in fields(TextOptions)}
    return TextOptions(**{**given, "text": given["text"] or ()})


def check_output_options(
    force: bool, inputs: Iterable[str] = (), **paths: str | None
) -> dict[str, str]:
    """Return the paths that are not None; raise an error if one cannot be written.

    The names are those of the options. ``out`` is a table, and may be ``"-"``. A file
    in ``inputs`` is never replaced.
    """
    outputs = {name: path for name, path in paths.items() if path}
    for name, path in outputs.items():
        if any(_is_same_file(path, given) for given in inputs):
            raise click.UsageError(
                f"--{name} would replace the input {path}: give another name."
            )
        if path == files.STANDARD_OUTPUT and name != "out":
            raise click.UsageError(f"--{name} cannot go to standard output.")
    written = [path for path in outputs.values() if path != files.STANDARD_OUTPUT]
    try:
        files.check_outputs(written, force)
    except (OSError, ValueError) as error:
        raise click.UsageError(str(error)) from None
    if "out" in outputs:
        output_format(outputs["out"])
    return outputs


def _is_same_file(path: str, other: str) -> bool:
    """Return True if two paths that exist are the same file."""
    if files.STANDARD_OUTPUT in (path, other) or not os.path.exists(path):
        return False
    return os.path.samefile(path, other)


def write_outputs(
    outputs: Mapping[str, str],
    force: bool,
    columns: Mapping[str, np.ndarray],
    **writers: files.Writer,
) -> list[str]:
    """Write the outputs that have a path; ``columns`` are the table ``out``.

    Returns notes for the user.
    """
    chosen = {outputs[name]: writers[name] for name in writers if name in outputs}
    if "out" in outputs:
        chosen[outputs["out"]] = table_writer(outputs["out"], columns)
    files.write_files(chosen, force)
    return _formula_notes(outputs, columns)


def _formula_notes(
    outputs: Mapping[str, str], columns: Mapping[str, np.ndarray]
) -> list[str]:
    """Return a note about text that a spreadsheet takes for a formula."""
    if "out" not in outputs or output_format(outputs["out"]) != "text":
        return []
    found = [
        repr(name)
        for name, values in columns.items()
        if values.dtype.kind in "OU" and any(map(is_formula, map(str, values.tolist())))
    ]
    if not found:
        return []
    return [
        f"text in {', '.join(found)} begins with a sign of a formula: import it into a "
        "spreadsheet as text"
    ]


def write_report(file: IO[bytes], make_page: Callable[..., str], result: Any) -> None:
    """Write the page about a result, with a progress bar."""
    with progress_bar("writing the report"):
        file.write(make_page(result).encode())


def check_keep(keep: bool, table: str, out: str | None) -> None:
    """Raise an error if the columns of a table cannot be written with ``--keep``."""
    if keep and out is None:
        raise click.UsageError("--keep needs --out, the file that gets the columns.")
    if keep and table == files.STANDARD_OUTPUT:
        raise click.UsageError(
            "--keep needs a file: standard input cannot be read twice."
        )


def label_columns(
    samples: TableSamples,
    column: str,
    labels: np.ndarray,
    keep: bool,
    options: dict[str, Any],
) -> dict[str, np.ndarray]:
    """Return the label of each row; with ``keep``, after the columns of its table.

    ``options`` are those of the command about columns.
    """
    found = with_found({samples.id_name: samples.ids}, {column: labels})
    if not keep:
        return found
    same = [options["id_column"]]
    return add_kept_columns(found, samples.table, samples.rows, same, options)


def add_kept_columns(
    columns: dict[str, np.ndarray],
    table: str,
    rows: np.ndarray | None,
    same: Iterable[str | None],
    reading: dict[str, Any],
) -> dict[str, np.ndarray]:
    """Return the columns of an output after those of its input table.

    ``rows`` are the positions of the rows of the output in the table, ``same`` the
    names of columns that both have. ``reading`` has the fields of `TextOptions` that
    were given.
    """
    read = read_columns(table, pop_text_options(dict(reading)))
    kept = {name: values[rows] for name, values in read.items()}
    new = {name: values for name, values in columns.items() if name not in same}
    return with_found(kept, new)


def describe_file(path: str, text_options: TextOptions) -> dict[str, Any]:
    """Return the content of a model or of a table by name."""
    if path.endswith(".npz"):
        try:
            return _describe_model(load_table_model(path))
        except ValueError:
            pass  # not a model but a table
    table = read_table(path, text_options=text_options)
    columns = [_describe_column(table, name) for name in table.names]
    return {"table": path, "rows": len(table), "columns": columns}


def _describe_model(saved: TableModel) -> dict[str, Any]:
    preprocessor = saved.preprocessor
    return {
        "model": type(saved.estimator).__name__,
        "clusters": saved.n_clusters,
        "rows": saved.n_rows,
        "columns": preprocessor.columns if preprocessor else [],
        "scaled": preprocessor.scaled if preprocessor else None,
        "missing": preprocessor.missing if preprocessor else None,
    }


def _describe_column(table: Table, name: str) -> dict[str, Any]:
    if name in table.texts:
        text = table.texts[name]
        n_missing = int((text.codes < 0).sum())
        holds = f"text, {len(text.values)} values"
    else:
        values = table.column(name)
        n_missing = int(np.isnan(values).sum())
        finite = values[np.isfinite(values)]
        holds = f"{finite.min():.6g} to {finite.max():.6g}" if len(finite) else "none"
    return {"column": name, "holds": holds, "gaps": n_missing}
