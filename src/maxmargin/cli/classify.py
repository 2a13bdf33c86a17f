"""``maxmargin classify``: a classifier from a table with labels, all or a few."""

import time
from typing import Any

import click

from maxmargin.cli import options


@click.command(name="classify")
@click.argument("table", type=options.INPUT)
@click.option("--label", required=True, metavar="COLUMN", help="The classes.")
@click.option(
    "--method",
    type=click.Choice(["auto", "semi", "reduced"]),
    default="auto",
    show_default=True,
    help="semi: few labels, the others are found; reduced: a support vector machine on "
    "few centres; auto: semi if labels are missing.",
)
@options.table_options
@options.seed_option
@click.option("--out", type=options.OUTPUT, help="Write the class of each row.")
@click.option("--model", type=options.OUTPUT, help="Write a model for predict.")
@options.output_options
def command(table: str, **wishes: Any) -> None:
    """Learn the classes of TABLE; rows without a label get one.

    \b
    maxmargin classify customers.csv --label segment --out segments.csv
    maxmargin classify iris.csv --label species --model model.npz
    """  # noqa: D301
    import numpy as np

    from maxmargin.cli import data as tables
    from maxmargin.cli.results import check_outputs, tell, write_outputs

    outputs = {n: wishes[n] for n in ("out", "model") if wishes[n]}
    files, writer = check_outputs(outputs, wishes["force"])
    data = tables.load_wished(table, wishes)
    names, codes = encode_labels(data.label)
    if len(names) < 2:
        raise click.ClickException(
            f"Column {wishes['label']!r} has {len(names)} classes: give two at least."
        )
    few = bool((codes < 0).any())
    method = ("semi" if few else "reduced") if wishes["method"] == "auto" else None
    method = method or wishes["method"]
    start = time.perf_counter()
    estimator, positions, accuracy = _fit(
        data.X, codes, method, wishes["seed"], data.notes
    )
    labels = np.array(names)[positions]
    summary = {
        "table": table,
        "rows": len(data.X),
        "labelled": int((codes >= 0).sum()),
        "features": data.rules.names,
        "n_clusters": len(names),
        "what": "classes",
        "column": wishes["label"],
        "method": type(estimator).__name__,
        "names": names,
        "sizes": np.bincount(positions, minlength=len(names)).tolist(),
        "seconds": round(time.perf_counter() - start, 3),
        "notes": data.notes,
        "labels": labels,
    }
    if accuracy is not None:
        summary["accuracy"] = accuracy
    write_outputs(
        files, writer, outputs, data, estimator, summary, wishes["label"], names
    )
    tell(summary, wishes["as_json"], to_stderr=wishes["out"] == "-")


def encode_labels(column: Any) -> tuple[list[str], Any]:
    """Return the names of the classes and the class of each row, -1 for a gap."""
    import numpy as np

    if column.dtype.kind == "f":
        filled = np.isfinite(column)
        whole = bool((column[filled] == np.rint(column[filled])).all())
        values = column[filled].astype(np.int64) if whole else column[filled]
    else:
        filled = np.array([v is not None and str(v) != "" for v in column], bool)
        values = column[filled]
        if column.dtype.kind == "O":
            values = values.astype(str)
    found, places = np.unique(values, return_inverse=True)
    codes = np.full(len(column), -1)
    codes[filled] = places
    return [str(value) for value in found], codes


def _fit(X: Any, codes: Any, method: str, seed: int, notes: list[str]) -> Any:
    """Return the classifier, the class of each row, and the accuracy on rows held out.

    A fifth of the rows with a label, each class alike, is held out first; then all
    rows teach the classifier that is kept.
    """
    import numpy as np
    from sklearn.model_selection import train_test_split

    from maxmargin.cli.console import warnings_as_notes, working

    known = np.flatnonzero(codes >= 0)
    accuracy = None
    with warnings_as_notes(notes), working("learning"):
        if np.bincount(codes[known]).min() >= 2 and len(known) >= 10 * codes.max():
            teach, held = train_test_split(
                known, test_size=0.2, stratify=codes[known], random_state=seed
            )
            model = _learn(X, codes, teach, method, seed)
            accuracy = float(np.mean(model.predict(X[held]) == codes[held]))
        model = _learn(X, codes, known, method, seed)
        if method == "semi":
            positions = model.transduction_
        else:
            positions = np.where(codes >= 0, codes, model.predict(X))
    return model, positions, accuracy


def _learn(X: Any, codes: Any, known: Any, method: str, seed: int) -> Any:
    import numpy as np

    from maxmargin import ReducedSVC, SemiSupervisedMaxMargin

    if method == "reduced":
        return ReducedSVC(random_state=seed).fit(X[known], codes[known])
    given = np.full(len(codes), -1)
    given[known] = codes[known]
    return SemiSupervisedMaxMargin(random_state=seed).fit(X, given)
