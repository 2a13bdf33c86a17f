"""The progress of a fit, for the callbacks of scikit-learn (from version 1.9 on)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from maxmargin import progress

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _managed
except ImportError:  # an older scikit-learn, without `set_callbacks`

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: there are no callbacks."""

    def _managed(method: Any) -> Any:
        return method


__all__ = ["CallbackSupportMixin", "told_to_callbacks", "with_callbacks"]
N_STEPS = 100  # of a fit, each a task for the callbacks
Method = TypeVar("Method", bound=Callable[..., Any])


def with_callbacks(method: Method) -> Method:
    """Return a method that callbacks hear of, with its types."""
    return cast(Method, _managed(method))


@contextmanager
def told_to_callbacks(estimator: Any, X: Any, y: Any) -> Iterator[None]:
    """Tell the callbacks of an estimator how far its fit is, if it has any."""
    if not getattr(estimator, "_skl_callbacks", None):
        yield
        return
    fit = estimator._init_callback_context(max_subtasks=N_STEPS)
    fit.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    done = 0

    def report(share: float, name: str) -> None:
        nonlocal done
        while done < min(int(share * N_STEPS), N_STEPS):
            step = fit.subcontext(task_name=name)
            step.call_on_fit_task_begin(estimator=estimator)
            step.call_on_fit_task_end(estimator=estimator)
            done += 1

    with progress.report_to(progress.rising(report)):
        yield
    fit.call_on_fit_task_end(
        estimator=estimator, X=X, y=y, reconstruction_attributes={}
    )
