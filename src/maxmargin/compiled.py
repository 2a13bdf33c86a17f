"""The decorators with which all loops of the package are compiled."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import event

# Compiled code is cached on disk, so that later processes need not compile again.
# MAXMARGIN_CACHE=0 disables the cache, for read-only installations and racing workers.
_CACHE = os.environ.get("MAXMARGIN_CACHE", "1") != "0"
COMPILING = "compiling, once after installation"


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop that releases the global interpreter lock.

    The two fast-math flags assume that there is no NaN and that the sign of zero does
    not matter: maxima are vectorised, and no result changes.
    """
    result: Callable[..., Any] = numba.njit(
        cache=_CACHE, nogil=True, fastmath={"nnan", "nsz"}
    )(function)
    return result


def compiled_sum(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a sum of many terms whose order the compiler may choose.

    That is needed to vectorise the loop. The order is fixed at compile time: the same
    numbers give the same sum in every run and every thread.
    """
    result: Callable[..., Any] = numba.njit(
        cache=_CACHE, nogil=True, fastmath={"nnan", "nsz", "reassoc", "contract"}
    )(function)
    return result


class _Once(event.Listener):
    """Calls a function when code is compiled for the first time."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell: Callable[[str], None] | None = tell

    def on_start(self, event: Any) -> None:
        """Tell it, and be silent from then on."""
        tell, self.tell = self.tell, None
        if tell is not None:
            tell(COMPILING)

    def on_end(self, event: Any) -> None:
        """Do nothing."""


@contextmanager
def compilation_told(tell: Callable[[str], None]) -> Iterator[None]:
    """Call a function with a text if code is compiled that is not in the cache.

    That takes some seconds, in the first run after an installation.
    """
    with event.install_listener("numba:compile", _Once(tell)):
        yield
