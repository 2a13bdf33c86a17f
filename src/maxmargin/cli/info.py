"""``maxmargin info``: installed versions, or the content of a file."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from maxmargin import __version__
from maxmargin.cli import options

if TYPE_CHECKING:
    from maxmargin.cli.files import TableModel

# Packages that are used, and the extra that installs each of them.
PACKAGES = {
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


class Description(NamedTuple):
    """What is printed, as JSON or as a table."""

    data: dict[str, Any]
    header: list[str]
    rows: list[list[str]]


@click.command()
@click.argument("file", type=options.INPUT, required=False)
@options.json_option
def info(file: str | None, as_json: bool) -> None:
    """Show installed versions, or the content of FILE.

    FILE is a table or a model.

    \b
    maxmargin info
    maxmargin info customers.csv
    maxmargin info model.npz
    """  # noqa: D301
    from maxmargin.cli.console import print_json, print_table

    found = _installation() if file is None else _describe(file)
    if as_json:
        print_json(found.data)
    else:
        print_table(found.header, found.rows, numbers=False)


def _installation() -> Description:
    from importlib.metadata import PackageNotFoundError, version

    data: dict[str, Any] = {
        "maxmargin": __version__,
        "python": platform.python_version(),
        "processors": os.cpu_count(),
    }
    for name, extra in PACKAGES.items():
        try:
            data[name] = version(name)
        except PackageNotFoundError:
            data[name] = f"not installed: pip install 'maxmargin[{extra}]'"
    rows = [[name, str(value)] for name, value in data.items()]
    return Description(data, ["", "version"], rows)


def _describe(file: str) -> Description:
    from maxmargin.cli.files import load_table_model

    if file.endswith(".npz"):
        try:
            return _describe_model(load_table_model(file))
        except ValueError:
            pass  # not a model but a table
    return _describe_table(file)


def _describe_model(saved: TableModel) -> Description:
    preprocessor = saved.preprocessor
    data = {
        "model": type(saved.estimator).__name__,
        "clusters": saved.n_clusters,
        "rows": saved.n_rows,
        "columns": preprocessor.columns if preprocessor else [],
        "scaled": preprocessor.scaled if preprocessor else None,
        "missing": preprocessor.missing if preprocessor else None,
    }
    rows = [
        [name, ", ".join(value) if isinstance(value, list) else str(value)]
        for name, value in data.items()
    ]
    return Description(data, ["", "value"], rows)


def _describe_table(file: str) -> Description:
    import numpy as np

    from maxmargin.tables.read import read_table

    table = read_table(file)
    columns: list[dict[str, Any]] = []
    for name in table.names:
        if name in table.texts:
            text = table.text(name)
            n_missing = int((text.codes < 0).sum())
            holds = f"text, {len(text.values)} values"
        else:
            values = table.column(name)
            n_missing = int(np.isnan(values).sum())
            finite = values[np.isfinite(values)]
            holds = (
                f"{finite.min():.6g} to {finite.max():.6g}" if len(finite) else "none"
            )
        columns.append({"column": name, "holds": holds, "gaps": n_missing})
    data = {"table": file, "rows": len(table), "columns": columns}
    rows = [[c["column"], c["holds"], str(c["gaps"])] for c in columns]
    return Description(data, [f"{len(table):,} rows", "content", "missing"], rows)
