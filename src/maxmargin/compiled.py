"""The decorators with which all loops of the package are compiled."""

import os
from collections.abc import Callable
from typing import Any

import numba

# Compiled code is cached on disk, so that later processes need not compile again.
# MAXMARGIN_CACHE=0 disables the cache, for read-only installations and racing workers.
_CACHE = os.environ.get("MAXMARGIN_CACHE", "1") != "0"


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
