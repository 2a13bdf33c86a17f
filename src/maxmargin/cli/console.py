"""What the terminal shows: notes, tables, and how far the work has come."""

import json
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from maxmargin.progress import report_to

PATIENCE = 2.0  # seconds before a bar appears


def note(text: str) -> None:
    """Tell the user something beside the result."""
    click.echo(f"note: {text}", err=True)


def print_json(data: dict[str, Any]) -> None:
    """Print the result for a script."""
    click.echo(json.dumps(data, indent=2, default=_plain, allow_nan=False))


def _plain(value: Any) -> Any:
    """Turn what numpy holds into what JSON holds."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def print_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    err: bool = False,
    numbers: bool = True,
) -> None:
    """Print a table: the first column is text, the others are numbers or text, too."""
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
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        Console(file=stream, highlight=False).print(table)
        return
    # Nobody looks at the width of a pipe: there no cell is cut, and no line padded.
    console = Console(file=stream, highlight=False, width=10_000)
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        click.echo(line.rstrip(), err=err)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a bar while work takes longer than two seconds.

    It says the time left once `maxmargin.progress` has told of a step. Nothing is shown
    where the error stream is no terminal.
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
    task = bar.add_task(what, total=1.0)
    timer = threading.Timer(PATIENCE, bar.start)
    timer.daemon = True
    timer.start()
    try:
        with report_to(lambda share: bar.update(task, completed=share)):
            yield
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Collect what the package warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        if "ConvergenceWarning" in warning.category.__name__:
            notes.append(" ".join(str(warning.message).split()))
