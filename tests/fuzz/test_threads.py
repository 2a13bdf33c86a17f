"""Eight threads that fit at once: each finds what it finds alone."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fuzz_profile import N_ROUNDS, SEED
from fuzz_tasks import TASKS, same
from threadpoolctl import threadpool_info, threadpool_limits

N_THREADS = 8


def blas_threads():
    found = [one for one in threadpool_info() if one["user_api"] == "blas"]
    return [library["num_threads"] for library in found]


@pytest.fixture(scope="module")
def alone():
    """Return the tasks, and what each finds alone in two fits."""
    tasks = [make() for make in TASKS.values()]
    return [
        (task, [task.results(task.fit(task.new(), number)) for number in range(2)])
        for task in tasks
    ]


@pytest.mark.parametrize("number", range(N_ROUNDS))
def test_eight_threads(alone, number, record_property):
    """Different estimators at once, and the limits of threads are restored."""
    random = np.random.RandomState(SEED + number)
    chosen = random.randint(len(alone), size=N_THREADS)
    chosen[: N_THREADS // 2] = 0  # the main estimator beside itself

    def fit(position, which):
        task = alone[position][0]
        return task.results(task.fit(task.new(), which))

    with threadpool_limits(2):
        limits = blas_threads()
        with ThreadPoolExecutor(N_THREADS) as pool:
            which = random.randint(2, size=N_THREADS).tolist()
            found = list(pool.map(fit, chosen.tolist(), which))
        assert blas_threads() == limits
    for position, one, result in zip(chosen, which, found, strict=True):
        assert same(result, alone[position][1][one]), alone[position][0].name
    record_property("rounds", 1)
