"""``maxmargin demo``: the command ``cluster`` on an example table."""

from pathlib import Path

import click

from maxmargin.cli import commands
from maxmargin.cli.command_files import check_output_options
from maxmargin.datasets.examples import load_example
from maxmargin.files import write_files
from maxmargin.tables.write import table_writer


def run(folder: str, data: str, force: bool, as_json: bool) -> None:
    """Run the command."""
    names = [f"{data}.csv", "clusters.csv", "model.npz", "report.html"]
    Path(folder).mkdir(parents=True, exist_ok=True)
    table, out, model, report = (str(Path(folder) / name) for name in names)
    check_output_options(force, table=table, out=out, model=model, report=report)
    columns = load_example(data)
    write_files({table: table_writer(table, columns)}, force)
    n_classes = len(set(columns["class"]))
    arguments = [table, "-k", str(n_classes), "--label", "class"]
    arguments += ["--out", out, "--model", model, "--report", report]
    if not as_json:
        click.echo(f"maxmargin cluster {' '.join(arguments)}")
    arguments += ["--force"] * force + ["--json"] * as_json
    commands.cluster.main(arguments, standalone_mode=False)
