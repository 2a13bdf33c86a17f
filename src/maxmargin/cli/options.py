"""Options that subcommands share."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]


class Names(click.ParamType):
    """Column names with commas between them."""

    name = "a,b,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[str]:
        """Cut the names apart."""
        if isinstance(value, list):
            return value
        return [name.strip() for name in value.split(",") if name.strip()]


class ClusterCount(click.ParamType):
    """A number of clusters, or ``auto``."""

    name = "N|auto"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """Read the number."""
        if value == "auto":
            return "auto"
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} is no number of clusters: give 5, say, or auto.")
        return number


INPUT = click.Path(exists=True, dir_okay=False, allow_dash=True)
OUTPUT = click.Path(dir_okay=False, allow_dash=True)


def add(*options: Command) -> Callable[[Command], Command]:
    """Return a decorator that adds options, in their order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


count_option = click.option(
    "-k",
    "--clusters",
    type=ClusterCount(),
    default="auto",
    show_default=True,
    help="Number of clusters.",
)
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of random numbers."
)
output_options = add(
    click.option("--force", is_flag=True, help="Replace files that are there already."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts."),
)
table_options = add(
    click.option("--features", type=Names(), help="Columns to use; all by default."),
    click.option("--drop", type=Names(), default="", help="Columns not to use."),
    click.option(
        "--id", "id_column", metavar="COLUMN", help="Column of names of rows."
    ),
    click.option(
        "--scale",
        type=click.Choice(["auto", "on", "off"]),
        default="auto",
        show_default=True,
        help="Bring numbers to mean 0 and deviation 1; auto: if there is text, or a "
        "quarter of the columns have a range below a tenth of the largest.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "median", "drop"]),
        default="error",
        show_default=True,
        help="What to do with gaps: fail, fill in the median (text: the commonest "
        "value), or drop the row.",
    ),
)
