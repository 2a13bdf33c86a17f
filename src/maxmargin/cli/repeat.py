"""The options of the running command, for commands that continue its work."""

import click
from click.core import ParameterSource

# Options that each command sets anew.
LEFT_OUT = {"clusters", "out", "keep", "model", "report", "force", "as_json"}


def given_options(*commands: click.Command) -> dict[str, tuple[str, ...]]:
    """Return the options that were given, and that other commands have as well.

    They are words of the command line, by the name of the command.
    """
    context = click.get_current_context()
    return {str(command.name): _words(context, command) for command in commands}


def _words(context: click.Context, command: click.Command) -> tuple[str, ...]:
    known = {parameter.name for parameter in command.params} - LEFT_OUT
    words: list[str] = []
    for option in context.command.params:
        name = str(option.name)
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if isinstance(option, click.Option) and given and name in known:
            value = context.params[name]
            words.append(option.opts[-1])
            if not option.is_flag:
                words.append(",".join(value) if isinstance(value, list) else str(value))
    return tuple(words)
