"""``maxmargin classify``: a classifier from a table with some or all labels."""

from typing import Any, NamedTuple

import click
import numpy as np
from sklearn.model_selection import train_test_split

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.cli import command_files
from maxmargin.cli.console import run_task
from maxmargin.cli.results import Summary, print_summary
from maxmargin.published import ReducedSVC
from maxmargin.table_model import save_table_model

MAX_CLASSES = 20  # of numbers that may be measurements


def run(
    table: str,
    label: str,
    method: str,
    seed: int,
    out: str | None,
    keep: bool,
    model: str | None,
    force: bool,
    as_json: bool,
    **columns: Any,
) -> None:
    """Run the command; ``columns`` are passed to `load_samples`."""
    command_files.check_keep(keep, table, out)
    outputs = command_files.check_output_options(force, [table], model=model, out=out)
    samples = command_files.load_samples(table, label, **columns)
    assert samples.labels is not None
    X, (names, codes) = samples.X, encode_labels(samples.labels)
    _check_classes(names, codes, label)
    if len(names) < 2:
        raise click.ClickException(
            f"Column {label!r} must have at least two classes: it has {len(names)}."
        )
    known = np.flatnonzero(codes >= 0)
    if method == "auto":
        method = "semi" if len(known) < len(codes) else "reduced"
    with run_task("fitting the classifier") as task:
        accuracy = _held_out_accuracy(X, codes, known, method, seed)
        classifier = _fit(X, codes, known, method, seed)
        if method == "semi":
            found = classifier.transduction_
        else:
            found = np.where(codes >= 0, codes, classifier.predict(X))
    labels = np.array(names)[found]
    result = command_files.label_columns(samples, label, labels, keep, columns)
    notes = command_files.write_outputs(
        outputs,
        force,
        result,
        model=lambda file: save_table_model(file, classifier, samples, label, names),
    )
    summary = Summary(
        table=table,
        rows=len(X),
        labelled=len(known),
        features=samples.preprocessor.feature_names,
        n_clusters=len(names),
        what="classes",
        column=label,
        method=type(classifier).__name__,
        names=names,
        sizes=np.bincount(found, minlength=len(names)).tolist(),
        seconds=task.seconds,
        notes=[*samples.notes, *task.notes, *notes],
        accuracy=accuracy,
        files=outputs,
    )
    print_summary(summary, as_json)


class EncodedLabels(NamedTuple):
    """The names of the classes, and the position of each row's class among them."""

    names: list[str]
    codes: np.ndarray  # -1 for a missing label


def encode_labels(column: np.ndarray) -> EncodedLabels:
    """Encode a column of labels. Integers stored as floats are named as integers."""
    if column.dtype.kind == "f":
        filled = np.isfinite(column)
        integers = bool((column[filled] == np.rint(column[filled])).all())
        values = column[filled].astype(np.int64) if integers else column[filled]
    else:
        filled = np.array([v is not None and str(v) != "" for v in column], bool)
        values = column[filled]
        if column.dtype.kind == "O":
            values = values.astype(str)
    found, positions = np.unique(values, return_inverse=True)
    codes = np.full(len(column), -1)
    codes[filled] = positions
    return EncodedLabels([str(value) for value in found], codes)


def _check_classes(names: list[str], codes: np.ndarray, label: str) -> None:
    """Raise an error if the labels are measurements rather than classes.

    They are if many different numbers have fractions, or occur only once or twice.
    """
    try:
        values = np.array(names, dtype=float)
    except ValueError:
        return
    rows_of_each = np.sum(codes >= 0) / max(len(names), 1)
    fractions = bool((values != np.rint(values)).any())
    if len(names) > MAX_CLASSES and (fractions or rows_of_each < 3):
        raise click.ClickException(
            f"Column {label!r} is continuous: it has {len(names)} different numbers. "
            "Give a column of classes, such as ranges of these numbers."
        )


def _held_out_accuracy(
    X: np.ndarray, codes: np.ndarray, known: np.ndarray, method: str, seed: int
) -> float | None:
    """Return the accuracy of a classifier fitted without a fifth of the labels.

    It is None if there are too few labels.
    """
    if np.bincount(codes[known]).min() < 2 or len(known) < 10 * codes.max():
        return None
    train, test = train_test_split(
        known, test_size=0.2, stratify=codes[known], random_state=seed
    )
    classifier = _fit(X, codes, train, method, seed)
    return float(np.mean(classifier.predict(X[test]) == codes[test]))


def _fit(
    X: np.ndarray, codes: np.ndarray, train: np.ndarray, method: str, seed: int
) -> ReducedSVC | SemiSupervisedMaxMargin:
    """Fit a classifier to the labels of the rows ``train``."""
    if method == "reduced":
        return ReducedSVC("leader-any-order", random_state=seed).fit(
            X[train], codes[train]
        )
    given = np.full(len(codes), -1)
    given[train] = codes[train]
    return SemiSupervisedMaxMargin(scale=False, random_state=seed).fit(X, given)
