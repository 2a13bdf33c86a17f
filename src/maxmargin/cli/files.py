"""Files of a command: tables and models that it reads, outputs that it writes."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import IO, Any, NamedTuple

import click
import numpy as np
from sklearn.base import BaseEstimator

from maxmargin import files
from maxmargin.cli.console import progress_bar
from maxmargin.model_file import read_model_file, save_model
from maxmargin.tables.preprocessing import (
    Preprocessor,
    TableOptions,
    TableSamples,
    read_samples,
)
from maxmargin.tables.read import read_table
from maxmargin.tables.table import Table
from maxmargin.tables.text import TextOptions
from maxmargin.tables.write import output_format, table_writer


def load_samples(
    path: str, label: str | None = None, time: str | None = None, **columns: Any
) -> TableSamples:
    """Read the samples of a table.

    ``columns`` are the fields of `TableOptions`, with those of `TextOptions`.
    """
    text_options = pop_text_options(columns)
    options = TableOptions(**columns, text_options=text_options)
    with progress_bar("reading the table"):
        return read_samples(path, options, label, time)


def pop_text_options(parameters: dict[str, Any]) -> TextOptions:
    """Remove the options of reading a text file from the parameters of a command."""
    given = {f.name: parameters.pop(f.name, None) for f in fields(TextOptions)}
    return TextOptions(**{**given, "text": given["text"] or ()})


def check_outputs(force: bool, **paths: str | None) -> dict[str, str]:
    """Return the paths that are not None; raise an error if one cannot be written.

    The names are those of the options. ``out`` is a table, and may be ``"-"``.
    """
    outputs = {name: path for name, path in paths.items() if path}
    for name, path in outputs.items():
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


def write_outputs(
    outputs: Mapping[str, str],
    force: bool,
    columns: Mapping[str, np.ndarray],
    **writers: files.Writer,
) -> None:
    """Write the outputs that have a path; ``columns`` are the table ``out``."""
    chosen = {outputs[name]: writers[name] for name in writers if name in outputs}
    if "out" in outputs:
        chosen[outputs["out"]] = table_writer(outputs["out"], columns)
    files.write_files(chosen, force)


def write_report(file: IO[bytes], make_page: Callable[..., str], result: Any) -> None:
    """Write the page about a result, with a progress bar."""
    with progress_bar("writing the report"):
        file.write(make_page(result).encode())


def label_columns(
    id_name: str, ids: np.ndarray, column: str, labels: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the columns of a table of labels."""
    return {id_name: ids, column if column != id_name else f"{column}_found": labels}


class TableModel(NamedTuple):
    """A fitted estimator from a file, with the preprocessing of its table.

    Models that were not written by a command have no preprocessor.
    """

    estimator: Any
    preprocessor: Preprocessor | None
    column: str  # of the labels
    classes: list[str] | None  # of a classifier
    n_rows: int | None  # of the table that it was fitted to

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters or classes."""
        if self.classes is not None:
            return len(self.classes)
        classes = getattr(self.estimator, "classes_", None)
        return int(self.estimator.n_clusters_ if classes is None else len(classes))


def save_table_model(
    file: IO[bytes],
    estimator: BaseEstimator,
    samples: TableSamples,
    column: str = "cluster",
    classes: list[str] | None = None,
) -> None:
    """Write a fitted estimator with the preprocessing of its table."""
    about = {
        "rules": samples.preprocessor.to_json(),
        "column": column,
        "classes": classes,
        "n_rows": len(samples.X),
    }
    save_model(file, estimator, about)


def load_table_model(path: str) -> TableModel:
    """Read a model file; raise a ValueError if it is none."""
    estimator, about = read_model_file(path)
    return TableModel(
        estimator,
        Preprocessor.from_json(about["rules"]) if "rules" in about else None,
        about.get("column", "cluster"),
        about.get("classes"),
        about.get("n_rows"),
    )


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
