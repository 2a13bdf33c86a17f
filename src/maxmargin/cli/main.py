"""The command ``maxmargin``: its subcommands, and errors in one line."""

import atexit
import os
import signal
import sys
from typing import Any, NoReturn

try:
    import click
except ImportError:
    sys.exit("maxmargin: error: click is missing: pip install 'maxmargin[cli]'")

from maxmargin import __version__
from maxmargin.cli.commands import COMMANDS


class Commands(click.Group):
    """Subcommands in the order in which they were added, with errors in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return list(self.commands)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command and exit.

        The exit code is 0, 1 for an error, 2 for wrong usage, 130 after Ctrl-C.
        """
        options["standalone_mode"] = False
        try:
            result = super().main(*args, **options)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help() if error.ctx else "")
            sys.exit(0)
        except click.ClickException as error:
            _fail(error.format_message(), error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            _fail("interrupted", 128 + signal.SIGINT)
        except BrokenPipeError:
            sys.stderr.close()  # the reader of the output has ended
            sys.exit(1)
        except ImportError as error:
            _fail(f"{error}: pip install 'maxmargin[cli]'")
        except OSError as error:
            _fail(_reason(error))
        except MemoryError:
            _fail("not enough memory: use fewer rows or columns")
        except ValueError as error:
            _fail(str(error))
        sys.exit(result if isinstance(result, int) else 0)


def _reason(error: OSError) -> str:
    if error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return error.strerror or str(error)


def _fail(message: str, code: int = 1) -> NoReturn:
    line = " ".join(message.split())
    click.echo(f"maxmargin: error: {line}", err=True)
    sys.exit(code)


@click.group(
    cls=Commands,
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="maxmargin")
def main() -> None:
    """Maximum margin clustering of tables.

    A table is a CSV, TSV, Parquet, Arrow (Feather), JSON lines, Excel, .npy or .npz
    file, or - for standard input. Text may be compressed with gzip. Existing files are
    not replaced without --force.
    """


def run() -> NoReturn:
    """Run the command in this process, and end it without finalizing Python.

    A thread of pyarrow that reads a Python file can outlive the reading. If it needs
    the interpreter while that is finalized, the process is aborted.
    """
    code: Any = 0
    try:
        main(prog_name="maxmargin")
    except SystemExit as end:
        code = end.code
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # closed, or its reader has ended
            code = code or 1
    os._exit(code)
