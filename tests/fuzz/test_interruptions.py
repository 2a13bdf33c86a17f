"""Fits that are interrupted at random moments count as a whole or not at all."""

import copy
import sys
from pathlib import Path

import numpy as np
import pytest
from fuzz_profile import N_INTERRUPTIONS, SEED
from fuzz_tasks import PARAMETERS, TASKS, same
from threadpoolctl import threadpool_info, threadpool_limits

import maxmargin
from maxmargin import published

PACKAGE = str(Path(maxmargin.__file__).parent)


class InterruptedCall:
    """Raise KeyboardInterrupt at the start of the n-th call of a function of ours.

    Elsewhere an error may end the process: Numba calls profilers and functions that
    find types while a compiled function starts, and does not expect one.
    """

    def __init__(self, n_calls):
        self.left = n_calls

    def __call__(self, frame, event, argument):
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        self.left -= 1
        if self.left == 0:
            sys.settrace(None)
            raise KeyboardInterrupt


def run_until(n_calls, function):
    """Call a function; return how many calls it made before the interruption."""
    hook, before = InterruptedCall(n_calls), sys.gettrace()
    sys.settrace(hook)
    try:
        function()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(before)
    return n_calls - hook.left


def threads():
    return [library["num_threads"] for library in threadpool_info()]


@pytest.fixture
def two_threads():
    """Allow libraries more threads than a fit does: it shows who restores them."""
    with threadpool_limits(2):
        yield


def test_all_estimators_have_a_task():
    """Those for Dask and Spark need a cluster, and fit as the main estimator does."""
    public = {
        name
        for name in (*maxmargin.__all__, *published.__all__)
        if hasattr(getattr(maxmargin, name, None) or getattr(published, name), "fit")
    }
    assert {name for name in public if "Dask" not in name and "Spark" not in name} == {
        *PARAMETERS
    }


# An interruption of a generator that is closed has no effect but this warning.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("number", range(len(TASKS)), ids=list(TASKS))
def test_interruptions(number, record_property):
    """The estimator answers as before or as after, and so does a later fit."""
    task = list(TASKS.values())[number]()
    fitted = task.fit(task.new(), 0)
    after_fit = task.results(task.fit(copy.deepcopy(fitted), 1))
    first_fit = task.results(task.fit(task.new(), 1))
    n_calls = run_until(sys.maxsize, lambda: task.fit(copy.deepcopy(fitted), 1))
    random = np.random.RandomState(SEED + number)
    limits = threads()
    n_runs = -(-N_INTERRUPTIONS // len(TASKS))
    for _ in range(n_runs):
        again = random.rand() < 0.7
        model = copy.deepcopy(fitted) if again else task.new()
        before, after = task.results(model), after_fit if again else first_fit
        # The last calls, which set attributes, are few: half of the cases are there.
        last = random.rand() < 0.5
        low = max(n_calls - 100, 1) if last else 1
        moment = random.randint(low, n_calls + 1)
        run_until(moment, lambda model=model: task.fit(model, 1))
        found = task.results(model)
        assert same(found, before) or same(found, after), f"call {moment} of {n_calls}"
        assert threads() == limits, f"call {moment} of {n_calls}"
    record_property("interruptions", n_runs)
    np.testing.assert_equal(task.results(task.fit(model, 1))[0].shape, after[0].shape)
