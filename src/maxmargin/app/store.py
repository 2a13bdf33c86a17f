"""The work that is kept on disk: data sets, and works with their steps.

A folder for each data set and each work, with a description in JSON and arrays in
``.npz`` files. Names of folders are made here, never taken from a request. Files are
replaced as a whole, so that a crash leaves the old one. A folder has a temporary name
until its description is written, and while it is removed. Only folders of such names
are removed at the start: what else is there may be the user's.
"""

import builtins
import json
import os
import re
import secrets
import shutil
import sys
import time
import weakref
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from maxmargin.app.home import ABOUT, ID, KINDS, MARKER, find_home, read_about
from maxmargin.files import DAY, atomic_write, remove_abandoned
from maxmargin.tables.samples import TableSamples

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

TEMPORARY = re.compile(r"\.maxmargin-[0-9a-f]{12}\.new")


class Missing(LookupError):
    """A data set, work or job that is not there."""


class InUse(OSError):
    """The folder of another app that is running."""


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
    """The folders of data sets and works.

    Parameters
    ----------
    folder : Path
        The app's own folder, or one in which it makes one if there is other content.

    Attributes
    ----------
    folder : Path
        The app's own folder.
    notes : list of str
        Sentences to show to the user.
    close : callable
        Gives the folder to another app.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.notes = find_home(folder)
        for kind in KINDS:
            (self.folder / kind).mkdir(exist_ok=True)
        file = os.open(self.folder / MARKER, os.O_RDWR)
        self.close = weakref.finalize(self, os.close, file)  # the lock ends with it
        if not _lock(file, self.folder):
            self.notes.append(f"{self.folder} cannot be locked: use one app at a time.")
            # What another app is about to write to this folder is young.
            self.notes += self._clean_all(DAY)
        else:
            self.notes += self._clean_all(0)

    def _clean_all(self, age: float) -> builtins.list[str]:
        """Remove what killed processes left; return a note on what is the user's."""
        foreign = []
        for kind in KINDS:
            for path in (self.folder / kind).iterdir():
                about = read_about(kind, path)
                if about is not None and about.get("steps") == []:
                    _remove_older(path, age)  # killed in the first fit
                elif about is not None:
                    remove_abandoned(path)
                elif TEMPORARY.fullmatch(path.name):
                    _remove_older(path, age)
                elif not path.name.startswith("."):
                    foreign.append(path)
        if not foreign:
            return []
        others = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        return [f"Not written by the app, and left alone: {min(foreign)}{others}."]

    def new(self, kind: str) -> str:
        """Create a folder and return its id."""
        number = secrets.token_hex(6)
        self._temporary(kind, number).mkdir()
        return number

    def _temporary(self, kind: str, number: str) -> Path:
        """Return the path of a folder that is being made or removed."""
        return self.folder / kind / f".maxmargin-{number}.new"

    def path(self, kind: str, number: str) -> Path:
        """Return a folder; raise `Missing` if there is none."""
        if not ID.fullmatch(number):
            raise Missing(f"There is no {number!r} here.")
        for path in (self.folder / kind / number, self._temporary(kind, number)):
            if path.is_dir():
                return path
        raise Missing(f"There is no {number!r} here: it may have been removed.")

    def read(self, kind: str, number: str) -> dict[str, Any]:
        """Return a description; raise `Missing` if there is none."""
        about = read_about(kind, self.path(kind, number))
        if about is None:
            raise Missing(f"There is no {number!r} here.")
        return about

    def write(self, kind: str, number: str, about: dict[str, Any]) -> None:
        """Write a description with the time of the change."""
        about["changed"] = time.time()
        path = self.path(kind, number)
        with atomic_write(path / ABOUT) as file:
            file.write(json.dumps(about, allow_nan=False).encode())
        if path.name != number:
            path.rename(path.with_name(number))

    def list(self, kind: str) -> list[dict[str, Any]]:
        """Return all descriptions, the last changed one first."""
        paths = (self.folder / kind).iterdir()
        found = [about for path in paths if (about := read_about(kind, path))]
        return sorted(found, key=lambda about: -about["changed"])

    def remove(self, kind: str, number: str) -> None:
        """Remove a folder of the app."""
        path, doomed = self.path(kind, number), self._temporary(kind, number)
        if path != doomed:
            self.read(kind, number)
            path.rename(doomed)  # the rest is found at the next start if this is killed
        shutil.rmtree(doomed)

    def clean(self, kind: str, number: str) -> None:
        """Remove what a killed process left in a folder."""
        remove_abandoned(self.path(kind, number))


def _lock(file: int, folder: Path) -> bool:
    """Lock the marker of a folder, so that one app writes to it.

    Two would undo what the other one has written. Returns False where there are no
    locks.
    """
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InUse(
            f"Another maxmargin app uses {folder}: use its page, end it, or give "
            "another folder with --folder."
        ) from None
    except OSError:  # a file system without locks
        return False
    return True


def _remove_older(path: Path, age: float) -> None:
    """Remove a folder that a process left which was killed."""
    if time.time() - path.lstat().st_mtime >= age:
        shutil.rmtree(path, ignore_errors=True)  # links and files stay


def write_arrays(path: Path, **arrays: np.ndarray) -> None:
    """Write arrays to a file."""
    with atomic_write(path) as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def pack_texts(texts: np.ndarray) -> np.ndarray:
    """Return texts as bytes, to be stored; arrays of texts have the longest's width."""
    return np.frombuffer("\0".join(map(str, texts.tolist())).encode(), np.uint8)


def row_arrays(samples: TableSamples) -> dict[str, np.ndarray]:
    """Return the positions of samples in their table, and their ids if it has any."""
    assert samples.rows is not None
    if samples.ids is samples.rows:
        return {"rows": samples.rows}
    return {"rows": samples.rows, "ids": pack_texts(samples.ids)}


def unpack_texts(packed: np.ndarray) -> np.ndarray:
    """Return what `pack_texts` was given."""
    return np.array(packed.tobytes().decode().split("\0"), dtype=object)


# NumPy parses the headers of arrays, which two threads cannot do at the same time in
# Python 3.11 (github.com/python/cpython/issues/106905).
_READING = Lock()


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """Read the arrays of a file; nothing that could run code is loaded."""
    with _READING, np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}
