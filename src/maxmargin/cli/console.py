"""Output to the terminal: the summary of a result, notes, tables and progress."""

import json
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

import click

from maxmargin.progress import report_to

PROGRESS_DELAY = 2.0  # seconds before a progress bar appears


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The result of a command, with the fields that ``--json`` prints.

    Fields that are None are not printed. ``snapshots`` are columns by name.
    """

    table: str
    rows: int
    labelled: int | None = None
    features: Sequence[str]
    scaled: bool | None = None
    missing: str | None = None
    n_clusters: int
    what: str | None = None  # "clusters" by default
    column: str | None = None  # "cluster" by default
    method: str | None = None
    names: Sequence[str | int] | None = None  # of the clusters
    sizes: Sequence[int]
    objective: float | None = None
    snapshots: Mapping[str, Sequence[Any]] | None = None
    seconds: float
    parameters: Mapping[str, Any] | None = None
    notes: Sequence[str]
    adjusted_rand_index: float | None = None
    accuracy: float | None = None
    files: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the fields that are not None."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def print_summary(summary: Summary, as_json: bool, to_stderr: bool = False) -> None:
    """Print a summary as JSON or, always on the error stream, as text."""
    if as_json and not to_stderr:
        print_json(summary.to_json())
        return
    for text in summary.notes:
        print_note(text)
    if summary.snapshots is None:
        _print_sizes(summary, to_stderr)
    else:
        _print_snapshots(summary, summary.snapshots, to_stderr)
    for value, label in (
        (summary.adjusted_rand_index, "adjusted Rand index"),
        (summary.accuracy, "accuracy on held-out rows"),
    ):
        if value is not None:
            click.echo(f"{label}: {value:.3f}", err=to_stderr)
    for kind, path in summary.files.items():
        if path != "-":
            click.echo(f"{kind}: {path}", err=to_stderr)


def _print_sizes(summary: Summary, to_stderr: bool) -> None:
    click.echo(
        f"{summary.rows:,} rows, {len(summary.features)} features, "
        f"{summary.n_clusters} {summary.what or 'clusters'}, {summary.seconds:.2f} s",
        err=to_stderr,
    )
    names = summary.names or range(len(summary.sizes))
    rows = [
        [str(name), f"{size:,}", f"{size / max(summary.rows, 1):.1%}"]
        for name, size in zip(names, summary.sizes, strict=True)
    ]
    print_table([summary.column or "cluster", "rows", "share"], rows, to_stderr)


def _print_snapshots(
    summary: Summary, snapshots: Mapping[str, Sequence[Any]], to_stderr: bool
) -> None:
    click.echo(
        f"{summary.rows:,} rows, {len(snapshots['time'])} snapshots, "
        f"{len(summary.features)} features, {summary.n_clusters} clusters, "
        f"{summary.seconds:.2f} s",
        err=to_stderr,
    )
    names = ["time", "n_objects", "stayed", "moved", "came", "left"]
    rows = list(zip(*(map(str, snapshots[name]) for name in names), strict=True))
    print_table(["time", "objects", *names[2:]], rows, to_stderr)


def print_note(text: str) -> None:
    """Print a note on the error stream."""
    click.echo(f"note: {text}", err=True)


def print_json(data: Mapping[str, Any]) -> None:
    """Print JSON."""
    click.echo(json.dumps(data, indent=2, default=_as_json, allow_nan=False))


def _as_json(value: Any) -> Any:
    """Convert numpy arrays and numbers, and what else JSON does not know."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    to_stderr: bool = False,
    numbers: bool = True,
) -> None:
    """Print a table; if ``numbers``, all columns but the first are right-aligned."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for j, name in enumerate(header):
        table.add_column(
            name,
            justify="right" if j and numbers else "left",
            no_wrap=j == 0,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    stream = sys.stderr if to_stderr else sys.stdout
    if stream.isatty():
        Console(file=stream, highlight=False).print(table)
        return
    # In a pipe the width is unlimited, and lines have no trailing spaces.
    console = Console(file=stream, highlight=False, width=10_000)
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        click.echo(line.rstrip(), err=to_stderr)


@contextmanager
def progress_bar(task: str) -> Iterator[None]:
    """Show a progress bar if the block takes longer than two seconds.

    It shows the remaining time after the first step that `maxmargin.progress` reports.
    Nothing is shown if the error stream is not a terminal.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
    )
    task_id = bar.add_task(task, total=1.0)
    timer = threading.Timer(PROGRESS_DELAY, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with report_to(lambda share: bar.update(task_id, completed=share)):
            yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Append convergence warnings to ``notes``; ignore other warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if "ConvergenceWarning" in warning.category.__name__:
            notes.append(" ".join(str(warning.message).split()))
