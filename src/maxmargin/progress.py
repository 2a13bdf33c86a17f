"""The progress of long runs, reported to a callback.

A run calls `update` with the share that is done. The callback is set by `report_to`, a
context, so that no function has to pass it on; without one, updates are ignored.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Callback = Callable[[float], None]
_callback: ContextVar[Callback | None] = ContextVar("callback", default=None)


def update(share: float) -> None:
    """Report the share of the run that is done, from 0 to 1."""
    callback = _callback.get()
    if callback is not None:
        callback(share)


@contextmanager
def report_to(callback: Callback) -> Iterator[None]:
    """Call a function with the progress of the runs within the context."""
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


@contextmanager
def step(number: int, total: int) -> Iterator[None]:
    """Count the runs within the context as one of several equal steps."""
    callback = _callback.get()
    if callback is None:
        yield
        return
    with report_to(lambda share: callback((number + share) / total)):
        yield
    callback((number + 1) / total)
