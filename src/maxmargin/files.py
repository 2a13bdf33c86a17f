"""Write files completely or not at all."""

import errno
import io
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

STANDARD_OUTPUT = "-"
PREFIX, SUFFIX = ".maxmargin-", ".part"  # of temporary files
TEMPORARY = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}" + re.escape(SUFFIX))
DAY = 86_400  # seconds

PathLike = str | os.PathLike[str]
Writer = Callable[[IO[bytes]], object]  # writes the content of a file


@contextmanager
def atomic_write(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a binary file that replaces ``path`` when it is complete.

    The content is written to a temporary file in the same folder, which is renamed at
    the end of the ``with`` block. If an error is raised before, the temporary file is
    removed and ``path`` is left unchanged. Temporary files that a killed process left
    in the folder are removed. A new file has the permissions that ``open(path, "wb")``
    would give it, an existing file keeps its permissions. If ``path`` is a symbolic
    link, the file that it points to is replaced.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    remove_abandoned(target.parent)
    file = _open_temporary(target.parent)
    try:
        with file:
            yield file
            _flush(file)
            if target.exists():
                os.chmod(file.name, stat.S_IMODE(target.stat().st_mode))
            if fcntl is not None:  # while it is locked
                os.replace(file.name, target)
        if fcntl is None:
            os.replace(file.name, target)
    except BaseException:
        Path(file.name).unlink(missing_ok=True)
        raise


def _open_temporary(folder: Path) -> IO[bytes]:
    """Create a temporary file that is locked as long as it is open."""
    while True:
        file = open(folder / f"{PREFIX}{secrets.token_hex(8)}{SUFFIX}", "xb")
        if fcntl is None:
            return file
        with suppress(OSError):  # file systems without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # another process removed it before it was locked


def remove_abandoned(folder: Path) -> None:
    """Remove the temporary files of processes that were killed.

    Those of running processes are locked. Without locks, they are younger than a day.
    """
    for name in folder.glob(f"{PREFIX}*{SUFFIX}"):
        if not TEMPORARY.fullmatch(name.name) or name.is_symlink():
            continue  # of another program, or of the user
        with suppress(OSError):
            if fcntl is None:
                if time.time() - name.stat().st_mtime > DAY:
                    name.unlink()
                continue
            with open(name, "r+b") as file:  # some file systems lock only such files
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                name.unlink()


def write_files(writers: Mapping[str, Writer], force: bool = False) -> None:
    """Write several files; if one of them fails, none is created or replaced.

    The path ``"-"`` is standard output. Existing files raise an error, or are replaced
    if ``force`` is True.
    """
    paths = [path for path in writers if path != STANDARD_OUTPUT]
    try:
        with ExitStack() as stack:
            check_outputs(paths, force)
            for path, write in writers.items():
                if path == STANDARD_OUTPUT:
                    buffer = io.BytesIO()
                    write(buffer)
                    sys.stdout.buffer.write(buffer.getvalue())
                    sys.stdout.buffer.flush()
                else:
                    file = stack.enter_context(atomic_write(path))
                    write(file)
                    _flush(file)  # errors must occur before the first file is renamed
            check_outputs(paths, force)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EFBIG):
            raise
        raise OSError(
            error.errno,
            "The disk is full or the file size limit is reached; nothing was written: "
            "free some space or write to another folder.",
        ) from error


def check_outputs(paths: Iterable[PathLike], force: bool = False) -> None:
    """Raise an error if a file cannot be written, or exists and ``force`` is False."""
    paths = list(paths)
    if len({os.path.realpath(path) for path in paths}) < len(paths):
        raise ValueError("Two outputs have the same name: give each its own.")
    for path in paths:
        check_writable(path)
        if not force and Path(path).exists():
            raise FileExistsError(
                f"{path} exists: give another name, or --force to replace it."
            )


def check_writable(path: PathLike) -> None:
    """Raise an error if a file cannot be created or replaced at ``path``."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise FileExistsError(f"{path} is not a file: give another name.")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"The folder of {path} does not exist: create it or give another one."
        )
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(
            f"The folder of {path} is not writable: give another one."
        )


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
