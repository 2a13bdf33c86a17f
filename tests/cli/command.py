"""The command as the tests run it."""

from click.testing import CliRunner

from maxmargin.cli.main import main


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(main, [str(a) for a in arguments], **options)
    assert result.exit_code == code, result.output
    if code:
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("maxmargin: error: ")
    return result
