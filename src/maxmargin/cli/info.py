"""``maxmargin info``: versions, what is installed, or what is in a file."""

import os
import platform
from typing import Any

import click

from maxmargin import __version__
from maxmargin.cli import options

PARTS = {
    "numpy": "",
    "scipy": "",
    "scikit-learn": "",
    "numba": "",
    "pyarrow": "tables",
    "matplotlib": "plot",
    "rich": "cli",
    "dask": "dask",
    "pillow": "image",
    "scs": "sdp",
}


@click.command(name="info")
@click.argument("file", type=options.INPUT, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")
def command(file: str | None, as_json: bool) -> None:
    """Say what is installed, or what is in FILE: a table or a model.

    \b
    maxmargin info
    maxmargin info customers.csv
    maxmargin info model.npz
    """  # noqa: D301
    from maxmargin.cli.console import print_json, print_table

    if file is None:
        data = _installation()
        rows = [[name, str(value)] for name, value in data.items()]
        header = ["", "version"]
    else:
        data, header, rows = _describe(file)
    if as_json:
        print_json(data)
    else:
        print_table(header, rows, numbers=False)


def _installation() -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, Any] = {
        "maxmargin": __version__,
        "python": platform.python_version(),
        "processors": os.cpu_count(),
    }
    for name, extra in PARTS.items():
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = f"not there: pip install 'maxmargin[{extra}]'"
    return found


def _describe(file: str) -> tuple[dict[str, Any], list[str], list[list[str]]]:
    from maxmargin.model_file import load_model

    if file.endswith(".npz"):
        try:
            return _describe_model(load_model(file))
        except ValueError:
            pass  # a table
    return _describe_table(file)


def _describe_model(saved: Any) -> tuple[dict[str, Any], list[str], list[list[str]]]:
    rules = saved.about.get("rules", {"features": []})
    columns = [feature["name"] for feature in rules["features"]]
    data = {
        "model": saved.about.get("estimator"),
        "clusters": len(saved.about.get("classes") or saved.model.offsets),
        "rows": saved.about.get("n_rows"),
        "columns": columns,
        "scaled": rules.get("scaled"),
        "missing": rules.get("missing"),
    }
    rows = [
        [name, ", ".join(value) if isinstance(value, list) else str(value)]
        for name, value in data.items()
    ]
    return data, ["", "value"], rows


def _describe_table(file: str) -> tuple[dict[str, Any], list[str], list[list[str]]]:
    import numpy as np

    from maxmargin.tables.read import read_table

    table = read_table(file)
    columns: list[dict[str, Any]] = []
    for name in table.names:
        if name in table.texts:
            text = table.texts[name]
            gaps = int((text.codes < 0).sum())
            holds = f"text, {len(text.values)} values"
        else:
            values = table.numbers[:, table.number_names.index(name)]
            gaps = int(np.isnan(values).sum())
            finite = values[np.isfinite(values)]
            holds = (
                f"{finite.min():.6g} to {finite.max():.6g}" if len(finite) else "none"
            )
        columns.append({"column": name, "holds": holds, "gaps": gaps})
    data = {"table": file, "rows": len(table), "columns": columns}
    rows = [[c["column"], c["holds"], str(c["gaps"])] for c in columns]
    return data, [f"{len(table):,} rows", "holds", "gaps"], rows
