"""What `cluster`, `predict` and `classify` leave behind: files and a summary."""

import io
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np

from maxmargin.cli.console import note, print_json, print_table, working
from maxmargin.model_file import save_model
from maxmargin.tables.write import WholeFiles, columns_writer


def check_outputs(outputs: dict[str, str], force: bool) -> tuple[WholeFiles, Any]:
    """Refuse bad places before the work begins; return what writes the labels."""
    files = WholeFiles(force)
    writer = None
    places = [Path(path).resolve() for path in outputs.values() if path != "-"]
    if len(set(places)) < len(places):
        raise click.UsageError("Two outputs have the same name: give each its own.")
    for name, path in outputs.items():
        if path == "-":
            if name != "out":
                raise click.UsageError(f"--{name} cannot go to standard output.")
            writer = columns_writer("-.csv")
            continue
        try:
            files.check(path)
        except OSError as error:
            raise click.UsageError(str(error)) from None
        if name == "out":
            writer = columns_writer(path)
    return files, writer


def write_outputs(
    files: WholeFiles,
    writer: Any,
    outputs: dict[str, str],
    data: Any,
    estimator: Any,
    summary: dict[str, Any],
    name: str = "cluster",
    classes: list[str] | None = None,
) -> None:
    """Write what was asked for, all of it or nothing."""
    labels = summary.pop("labels", None)
    labels = estimator.labels_ if labels is None else labels
    written = {}
    with files:
        if "model" in outputs:
            kind = type(estimator).__name__
            save_for_predict(
                files, outputs["model"], estimator, data, kind, name, classes
            )
            written["model"] = outputs["model"]
        if "report" in outputs:
            from maxmargin.report.page import make_page

            with working("making the page"):
                page = make_page(data, estimator, labels, summary).encode()
            files.add(outputs["report"], lambda file: file.write(page))
            written["report"] = outputs["report"]
        if "out" in outputs:
            write_labels(files, writer, outputs["out"], data.id_name, data.ids,
                         name, labels)  # fmt: skip
            written["out"] = outputs["out"]
    summary["files"] = written


def save_for_predict(
    files: WholeFiles,
    place: str,
    fitted: Any,
    data: Any,
    kind: str,
    name: str,
    classes: list[str] | None = None,
) -> None:
    """Write the decision functions, and the rules by which rows become numbers."""
    about = {
        "rules": data.rules.to_json(),
        "estimator": kind,
        "column": name,
        "n_rows": len(data.X),
    }
    if classes is not None:
        about |= {"classes": classes, "signed": len(classes) == 2}
    files.add(place, lambda file: save_model(file, fitted, about))


def write_labels(
    files: WholeFiles,
    writer: Any,
    place: str,
    id_name: str,
    ids: np.ndarray,
    name: str,
    labels: np.ndarray,
) -> None:
    """Write labels beside ids, to a file or to standard output."""
    name = name if name != id_name else f"{name}_found"
    write_columns(files, writer, place, {id_name: ids, name: labels})


def write_columns(
    files: WholeFiles, writer: Any, place: str, columns: dict[str, np.ndarray]
) -> None:
    """Write columns to a file or to standard output."""
    if place == "-":
        buffer = io.BytesIO()
        writer(columns, buffer)
        sys.stdout.buffer.write(buffer.getvalue())
        sys.stdout.buffer.flush()
    else:
        files.add(place, lambda file: writer(columns, file))


def tell(summary: dict[str, Any], as_json: bool, to_stderr: bool = False) -> None:
    """Print what was found."""
    if as_json and not to_stderr:
        print_json(summary)
        return
    for text in summary["notes"]:
        note(text)
    rows = [
        [str(h), f"{size:,}", f"{size / max(summary['rows'], 1):.1%}"]
        for h, size in zip(
            summary.get("names", range(len(summary["sizes"]))),
            summary["sizes"],
            strict=True,
        )
    ]
    timing = f", {summary['seconds']:.2f} s" if "seconds" in summary else ""
    click.echo(
        f"{summary['rows']:,} rows, {len(summary['features'])} features, "
        f"{summary['n_clusters']} {summary.get('what', 'clusters')}{timing}",
        err=to_stderr,
    )
    print_table([summary.get("column", "cluster"), "rows", "share"], rows, to_stderr)
    for key, label in (
        ("adjusted_rand_index", "adjusted Rand index"),
        ("accuracy", "accuracy on rows held out"),
    ):
        if key in summary:
            click.echo(f"{label}: {summary[key]:.3f}", err=to_stderr)
    for kind, path in summary.get("files", {}).items():
        if path != "-":
            click.echo(f"{kind}: {path}", err=to_stderr)
