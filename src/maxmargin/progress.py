"""The progress of long runs, reported to a callback.

A run calls `update` with the share that is done, within stages that have names. The
callback is set by `report_to`, a context, so that no function has to pass it on;
without one, updates are ignored.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Callback = Callable[[float, str], None]  # the share that is done, the name of the stage
_callback: ContextVar[Callback | None] = ContextVar("callback", default=None)


def update(share: float, name: str = "") -> None:
    """Report the share of the run that is done, from 0 to 1."""
    callback = _callback.get()
    if callback is not None:
        callback(share, name)


@contextmanager
def report_to(callback: Callback) -> Iterator[None]:
    """Call a function with the progress of the runs within the context."""
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


@contextmanager
def stage(first: float, last: float, name: str = "") -> Iterator[None]:
    """Count the runs within the context as a part of the whole, from first to last.

    Updates within it have its name, unless they have one of their own.
    """
    callback = _callback.get()
    if callback is None:
        yield
        return

    def report(share: float, inner: str) -> None:
        callback(first + share * (last - first), inner or name)

    report(0.0, "")
    with report_to(report):
        yield
    report(1.0, "")


def step(number: int, total: int, name: str = "") -> AbstractContextManager[None]:
    """Count the runs within the context as one of several equal steps."""
    return stage(number / total, (number + 1) / total, name)
