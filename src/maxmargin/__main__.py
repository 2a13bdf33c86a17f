"""``python -m maxmargin`` is the command `maxmargin`."""

from maxmargin.cli.main import run

run()
