"""How far a long run has come, told to whoever listens.

A run calls `tell` with the share that is done. Nobody has to listen, and no function
takes a listener along: a command that shows a bar calls the run within `listening`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[float], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def tell(share: float) -> None:
    """Say that this share of the run is done, from 0 to 1."""
    listener = _listener.get()
    if listener is not None:
        listener(share)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hand over to a function what is told by runs within."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def step(number: int, total: int) -> Iterator[None]:
    """Let what is told within count as one of several equal steps of a longer run."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    with listening(lambda share: listener((number + share) / total)):
        yield
    listener((number + 1) / total)
