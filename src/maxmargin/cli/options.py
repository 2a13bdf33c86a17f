"""Options that several subcommands share."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

Command = Callable[..., Any]


class NameList(click.ParamType):
    """Names separated by commas."""

    name = "a,b,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[str]:
        """Return the list of names."""
        if isinstance(value, list):
            return value
        return [name.strip() for name in value.split(",") if name.strip()]


class ClusterCount(click.ParamType):
    """A number of clusters, or ``auto``."""

    name = "N|auto"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """Return an int >= 1, or ``"auto"``."""
        if value == "auto":
            return "auto"
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} must be an int >= 1 or 'auto'.")
        return number


INPUT = click.Path(exists=True, dir_okay=False, allow_dash=True)
OUTPUT = click.Path(dir_okay=False, allow_dash=True)


def _add(*options: Command) -> Callable[[Command], Command]:
    """Return a decorator that adds several options."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


clusters_option = click.option(
    "-k",
    "--clusters",
    type=ClusterCount(),
    default="auto",
    show_default=True,
    help="Number of clusters.",
)
label_option = click.option(
    "--label", metavar="COLUMN", help="Column of true classes, for evaluation only."
)
id_option = click.option(
    "--id", "id_column", metavar="COLUMN", help="Column of ids of the rows."
)
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of random numbers."
)
model_option = click.option(
    "--model", type=OUTPUT, help="Write a model for the command predict."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
output_options = _add(
    click.option("--force", is_flag=True, help="Replace existing files."), json_option
)
_table_options = _add(
    click.option("--features", type=NameList(), help="Columns to use, by default all."),
    click.option("--drop", type=NameList(), default="", help="Columns not to use."),
    id_option,
    click.option(
        "--scale",
        type=click.Choice(["auto", "on", "off"]),
        default="auto",
        show_default=True,
        help="Scale numeric columns to mean 0 and standard deviation 1; auto: if there "
        "is a text column, or if at least a quarter of the columns have a range below "
        "a tenth of the largest range.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "median", "drop"]),
        default="error",
        show_default=True,
        help="Handling of missing values: stop with an error, replace them by the "
        "median (in text by the most frequent value), or drop the row.",
    ),
)


def table_options(command: Command) -> Command:
    """Add the options of a table; the command gets them as one `TableOptions`."""

    @wraps(command)
    def with_record(
        *,
        features: list[str] | None,
        drop: list[str],
        id_column: str | None,
        scale: str,
        missing: str,
        **others: Any,
    ) -> Any:
        from maxmargin.tables.preprocessing import TableOptions

        options = TableOptions(features, drop, id_column, scale, missing)
        return command(table_options=options, **others)

    return _table_options(with_record)
