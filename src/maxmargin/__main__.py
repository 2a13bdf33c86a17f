"""``python -m maxmargin`` is the command `maxmargin`."""

from maxmargin.cli.main import main

main(prog_name="maxmargin")
