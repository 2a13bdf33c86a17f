"""The command `maxmargin`: its subcommands, and errors in one line."""

import sys
from importlib import import_module
from typing import Any

try:
    import click
except ImportError:
    sys.exit("maxmargin: error: the command needs more: pip install 'maxmargin[cli]'")

from maxmargin import __version__

# Where each subcommand lives; its module is loaded when it is asked for, and loads
# what it works with when it runs, so that help comes at once.
COMMANDS = {
    "cluster": "maxmargin.cli.cluster",
    "predict": "maxmargin.cli.predict",
    "evolve": "maxmargin.cli.evolve",
    "classify": "maxmargin.cli.classify",
    "compare": "maxmargin.cli.compare",
    "segment": "maxmargin.cli.segment",
    "demo": "maxmargin.cli.demo",
    "info": "maxmargin.cli.info",
}


class Commands(click.Group):
    """Subcommands by name, and one line for whatever goes wrong."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Load a subcommand."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[name]).command
        return command

    def main(self, *args: Any, **options: Any) -> Any:
        """Run; leave with 0, with 1 if it failed, with 2 if it was called wrongly."""
        options["standalone_mode"] = False
        try:
            result = super().main(*args, **options)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help() if error.ctx else "")
            sys.exit(0)
        except click.UsageError as error:
            _fail(error.format_message(), 2)
        except click.ClickException as error:
            _fail(error.format_message(), 1)
        except (click.Abort, KeyboardInterrupt):
            _fail("stopped; nothing was written", 1)
        except BrokenPipeError:
            sys.stderr.close()  # the reader has gone: nobody to tell
            sys.exit(1)
        except ImportError as error:
            _fail(f"{error}: pip install 'maxmargin[cli]'", 1)
        except OSError as error:
            _fail(_reason(error), 1)
        except MemoryError:
            _fail("the memory does not suffice: give fewer rows or columns", 1)
        except ValueError as error:
            _fail(str(error), 1)
        sys.exit(result if isinstance(result, int) else 0)


def _reason(error: OSError) -> str:
    if error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return error.strerror or str(error)


def _fail(message: str, code: int) -> None:
    line = " ".join(message.split())
    click.echo(f"maxmargin: error: {line}", err=True)
    sys.exit(code)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="maxmargin")
def main() -> None:
    """Maximum margin clustering of tables: clusters that a classifier separates best.

    Tables are CSV, TSV, Parquet, Arrow (Feather), .npy or .npz files, or - for
    standard input. Nothing is written over without --force.
    """


if __name__ == "__main__":
    main()
