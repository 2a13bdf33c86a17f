"""The one decorator under which every loop of the package is compiled."""

import os
from collections.abc import Callable
from typing import Any

import numba

# Compiled code is kept on disk, so that a second process does not compile again.
# MAXMARGIN_CACHE=0 turns that off for read-only installations and racing workers.
_CACHE = os.environ.get("MAXMARGIN_CACHE", "1") != "0"


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a loop that releases the interpreter lock, so that restarts are threads.

    The two fast-math flags only say that no NaN occurs and that the sign of zero does
    not matter: maxima become vector instructions and no result changes.
    """
    result: Callable[..., Any] = numba.njit(
        cache=_CACHE, nogil=True, fastmath={"nnan", "nsz"}
    )(function)
    return result


def compiled_sum(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a sum of many terms, the order of which is left to the compiler.

    Only so does the loop become vector instructions. The order is fixed when the code
    is compiled: the same numbers give the same sum in every run and every thread.
    """
    result: Callable[..., Any] = numba.njit(
        cache=_CACHE, nogil=True, fastmath={"nnan", "nsz", "reassoc", "contract"}
    )(function)
    return result
