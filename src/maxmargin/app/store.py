"""The work that is kept on disk: data sets, and works with their steps.

A folder for each data set and each work, with a description in JSON and arrays in
``.npz`` files. Names of folders are made here, never taken from a request. Files are
replaced as a whole, so that a crash leaves the old one.
"""

import json
import os
import re
import secrets
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.files import atomic_write, remove_abandoned

ID = re.compile(r"[0-9a-f]{12}")
ABOUT = "about.json"
KINDS = ("datasets", "works")


class Missing(LookupError):
    """A data set, work or job that is not there."""


def default_folder() -> Path:
    """Return the folder of the user's work."""
    given = os.environ.get("MAXMARGIN_APP_FOLDER")
    if given:
        return Path(given)
    if os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share"))
    return base / "maxmargin"


class Store:
    """The folders of data sets and works."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for kind in KINDS:
            (folder / kind).mkdir(parents=True, exist_ok=True)
            for name in (folder / kind).iterdir():
                if not (name / ABOUT).is_file():  # left by a process that was killed
                    shutil.rmtree(name, ignore_errors=True)
                else:
                    remove_abandoned(name)

    def new(self, kind: str) -> str:
        """Create a folder and return its id."""
        number = secrets.token_hex(6)
        (self.folder / kind / number).mkdir()
        return number

    def path(self, kind: str, number: str) -> Path:
        """Return a folder; raise `Missing` if there is none."""
        if not ID.fullmatch(number):
            raise Missing(f"There is no {number!r} here.")
        path = self.folder / kind / number
        if not path.is_dir():
            raise Missing(f"There is no {number!r} here: it may have been removed.")
        return path

    def read(self, kind: str, number: str) -> dict[str, Any]:
        """Return a description; raise `Missing` if there is none."""
        try:
            text = (self.path(kind, number) / ABOUT).read_text("utf-8")
        except OSError:
            raise Missing(f"There is no {number!r} here.") from None
        about: dict[str, Any] = json.loads(text)
        return about

    def write(self, kind: str, number: str, about: dict[str, Any]) -> None:
        """Write a description with the time of the change."""
        about["changed"] = time.time()
        with atomic_write(self.path(kind, number) / ABOUT) as file:
            file.write(json.dumps(about, allow_nan=False).encode())

    def list(self, kind: str) -> list[dict[str, Any]]:
        """Return all descriptions, the last changed one first."""
        found = []
        for path in (self.folder / kind).iterdir():
            if (path / ABOUT).is_file():
                found.append(json.loads((path / ABOUT).read_text("utf-8")))
        return sorted(found, key=lambda about: -about["changed"])

    def remove(self, kind: str, number: str) -> None:
        """Remove a folder."""
        shutil.rmtree(self.path(kind, number))

    def clean(self, kind: str, number: str) -> None:
        """Remove what a killed process left in a folder."""
        path = self.path(kind, number)
        remove_abandoned(path)
        if not (path / ABOUT).is_file():
            shutil.rmtree(path, ignore_errors=True)


def write_arrays(path: Path, **arrays: np.ndarray) -> None:
    """Write arrays to a file."""
    with atomic_write(path) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Read the arrays of a file; nothing that could run code is loaded."""
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}
