"""The memory and the threads that a fit may use.

BLAS may round a product differently with its number of threads. So BLAS and OpenMP are
limited to one thread during a fit, and rows are split into blocks whose borders depend
on the data alone. Each block is worked on by one thread: the results do not depend on
the number of threads.
"""

import numbers
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakSet

from threadpoolctl import ThreadpoolController

from maxmargin.interrupts import delayed_interrupts

BLOCK_ROWS = 512

Result = TypeVar("Result")

# The number of threads over blocks; None outside of `single_threaded_libraries`.
_n_threads: ContextVar[int | None] = ContextVar("n_threads", default=None)


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def _is_shared(library: Any) -> bool:
    """Return True if a library has one number of threads for the whole process.

    OpenMP, and OpenBLAS on top of it, have one for each thread that calls them.
    """
    if library.user_api != "blas":
        return False
    layer = getattr(library, "threading_layer", None)
    return library.internal_api != "openblas" or layer != "openmp"


def _libraries(shared: bool) -> list[Any]:
    return [one for one in _controller().lib_controllers if _is_shared(one) == shared]


def _set_threads(libraries: list[Any], numbers: list[int]) -> None:
    for library, number in zip(libraries, numbers, strict=True):
        library.set_num_threads(number)


def _single_own_threads() -> None:
    """Limit the libraries in a thread of ours that has its own settings."""
    libraries = _libraries(shared=False)
    _set_threads(libraries, [1] * len(libraries))


class _Use:
    """A fit that is under way."""


class _SharedLimit:
    """One thread of BLAS, for the whole process, while a fit in any thread needs it.

    The first to enter limits BLAS and the last to leave restores what was before, in
    whatever order they come and go. A fit that was interrupted before it could leave
    is forgotten with its record.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.users: WeakSet[_Use] = WeakSet()
        self.before: list[int] | None = None  # the numbers of threads while limited

    def enter(self, use: _Use) -> int:
        """Limit BLAS, and return the number of threads that it was allowed before."""
        libraries = _libraries(shared=True)
        with self.lock:
            if self.before is None:
                self.before = [library.get_num_threads() or 1 for library in libraries]
            if not self.users:
                self._take_control()
                _set_threads(libraries, [1] * len(libraries))
            self.users.add(use)
            return max(self.before, default=1)

    def leave(self, use: _Use) -> None:
        """Restore the threads of BLAS if no other fit is under way."""
        with self.lock:
            self.users.discard(use)
            if not self.users and self.before is not None:
                self._take_control()
                _set_threads(_libraries(shared=True), self.before)
                self._take_control()  # leaves it to the next who asks
                self.before = None

    def _take_control(self) -> None:
        """Let this thread set the threads of BLAS.

        Later releases of threadpoolctl let one thread do so, and ignore all others.
        """
        for library in _libraries(shared=True):
            clear = getattr(library, "clear_controlling_thread", None)
            if clear is not None:
                clear(force=True)


_blas = _SharedLimit()


@contextmanager
def single_threaded_libraries(n_threads: int | None = None) -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread, and let `map_blocks` use several.

    By default as many threads as BLAS was allowed before. Nested contexts keep the
    number of the outermost one. Contexts may be open in several threads at once: some
    libraries have one setting for all of them, others one for each.
    """
    own = _libraries(shared=False)
    before = [library.get_num_threads() or 1 for library in own]
    use = _Use()
    try:
        allowed = _blas.enter(use)
        if n_threads is None:
            n_threads = _n_threads.get() or max(allowed, *_blas_threads(own, before))
        token = _n_threads.set(n_threads)
        try:
            _set_threads(own, [1] * len(own))
            with delayed_interrupts():
                yield
        finally:
            _n_threads.reset(token)
            _set_threads(own, before)
    finally:
        try:
            _blas.leave(use)
        except BaseException:  # an interruption, after which nothing else restores it
            _blas.leave(use)
            raise


def _blas_threads(libraries: list[Any], numbers: list[int]) -> list[int]:
    """Return the numbers of those libraries that are BLAS, or one."""
    pairs = zip(libraries, numbers, strict=True)
    return [number for one, number in pairs if one.user_api == "blas"] or [1]


def for_blocks(
    function: Callable[[slice], None], n_rows: int, block_rows: int = BLOCK_ROWS
) -> None:
    """Call ``function`` for consecutive blocks of rows, several at a time."""
    map_blocks(function, n_rows, block_rows)


def map_blocks(
    function: Callable[[slice], Result], n_rows: int, block_rows: int = BLOCK_ROWS
) -> list[Result]:
    """Return ``function(block)`` for consecutive blocks of rows, in order."""
    blocks = [
        slice(start, min(start + block_rows, n_rows))
        for start in range(0, n_rows, block_rows)
    ]
    n_threads = _n_threads.get() or 1
    if n_threads == 1 or len(blocks) == 1:
        return [function(block) for block in blocks]
    with ThreadPoolExecutor(n_threads, initializer=_single_own_threads) as pool:
        # list() raises the first exception of a block.
        return list(pool.map(function, blocks))


def available_memory() -> int:
    """Return the bytes that are free; 4 GB where the system does not report them."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 4 * 10**9
    return min(max(free, _reclaimable()), _group_limit())


def parse_memory_limit(limit: int | str | None) -> float:
    """Return ``memory_limit`` in bytes; ``None`` is the memory that is free.

    Infinity lifts every limit.
    """
    if limit is None:
        return float(available_memory())
    if isinstance(limit, str):
        number = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
        match = re.fullmatch(rf"\s*{number}\s*([kMGT]?)i?B?\s*", limit)
        if match is not None and float(match[1]) > 0:
            return float(match[1]) * 1000.0 ** " kMGT".index(match[2] or " ")
    elif isinstance(limit, numbers.Real) and not isinstance(limit, bool):
        if float(limit) > 0:
            return float(limit)
    raise ValueError(
        f"memory_limit={limit!r} is not understood: give a number of bytes, a string "
        "such as '1 GB', or None."
    )


def _reclaimable() -> int:
    """Return the memory that Linux reports as available, page cache included."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _group_limit() -> int:
    """Return the memory that the control group of a container still allows."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
    except (OSError, ValueError):
        return 2**62
    return 2**62 if limit == "max" else max(int(limit) - used, 0)


def format_bytes(size: float) -> str:
    """Format a number of bytes with a unit."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.3g} {unit}"
        size /= 1000
    raise AssertionError("unreachable")
