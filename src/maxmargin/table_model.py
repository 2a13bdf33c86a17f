"""Model files of tables: a fitted estimator with the preprocessing of its table."""

from dataclasses import replace
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
    preprocessor: Any  # a `Preprocessor` or `TextPreprocessor`, or None
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
        "rules": _with_medians(samples).to_json(),
        "column": column,
        "classes": classes,
        "n_rows": samples.n_rows,
        "n_different": 0
        if labels is None
        else int(np.count_nonzero(estimator.predict(samples.X) != labels)),
    }
    save_model(file, estimator, about)


def _with_medians(samples: TableSamples) -> Any:
    """Return the preprocessor with a value for missing cells in each column.

    It is the median of the samples, in text the most frequent value. Texts need none.
    """
    if samples.texts is not None:
        return samples.preprocessor
    features, start = [], 0
    for encoding in samples.preprocessor.features:
        fill = encoding.fill
        if encoding.block is not None:
            fill = None  # an expectation needs no value
        elif fill is None and encoding.values is not None:
            fill = encoding.values[0]
        elif fill is None:
            median = float(np.median(samples.X[:, start]))
            fill = median * encoding.scale
        features.append(replace(encoding, fill=fill))
        start += len(encoding.feature_names)
    return replace(samples.preprocessor, features=tuple(features))


def load_table_model(path: str) -> TableModel:
    """Read a model file; raise a ValueError if it is none."""
    estimator, about = read_model_file(path)
    return TableModel(
        estimator,
        Preprocessor.from_json(about["rules"]) if "rules" in about else None,
        about.get("column", "cluster"),
        about.get("classes"),
        about.get("n_rows"),
        about.get("n_different", 0),
    )
