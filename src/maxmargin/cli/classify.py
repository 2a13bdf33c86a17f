"""``maxmargin classify``: a classifier from a table with some or all labels."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import click

from maxmargin.cli import options

if TYPE_CHECKING:
    import numpy as np

    from maxmargin import ReducedSVC, SemiSupervisedMaxMargin
    from maxmargin.cli.console import Summary
    from maxmargin.files import Writer
    from maxmargin.tables.preprocessing import TableOptions, TableSamples


@click.command()
@click.argument("table", type=options.INPUT)
@click.option("--label", required=True, metavar="COLUMN", help="Column of classes.")
@click.option(
    "--method",
    type=click.Choice(["auto", "semi", "reduced"]),
    default="auto",
    show_default=True,
    help="semi: semi-supervised, for few labels; reduced: a support vector machine "
    "with few support vectors; auto: semi if labels are missing, else reduced.",
)
@options.table_options
@options.seed_option
@click.option("--out", type=options.OUTPUT, help="Write the class of each row.")
@options.model_option
@options.output_options
def classify(
    table: str,
    table_options: TableOptions,
    label: str,
    method: str,
    seed: int,
    out: str | None,
    model: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Fit a classifier to TABLE, and predict missing labels.

    \b
    maxmargin classify customers.csv --label segment --out segments.csv
    maxmargin classify iris.csv --label species --model model.npz
    """  # noqa: D301
    from maxmargin.cli.console import print_summary
    from maxmargin.cli.files import check_outputs, load_samples
    from maxmargin.files import write_files

    outputs = check_outputs(force, model=model, out=out)
    samples = load_samples(table, table_options, label)
    assert samples.labels is not None
    classes = encode_labels(samples.labels)
    if len(classes.names) < 2:
        raise click.ClickException(
            f"Column {label!r} has {len(classes.names)} classes: at least two are "
            "needed."
        )
    if method == "auto":
        method = "semi" if (classes.codes < 0).any() else "reduced"
    result = _fit(samples, classes, label, method, seed)
    write_files(_writers(result, outputs), force)
    print_summary(_summarize(result, outputs), as_json, to_stderr=out == "-")


class EncodedLabels(NamedTuple):
    """The names of the classes, and the position of each row's class among them."""

    names: list[str]
    codes: np.ndarray  # -1 for a missing label


def encode_labels(column: np.ndarray) -> EncodedLabels:
    """Encode a column of labels. Integers stored as floats are named as integers."""
    import numpy as np

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


class Classification(NamedTuple):
    """A classifier fitted to the samples of a table."""

    samples: TableSamples
    label: str  # the name of the column
    classes: EncodedLabels
    classifier: ReducedSVC | SemiSupervisedMaxMargin
    codes: np.ndarray  # the class of each row
    accuracy: float | None  # on held-out rows
    seconds: float
    notes: list[str]


def _fit(
    samples: TableSamples, classes: EncodedLabels, label: str, method: str, seed: int
) -> Classification:
    """Fit a classifier to all labels, after measuring its accuracy.

    The accuracy is that of a classifier fitted without a stratified fifth of the
    labels. It is None if there are too few labels.
    """
    import numpy as np
    from sklearn.model_selection import train_test_split

    from maxmargin.cli.console import progress_bar, warnings_as_notes

    X, codes = samples.X, classes.codes
    known = np.flatnonzero(codes >= 0)
    accuracy = None
    notes = list(samples.notes)
    start = time.perf_counter()
    with warnings_as_notes(notes), progress_bar("fitting the classifier"):
        if np.bincount(codes[known]).min() >= 2 and len(known) >= 10 * codes.max():
            train, test = train_test_split(
                known, test_size=0.2, stratify=codes[known], random_state=seed
            )
            classifier = _fit_classifier(X, codes, train, method, seed)
            accuracy = float(np.mean(classifier.predict(X[test]) == codes[test]))
        classifier = _fit_classifier(X, codes, known, method, seed)
        if method == "semi":
            found = classifier.transduction_
        else:
            found = np.where(codes >= 0, codes, classifier.predict(X))
    seconds = round(time.perf_counter() - start, 3)
    return Classification(
        samples, label, classes, classifier, found, accuracy, seconds, notes
    )


def _fit_classifier(
    X: np.ndarray, codes: np.ndarray, train: np.ndarray, method: str, seed: int
) -> ReducedSVC | SemiSupervisedMaxMargin:
    """Fit a classifier to the labels of the rows ``train``."""
    import numpy as np

    from maxmargin import ReducedSVC, SemiSupervisedMaxMargin

    if method == "reduced":
        return ReducedSVC(random_state=seed).fit(X[train], codes[train])
    given = np.full(len(codes), -1)
    given[train] = codes[train]
    return SemiSupervisedMaxMargin(random_state=seed).fit(X, given)


def _writers(result: Classification, outputs: dict[str, str]) -> dict[str, Writer]:
    """Return functions that write the outputs."""
    import numpy as np

    from maxmargin.cli.files import labels_writer, save_table_model

    samples, label, names = result.samples, result.label, result.classes.names
    writers: dict[str, Writer] = {}
    if "model" in outputs:
        writers[outputs["model"]] = lambda file: save_table_model(
            file, result.classifier, samples, label, names
        )
    if "out" in outputs:
        labels = np.array(names)[result.codes]
        writers[outputs["out"]] = labels_writer(
            outputs["out"], samples.id_name, samples.ids, label, labels
        )
    return writers


def _summarize(result: Classification, outputs: dict[str, str]) -> Summary:
    import numpy as np

    from maxmargin.cli.console import Summary

    samples, names = result.samples, result.classes.names
    return Summary(
        table=samples.table,
        rows=len(samples.X),
        labelled=int((result.classes.codes >= 0).sum()),
        features=samples.preprocessor.feature_names,
        n_clusters=len(names),
        what="classes",
        column=result.label,
        method=type(result.classifier).__name__,
        names=names,
        sizes=np.bincount(result.codes, minlength=len(names)).tolist(),
        seconds=result.seconds,
        notes=result.notes,
        accuracy=result.accuracy,
        files=outputs,
    )
