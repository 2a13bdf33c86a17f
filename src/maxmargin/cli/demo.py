"""``maxmargin demo``: the command ``cluster`` on an example table."""

from pathlib import Path

import click
import numpy as np
from sklearn import datasets

from maxmargin.cli import commands
from maxmargin.cli.files import check_outputs
from maxmargin.files import write_files
from maxmargin.tables.write import table_writer

LOADERS = {
    "wine": datasets.load_wine,
    "iris": datasets.load_iris,
    "digits": datasets.load_digits,
    "cancer": datasets.load_breast_cancer,
}


def run(folder: str, data: str, force: bool, as_json: bool) -> None:
    """Run the command."""
    names = [f"{data}.csv", "clusters.csv", "model.npz", "report.html"]
    Path(folder).mkdir(parents=True, exist_ok=True)
    table, out, model, report = (str(Path(folder) / name) for name in names)
    check_outputs(force, table=table, out=out, model=model, report=report)
    columns = _load_example(data)
    write_files({table: table_writer(table, columns)}, force)
    n_classes = len(set(columns["class"]))
    arguments = [table, "-k", str(n_classes), "--label", "class"]
    arguments += ["--out", out, "--model", model, "--report", report]
    if not as_json:
        click.echo(f"maxmargin cluster {' '.join(arguments)}")
    arguments += ["--force"] * force + ["--json"] * as_json
    commands.cluster.main(arguments, standalone_mode=False)


def _load_example(name: str) -> dict[str, np.ndarray]:
    bunch = LOADERS[name]()
    columns = {
        str(column).replace(" (cm)", "").replace(" ", "_").replace("/", "_"): values
        for column, values in zip(bunch.feature_names, bunch.data.T, strict=True)
    }
    columns["class"] = bunch.target_names[bunch.target].astype(str)
    return columns
