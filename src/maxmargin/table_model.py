"""Model files of tables: a fitted estimator with the preprocessing of its table."""

from typing import IO, Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from maxmargin.model_file import read_model_file, save_model
from maxmargin.tables.preprocessing import Preprocessor
from maxmargin.tables.samples import TableSamples


class TableModel(NamedTuple):
    """A fitted estimator from a file, with the preprocessing of its table.

    Models that were not written by a command have no preprocessor.
    """

    estimator: Any
    preprocessor: Preprocessor | None
    column: str  # of the labels
    classes: list[str] | None  # of a classifier
    n_rows: int | None  # of the table that it was fitted to
    n_different: int = 0  # of these rows have other labels in what was written with it

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
    labels: np.ndarray | None = None,
) -> None:
    """Write a fitted estimator with the preprocessing of its table.

    ``labels`` are those of the rows, if they may differ from what it predicts.
    """
    about = {
        "preprocessor": samples.preprocessor,
        "column": column,
        "classes": classes,
        "n_rows": samples.n_rows,
        "n_different": 0
        if labels is None
        else int(np.count_nonzero(estimator.predict(samples.X) != labels)),
    }
    save_model(file, estimator, about)


def load_table_model(path: str) -> TableModel:
    """Read a model file; raise a ValueError if it is none."""
    estimator, about = read_model_file(path)
    return TableModel(
        estimator,
        about.get("preprocessor"),
        about.get("column", "cluster"),
        about.get("classes"),
        about.get("n_rows"),
        about.get("n_different", 0),
    )
