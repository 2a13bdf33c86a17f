"""The folder that the app has for itself, and what in it the app has written.

A marker file makes a folder the app's own. Only an absent or empty folder gets one. In
any other folder the app has a folder of its own: there may be ``datasets`` and
``works`` of the user.
"""

import json
import math
import re
from pathlib import Path
from typing import Any

from maxmargin.files import atomic_write

ID = re.compile(r"[0-9a-f]{12}")
ABOUT = "about.json"
MARKER = "maxmargin-app.txt"
SUBFOLDER = "maxmargin-app"
SIGNATURE = "The work of maxmargin app is kept in this folder."
NUMBER = (int, float)
FIELDS: dict[str, dict[str, Any]] = {  # of the descriptions that the app writes
    "datasets": {"id": str, "name": str, "file": str, "kind": str, "changed": NUMBER},
    "works": {
        **{"id": str, "name": str, "dataset": str, "kind": str, "changed": NUMBER},
        **{"settings": dict, "steps": list, "position": int},
    },
}
KINDS = tuple(FIELDS)


def find_home(given: Path) -> tuple[Path, list[str]]:
    """Return the app's own folder, which is made if needed, and notes to the user."""
    if given.exists() and not given.is_dir():
        raise NotADirectoryError(f"{given} is no folder: give another one.")
    if _is_marked(given):
        return given, []
    if _is_empty(given):
        _mark(given)
        return given, []
    own = given / SUBFOLDER
    if not _is_marked(own):
        if not _is_empty(own):
            raise FileExistsError(
                f"{own} was not made by maxmargin app: give a new folder for the work."
            )
        _mark(own)
    note = f"{given} has other content, which is left alone: the work is kept in {own}."
    return own, [note]


def read_about(kind: str, folder: Path) -> dict[str, Any] | None:
    """Return the description of a folder, None if it is damaged or not of the app."""
    if not ID.fullmatch(folder.name):
        return None
    try:
        about = json.loads((folder / ABOUT).read_text("utf-8"), parse_constant=_refuse)
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(about, dict):
        return None
    right = all(isinstance(about.get(n), types) for n, types in FIELDS[kind].items())
    if not right or not math.isfinite(about["changed"]):
        return None
    return about if about["id"] == folder.name else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON, and no browser would read it.")


def _is_marked(folder: Path) -> bool:
    try:
        with (folder / MARKER).open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE.encode()
    except OSError:
        return False


def _mark(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with atomic_write(folder / MARKER) as file:
        file.write(f"{SIGNATURE}\n".encode())


def _is_empty(folder: Path) -> bool:
    """Return True if a folder is not there, or has no content."""
    if not folder.is_dir():
        return not folder.exists()
    return next(folder.iterdir(), None) is None
