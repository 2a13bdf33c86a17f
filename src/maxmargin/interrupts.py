"""Ctrl-C while compiled functions start and end.

Python handles a signal between two steps of its interpreter, also in the functions of
Numba that find the types of arguments and make the objects of a result. Numba calls
these from compiled code, which does not expect an error there: the process may crash.
So an interruption at such a moment waits until the compiled function has returned.
"""

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

WAIT = 0.005  # seconds until a delayed interruption is tried again
NUMBA, OURS = "numba", "maxmargin"
COMPILER = "_compile_for_args"  # written in Python, and may be interrupted


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
