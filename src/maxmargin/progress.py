"""The progress of long runs, reported to a callback.

A run calls `update` with the share that is done, within stages that have names, and a
search reports its objective to `round_callback`. The callbacks are set by `report_to`,
a context, so that no function has to pass them on; without them, nothing is reported.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Callback = Callable[[float, str], None]  # the share that is done, the name of the stage
ObjectiveCallback = Callable[..., None]
_callback: ContextVar[Callback | None] = ContextVar("callback", default=None)
_on_objective: ContextVar[ObjectiveCallback | None] = ContextVar(
    "on_objective", default=None
)
_on_number: ContextVar[Callable[[int], None] | None] = ContextVar(
    "on_number", default=None
)


def update(share: float, name: str = "") -> None:
    """Report the share of the run that is done, from 0 to 1."""
    callback = _callback.get()
    if callback is not None:
        callback(share, name)


def round_callback(verbose: int) -> ObjectiveCallback | None:
    """Return the function that takes the objectives of a search, if there is one.

    Its arguments are the number of the round or start, the objective, and, if it is
    not a round, its name.
    """
    return print_round if verbose else _on_objective.get()


def print_round(number: int, objective: float, name: str = "round") -> None:
    """Print the objective after a round or a start of a search."""
    print(f"{name} {number}: objective {objective:.6g}")


def tell_number(n_clusters: int) -> None:
    """Report that the number of clusters has been found."""
    callback = _on_number.get()
    if callback is not None:
        callback(n_clusters)


@contextmanager
def report_to(
    callback: Callback, on_objective: ObjectiveCallback | None = None
) -> Iterator[None]:
    """Call functions with the progress and the objectives of runs in the context."""
    with _set(_callback, callback), _set(_on_objective, on_objective):
        yield


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
    with _set(_callback, report):
        yield
    report(1.0, "")


@contextmanager
def counted_by(
    share_of: Callable[[float], float], on_number: Callable[[int], None]
) -> Iterator[None]:
    """Count the run within the context by other shares than it reports.

    It also tells the number of clusters when that is found, on which the rest depends.
    """
    callback = _callback.get()
    if callback is None:
        yield
        return

    def report(share: float, name: str) -> None:
        callback(share_of(share), name)

    with _set(_callback, report), _set(_on_number, on_number):
        yield


@contextmanager
def _set(variable: ContextVar[T], value: T) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def step(number: int, total: int) -> AbstractContextManager[None]:
    """Count the runs within the context as one of several equal steps."""
    return stage(number / total, (number + 1) / total)


def rising(callback: Callback) -> Callback:
    """Return a callback that passes on a share only if it is not below an earlier one.

    A part of a run may be repeated, on more samples for instance.
    """
    largest = 0.0

    def report(share: float, name: str) -> None:
        nonlocal largest
        largest = max(largest, share)
        callback(largest, name)

    return report
