"""The progress of long runs, reported to a callback.

A run calls `update` with the share that is done, within stages that have names, and a
search reports its objective to `round_callback`. The callbacks are set by `report_to`,
a context, so that no function has to pass them on; without them, nothing is reported.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

import numpy as np

Callback = Callable[[float, str], None]  # the share that is done, the name of the stage
ObjectiveCallback = Callable[..., None]
_callback: ContextVar[Callback | None] = ContextVar("callback", default=None)
_on_objective: ContextVar[ObjectiveCallback | None] = ContextVar(
    "on_objective", default=None
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


@contextmanager
def report_to(
    callback: Callback, on_objective: ObjectiveCallback | None = None
) -> Iterator[None]:
    """Call functions with the progress and the objectives of runs in the context."""
    tokens = _callback.set(callback), _on_objective.set(on_objective)
    try:
        yield
    finally:
        _callback.reset(tokens[0])
        _on_objective.reset(tokens[1])


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
    with report_to(report, _on_objective.get()):
        yield
    report(1.0, "")


@contextmanager
def paced(reported: np.ndarray, shares: np.ndarray) -> Iterator[None]:
    """Count the runs within the context by other shares than they report.

    Between the shares that are given, those after each step of a run, time is linear.
    """
    callback = _callback.get()
    if callback is None:
        yield
        return

    def report(share: float, name: str) -> None:
        callback(float(np.interp(share, reported, shares)), name)

    with report_to(report, _on_objective.get()):
        yield


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
