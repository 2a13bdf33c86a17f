"""Output to the terminal: notes, JSON, tables and progress."""

import json
import sys
import threading
import time
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import click
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from maxmargin.compiled import compilation_told
from maxmargin.progress import report_to, rising

PROGRESS_DELAY = 2.0  # seconds before a progress bar appears


def print_notes(notes: Sequence[str]) -> None:
    """Print notes on the error stream."""
    for text in notes:
        click.echo(f"note: {text}", err=True)


def print_json(data: Mapping[str, Any]) -> None:
    """Print JSON; values that it does not support are lists or strings."""

    def convert(value: Any) -> Any:
        return value.tolist() if hasattr(value, "tolist") else str(value)

    click.echo(json.dumps(data, indent=2, default=convert, allow_nan=False))


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    to_stderr: bool = False,
    texts: Collection[str] | None = (),
) -> None:
    """Print a table; columns but the first and ``texts``, None for all, are numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for j, name in enumerate(header):
        table.add_column(
            name,
            justify="left" if j == 0 or texts is None or name in texts else "right",
            no_wrap=j == 0,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*row)
    stream = sys.stderr if to_stderr else sys.stdout
    if stream.isatty():
        Console(file=stream, highlight=False).print(table)
        return
    # In a pipe, lines are not wrapped and have no trailing spaces.
    columns = zip_longest(header, *rows, fillvalue="")
    width = sum(3 + max(map(cell_len, column)) for column in columns)
    console = Console(file=stream, highlight=False, width=width)
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        click.echo(line.rstrip(), err=to_stderr)


def print_shares(
    header: Sequence[str],
    names: Sequence[str | int],
    sizes: Sequence[int],
    to_stderr: bool = False,
    about: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Print the sizes of clusters, their shares of all rows, and more by its name."""
    total = max(sum(sizes), 1)
    rows = [
        [str(name), f"{size:,}", f"{size / total:.1%}"]
        for name, size in zip(names, sizes, strict=True)
    ]
    header = [*header, "share"]
    for name, texts in (about or {}).items():
        if any(texts):
            header.append(name)
            for row, text in zip(rows, texts, strict=True):
                row.append(text)
    print_table(header, rows, to_stderr, texts=(about or {}).keys())


@contextmanager
def progress_bar(text: str) -> Iterator[None]:
    """Show a progress bar if the block takes longer than two seconds.

    It shows the remaining time after the first step that `maxmargin.progress` reports.
    Nothing is shown if the error stream is not a terminal.
    """
    if not sys.stderr.isatty():
        yield
        return
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(stderr=True),
        transient=True,
    )
    task_id = bar.add_task(text, total=1.0)

    def show(share: float, name: str) -> None:
        description = f"{text}: {name}" if name else text
        bar.update(task_id, completed=share, description=description)

    timer = threading.Timer(PROGRESS_DELAY, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with report_to(rising(show)):
            yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@dataclass
class TimedBlock:
    """A finished block of `run_task`."""

    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)  # convergence warnings


@contextmanager
def run_task(text: str) -> Iterator[TimedBlock]:
    """Show a progress bar, measure the time, and turn warnings into notes.

    Warnings other than convergence warnings are ignored.
    """
    task = TimedBlock()
    start = time.perf_counter()
    with (
        warnings.catch_warnings(record=True) as caught,
        compilation_told(lambda told: click.echo(f"note: {told}", err=True)),
        progress_bar(text),
    ):
        warnings.simplefilter("always")
        yield task
    task.seconds = round(time.perf_counter() - start, 3)
    for warning in caught:
        if "ConvergenceWarning" in warning.category.__name__:
            task.notes.append(" ".join(str(warning.message).split()))
