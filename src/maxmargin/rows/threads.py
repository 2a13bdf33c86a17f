"""The threads that a fit may use, over blocks of rows, and Ctrl-C beside them.

BLAS may round a product differently with its number of threads. So BLAS and OpenMP are
limited to one thread during a fit, and rows are split into blocks whose borders depend
on the data alone. Each block is worked on by one thread: the results do not depend on
the number of threads.

Python handles a signal between two steps of its interpreter, also in the functions of
Numba that find the types of arguments and make the objects of a result. Numba calls
these from compiled code, which does not expect an error there: the process may crash.
So an interruption at such a moment waits until the compiled function has returned.
"""

import _thread
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from types import FrameType
from typing import Any, TypeVar
from weakref import WeakSet

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

BLOCK_ROWS = 512
Result = TypeVar("Result")
# The number of threads over blocks; None outside of `single_threaded_libraries`.
_n_threads: ContextVar[int | None] = ContextVar("n_threads", default=None)
WAIT = 0.005  # seconds until a delayed interruption is tried again
NUMBA, OURS = "numba", "maxmargin"
COMPILER = "_compile_for_args"  # written in Python, and may be interrupted


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

    def restore() -> None:
        _set_threads(own, before)
        _blas.leave(use)

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
    finally:
        try:
            restore()
        except BaseException:  # an interruption, after which nothing else restores it
            restore()
            raise


def _blas_threads(libraries: list[Any], numbers: list[int]) -> list[int]:
    """Return the numbers of those libraries that are BLAS, or one."""
    pairs = zip(libraries, numbers, strict=True)
    return [number for one, number in pairs if one.user_api == "blas"] or [1]


def count_threads(n_jobs: int | None) -> int | None:
    """Return the number of threads that ``n_jobs`` stands for; None leaves it open.

    As in scikit-learn, a negative number is that of all cores plus one plus ``n_jobs``,
    and at least one thread: -1 stands for all cores, -2 for all but one.
    """
    return None if n_jobs is None else int(effective_n_jobs(n_jobs))


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


def is_safe(frame: FrameType | None) -> bool:
    """Tell whether an error may be raised here: not in a part of Numba that C calls."""
    inside = False
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        if name.partition(".")[0] == OURS and name != __name__:
            return not inside
        if name.partition(".")[0] == NUMBA:
            if frame.f_code.co_name == COMPILER:
                return True
            inside = True
        frame = frame.f_back
    return True


@contextmanager
def delayed_interrupts() -> Iterator[None]:
    """Let Ctrl-C wait where it could crash the process; elsewhere it acts at once.

    Signals are handled in the main thread alone, and only if there is a handler.
    """
    main = threading.current_thread() is threading.main_thread()
    before: Any = signal.getsignal(signal.SIGINT) if main else None
    if not callable(before) or getattr(before, "delays", False):
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if is_safe(frame):
            before(number, frame)
        else:
            again = threading.Timer(WAIT, _thread.interrupt_main)
            again.daemon = True
            again.start()

    handle.delays = True  # type: ignore[attr-defined]
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
