"""Files of a command: tables and models that it reads, outputs that it writes."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import IO, Any

import click
import numpy as np
from sklearn.base import BaseEstimator

from maxmargin import files
from maxmargin.cli.console import progress_bar
from maxmargin.clustering.model_file import SavedModel, load_model, save_model
from maxmargin.evolving.base import EvolvingClusterer
from maxmargin.kernels.counts import looks_like_counts
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
        return read_samples(path, options, label, time, is_counts=looks_like_counts)


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
    """A model from a file, and what it knows about its table.

    Models that were not written by a command have no preprocessor.
    """

    model: SavedModel
    preprocessor: Preprocessor | None
    column: str  # of the labels
    classes: list[str] | None  # of a classifier
    estimator: str | None  # the name of its class
    n_rows: int | None  # of the table that it was fitted to

    @property
    def n_clusters(self) -> int:
        """Return the number of clusters or classes."""
        return len(self.classes or self.model.model.offsets)


def save_table_model(
    file: IO[bytes],
    estimator: BaseEstimator,
    samples: TableSamples,
    column: str = "cluster",
    classes: list[str] | None = None,
) -> None:
    """Write a fitted estimator with the preprocessing of its table."""
    about: dict[str, Any] = {
        "rules": samples.preprocessor.to_json(),
        "estimator": type(estimator).__name__,
        "column": column,
        "n_rows": len(samples.X),
    }
    if classes is not None:
        about |= {"classes": classes, "signed": len(classes) == 2}
    if isinstance(estimator, EvolvingClusterer) and estimator._outcome is not None:
        last = estimator._outcome
        estimator = SimpleNamespace(_model=last.model, _counts=last.counts)
    save_model(file, estimator, about)


def load_table_model(path: str) -> TableModel:
    """Read a model file; raise a ValueError if it is none."""
    saved = load_model(path)
    about = saved.about
    return TableModel(
        saved,
        Preprocessor.from_json(about["rules"]) if "rules" in about else None,
        about.get("column", "cluster"),
        about.get("classes"),
        about.get("estimator"),
        about.get("n_rows"),
    )
