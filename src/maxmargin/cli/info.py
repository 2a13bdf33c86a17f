"""``maxmargin info``: installed versions, or the content of a file."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from maxmargin import __version__
from maxmargin.cli.console import print_json, print_table

# Packages that are used, and the extra that installs each of them.
PACKAGES = {
    **dict.fromkeys(["numpy", "scipy", "scikit-learn", "numba"], ""),
    "pyarrow": "tables",
    "matplotlib": "plot",
    "rich": "cli",
    "dask": "dask",
    "pillow": "image",
    "scs": "sdp",
}


def run(file: str | None, as_json: bool, **reading: Any) -> None:
    """Run the command; ``reading`` are the options of a text file."""
    if file is None:
        data = _installation()
    else:
        from maxmargin.cli import command_files  # loads numpy and more

        data = command_files.describe_file(
            file, command_files.pop_text_options(reading)
        )
    if as_json:
        print_json(data)
    elif "table" in data:
        from maxmargin.report.layout import counted

        header = [counted(data["rows"], "rows"), "content", "missing"]
        rows = [[str(value) for value in column.values()] for column in data["columns"]]
        print_table(header, rows, texts=None)
    else:
        rows = [
            [name, ", ".join(value) if isinstance(value, list) else str(value)]
            for name, value in data.items()
        ]
        print_table(["", "value" if file else "version"], rows, texts=None)


def _installation() -> dict[str, Any]:
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
    return data
