"""The decorators with which all loops of the package are compiled."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Any, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

from maxmargin.version import __version__

# Compiled code is cached on disk, so that later processes need not compile again.
# MAXMARGIN_CACHE=0 disables the cache, for read-only installations and racing workers.
_CACHE = os.environ.get("MAXMARGIN_CACHE", "1") != "0"
COMPILING = "compiling, once after installation"


# The flags assume that there is no NaN and that the sign of zero does not matter:
# maxima are vectorised, and no result changes.
_FLAGS = {"nnan", "nsz"}


class _VersionedCache(FunctionCache):
    """A cache that has no entries of other versions of the package.

    numba compares the file of the function itself, and its own version. But compiled
    code has the functions it calls within it, and the fields of their records: after an
    upgrade an entry of an unchanged file is wrong.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        file = self._cache_file
        file._source_stamp = (file._source_stamp, __version__)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return a cached entry, or None if there is none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # damaged, or of classes that are gone: compile again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store an entry; an index that cannot be read is replaced."""
        try:
            super().save_overload(sig, data)
        except (EOFError, UnpicklingError):
            self.flush()
            super().save_overload(sig, data)


def _compile(function: Callable[..., Any], flags: set[str]) -> Callable[..., Any]:
    result: Any = numba.njit(nogil=True, fastmath=flags)(function)
    is_compiled = isinstance(result, Dispatcher)  # else numba is switched off
    if _CACHE and is_compiled:
        result._cache = _VersionedCache(function)
    return cast(Callable[..., Any], result)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop that releases the global interpreter lock."""
    return _compile(function, _FLAGS)


def compiled_sum(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a sum of many terms whose order the compiler may choose.

    That is needed to vectorise the loop. The order is fixed at compile time: the same
    numbers give the same sum in every run and every thread.
    """
    return _compile(function, _FLAGS | {"reassoc", "contract"})


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
