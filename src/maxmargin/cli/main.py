"""The command ``maxmargin``: its subcommands, and errors in one line."""

import sys
from importlib import import_module
from typing import Any, NoReturn

try:
    import click
except ImportError:
    sys.exit("maxmargin: error: click is missing: pip install 'maxmargin[cli]'")

from maxmargin import __version__

# The module of each subcommand. Modules are imported when they are needed, and import
# the rest of the package when they run, so that --help is fast.
COMMANDS = {
    "cluster": "maxmargin.cli.cluster",
    "predict": "maxmargin.cli.predict",
    "evolve": "maxmargin.cli.evolve",
    "classify": "maxmargin.cli.classify",
    "compare": "maxmargin.cli.compare",
    "segment": "maxmargin.cli.segment",
    "demo": "maxmargin.cli.cluster",
    "info": "maxmargin.cli.info",
}


class Commands(click.Group):
    """Subcommands that are imported when needed, with errors in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import a subcommand."""
        if name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(COMMANDS[name]), name)
        return command

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command and exit with 0, 1 for an error, 2 for wrong usage."""
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
            _fail("interrupted; nothing was written", 1)
        except BrokenPipeError:
            sys.stderr.close()  # the reader of the output has ended
            sys.exit(1)
        except ImportError as error:
            _fail(f"{error}: pip install 'maxmargin[cli]'", 1)
        except OSError as error:
            _fail(_reason(error), 1)
        except MemoryError:
            _fail("not enough memory: use fewer rows or columns", 1)
        except ValueError as error:
            _fail(str(error), 1)
        sys.exit(result if isinstance(result, int) else 0)


def _reason(error: OSError) -> str:
    if error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return error.strerror or str(error)


def _fail(message: str, code: int) -> NoReturn:
    line = " ".join(message.split())
    click.echo(f"maxmargin: error: {line}", err=True)
    sys.exit(code)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="maxmargin")
def main() -> None:
    """Maximum margin clustering of tables.

    A table is a CSV, TSV, Parquet, Arrow (Feather), .npy or .npz file, or - for
    standard input. Existing files are not replaced without --force.
    """


if __name__ == "__main__":
    main()
