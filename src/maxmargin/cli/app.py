"""``maxmargin app``: a page on which clusters are seen and corrected."""

from pathlib import Path

import click

from maxmargin.cli.command_files import check_output_options, write_outputs
from maxmargin.cli.console import print_notes

MISSING = "The page needs FastAPI and uvicorn: pip install 'maxmargin[app]'."


def run(
    file: str | None,
    host: str,
    port: int,
    token: str | None,
    browser: bool,
    folder: str | None,
    corrections: str | None,
    out: str | None,
    force: bool,
) -> None:
    """Run the command."""
    try:
        from maxmargin.app.replay import replay
        from maxmargin.app.server import serve
        from maxmargin.app.store import default_folder
        from maxmargin.app.takeaway import label_table
    except ImportError as error:
        raise click.ClickException(f"{MISSING} ({error})") from None
    if (corrections is None) != (out is None):
        raise click.UsageError("--corrections and --out belong together: give both.")
    if corrections is not None and out is not None:
        if file is None:
            raise click.UsageError("--corrections needs the table: give FILE.")
        outputs = check_output_options(force, [file, corrections], out=out)
        state, samples = replay(file, corrections)
        columns = label_table(state, samples.ids, samples.id_name)
        print_notes(write_outputs(outputs, force, columns))
        click.echo(f"out: {out}")
        return
    serve(
        Path(folder) if folder else default_folder(),
        host=host,
        port=port,
        token=token,
        browser=browser,
        file=Path(file) if file else None,
        say=click.echo,
    )
