"""Files of a command: tables and models that it reads, outputs that it writes."""

from dataclasses import dataclass
from typing import IO, Any

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
from maxmargin.tables.write import output_format, table_writer


def load_samples(
    path: str,
    options: TableOptions,
    label: str | None = None,
    time: str | None = None,
) -> TableSamples:
    """Read the samples of a table, with a progress bar."""
    with progress_bar("reading the table"):
        return read_samples(path, options, label, time)


def check_outputs(force: bool, **paths: str | None) -> dict[str, str]:
    """Raise an error if an output cannot be written, before it is computed.

    Parameters
    ----------
    force : bool
        Whether existing files may be replaced.
    **paths : str or None
        The values of the output options. ``out`` is a table.

    Returns
    -------
    outputs : dict
        The paths that are not None.
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


def labels_writer(
    path: str, id_name: str, ids: np.ndarray, column: str, labels: np.ndarray
) -> files.Writer:
    """Return a function that writes ids and labels as a table."""
    column = column if column != id_name else f"{column}_found"
    return table_writer(path, {id_name: ids, column: labels})


@dataclass(frozen=True)
class TableModel:
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
