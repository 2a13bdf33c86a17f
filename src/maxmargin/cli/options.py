"""Types of options, and options that several subcommands share."""

from collections.abc import Callable, Sequence
from typing import Any

import click

Command = Callable[..., Any]
Option = Callable[[Command], Command]

TABLE = click.Path(exists=True, dir_okay=False, allow_dash=True)
FILE = click.Path(exists=True, dir_okay=False)
MISSING = ["median", "error", "drop"]


class SimilarityName(click.ParamType):
    """The name of a similarity of rows; the table of them takes time to import."""

    name = "similarity"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Return a name that is known."""
        from maxmargin.similarities import SIMILARITIES

        names = [name for name in SIMILARITIES if name != "precomputed"]
        if value not in names:
            self.fail(f"{value!r} is not known: use one of {', '.join(names)}.")
        return str(value)


def split_names(value: str) -> list[str]:
    """Return names that are separated by commas."""
    return [name.strip() for name in value.split(",") if name.strip()]


def parse_sign(value: str) -> str:
    """Return a character that may be given by its name."""
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(value, value)


def parse_cluster_count(value: str) -> int | str:
    """Return an int >= 1, or ``"auto"``."""
    if value == "auto":
        return "auto"
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        raise click.BadParameter(f"{value!r} must be an int >= 1 or 'auto'.")
    return number


def parse_half_life(value: str) -> float | str:
    """Return a number >= 0, or ``"auto"``."""
    if value == "auto":
        return "auto"
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise click.BadParameter(f"{value!r} must be a number >= 0 or 'auto'.")
    return number


def value(name: str, kind: Any, default: Any, text: str, **more: Any) -> Option:
    """Return an option with a default value."""
    return click.option(
        *name.split(), type=kind, default=default, show_default=True, help=text, **more
    )


def choice(name: str, values: Sequence[str], text: str) -> Option:
    """Return an option with several values; the first one is the default."""
    return value(name, click.Choice(values), values[0], text)


def output(name: str, text: str) -> Option:
    """Return an option with the path of a file that is written."""
    kind = click.Path(dir_okay=False, allow_dash=True)
    short = ["-o"] if name == "--out" else []
    return click.option(*short, name, type=kind, help=text)


def names(name: str, default: str | None, text: str) -> Option:
    """Return an option with names that are separated by commas."""
    return value(name, split_names, default, text, metavar="A,B,...")


def several(*options: Option) -> Option:
    """Return a decorator that adds several options."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


table = click.argument("table", type=TABLE)
label = click.option(
    "--label", metavar="COLUMN", help="Column of true classes, for evaluation only."
)
id_column = click.option(
    "--id", "id_column", metavar="COLUMN", help="Column of ids of the rows."
)
clusters = value(
    "-k --clusters",
    parse_cluster_count,
    "auto",
    "Number of clusters.",
    metavar="N|AUTO",
)
seed = value("--seed", int, 0, "Seed of random numbers.")
keep = click.option(
    "--keep", is_flag=True, help="Write the columns of the table to --out as well."
)
model = output("--model", "Write a model for the command predict.")
report = output("--report", "Write an HTML report.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
force_and_json = several(
    click.option("--force", is_flag=True, help="Replace existing files."), as_json
)
reading = several(  # the fields of `maxmargin.tables.text.TextOptions`
    click.option(
        "--delimiter",
        type=parse_sign,
        help="Sign between cells of a text file, or tab.",
    ),
    click.option(
        "--decimal", type=click.Choice(".,"), help="Decimal sign of a text file."
    ),
    click.option(
        "--thousands",
        type=click.Choice([",", ".", "'", " "]),
        help="Thousands separator of a text file.",
    ),
    click.option("--encoding", help="Encoding of a text file, such as cp1252."),
    click.option("--comment", help="Skip lines of a text file that begin with it."),
    names("--text", None, "Columns of text, even if it looks like numbers."),
)
columns = several(  # the fields of `maxmargin.tables.samples.TableOptions`
    names("--features", None, "Columns to use, by default all."),
    names("--drop", None, "Columns not to use."),
    id_column,
    choice(
        "--scale",
        ["auto", "on", "off"],
        "Divide numeric columns by their standard deviations; auto: if there is a "
        "text column, or if more than half of the columns have a range and a standard "
        "deviation below a tenth of the largest ones.",
    ),
    choice(
        "--missing",
        MISSING,
        "Handling of missing values: replace numbers by the median of the three "
        "nearest rows that have them (text needs no value), stop with an error, or "
        "drop the row.",
    ),
    reading,
)
