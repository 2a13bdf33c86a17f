"""Threads over blocks of rows."""

import threading

import numpy as np
import pytest
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_info, threadpool_limits

from maxmargin import MaxMarginClustering
from maxmargin.datasets import make_bent_clusters
from maxmargin.rows import threads
from maxmargin.rows.threads import (
    count_threads,
    for_blocks,
    map_blocks,
    single_threaded_libraries,
)
from maxmargin.smoothers.kernel import make_kernel


def names_of_threads(n_blocks=64):
    barrier = threading.Barrier(2, timeout=0.5)

    def name(block):
        try:
            barrier.wait()
        except threading.BrokenBarrierError:
            pass
        return threading.current_thread().name

    return set(map_blocks(name, n_blocks, block_rows=1))


def test_threads_do_not_change_a_bit(random):
    X = random.randn(1500, 7)
    kernel = make_kernel("rbf", X, random=random)
    with single_threaded_libraries(n_threads=1):
        one = kernel(X, X[:100])
    with single_threaded_libraries(n_threads=3):
        three = kernel(X, X[:100])
    np.testing.assert_array_equal(one, three)


def test_one_thread_outside_of_a_fit():
    assert names_of_threads(4) == {threading.current_thread().name}


def test_a_nested_context_keeps_the_threads():
    with single_threaded_libraries(n_threads=2):
        with single_threaded_libraries():
            inner = names_of_threads()
        outer = names_of_threads()
    assert len(inner) == len(outer) == 2


def test_the_libraries_have_one_thread():
    with single_threaded_libraries():
        assert {library["num_threads"] for library in threadpool_info()} == {1}


def blas_threads():
    return {
        library["num_threads"]
        for library in threadpool_info()
        if library["user_api"] == "blas"
    }


@pytest.fixture
def two_threads():
    with threadpool_limits(2):
        if blas_threads() != {2}:
            pytest.skip("BLAS has no threads to limit")
        yield


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("first_leaves_first", [True, False])
def test_contexts_of_two_threads_may_overlap(first_leaves_first):
    """BLAS has one thread until the last of them ends, and then what it had."""
    entered, leave, left = ([threading.Event() for _ in range(2)] for _ in range(3))
    inside = []

    def work(number):
        with single_threaded_libraries():
            inside.append(names_of_threads())
            entered[number].set()
            assert leave[number].wait(30)
        left[number].set()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for number, thread in enumerate(threads):
        thread.start()
        assert entered[number].wait(30)
    assert blas_threads() == {1}
    order = (0, 1) if first_leaves_first else (1, 0)
    for number, expected in zip(order, ({1}, {2}), strict=True):
        leave[number].set()
        assert left[number].wait(30)
        assert blas_threads() == expected
    for thread in threads:
        thread.join()
    # Both may use the two threads that BLAS had before the first of them.
    assert [len(names) for names in inside] == [2, 2]


@pytest.mark.usefixtures("two_threads")
def test_an_error_restores_the_threads():
    with pytest.raises(RuntimeError), single_threaded_libraries():
        assert blas_threads() == {1}
        raise RuntimeError
    assert blas_threads() == {2}
    assert names_of_threads(4) == {threading.current_thread().name}


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("kernel", ["auto", "rbf"])
def test_fits_in_eight_threads_at_once(kernel):
    X = load_iris().data
    before = [library["num_threads"] for library in threadpool_info()]

    def fit(seed):
        model = MaxMarginClustering(3, kernel=kernel, n_init=2, random_state=seed)
        return model.fit(X).labels_

    alone = [fit(seed) for seed in range(8)]
    together = [None] * 8
    start = threading.Barrier(8)

    def work(seed):
        start.wait(30)
        together[seed] = fit(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(together, alone)
    assert [library["num_threads"] for library in threadpool_info()] == before


def test_an_error_in_a_block_is_raised():
    def fail(block):
        if block.start == 512:
            raise RuntimeError("block two")

    with (
        single_threaded_libraries(n_threads=2),
        pytest.raises(RuntimeError, match="block two"),
    ):
        for_blocks(fail, 2000)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("method", ["enter", "leave", "_take_control"])
def test_an_interruption_does_not_keep_the_limit(monkeypatch, method):
    """Ctrl-C while the limit is set or lifted: BLAS is as before, and so later on."""
    shared = threads._blas
    plain, left = getattr(shared, method), [1]

    def interrupted(*args):
        if left.pop() if left else False:
            raise KeyboardInterrupt
        return plain(*args)

    monkeypatch.setattr(shared, method, interrupted)
    with pytest.raises(KeyboardInterrupt), single_threaded_libraries():
        pass
    assert blas_threads() == {2}
    with single_threaded_libraries():
        assert blas_threads() == {1}
    assert blas_threads() == {2}
    assert not shared.users


def test_negative_numbers_of_threads_are_those_of_scikit_learn():
    cores = count_threads(-1)
    assert count_threads(None) is None
    assert count_threads(3) == 3
    assert count_threads(-2) == max(cores - 1, 1)
    assert count_threads(-cores) == count_threads(-100 - cores) == 1


def test_a_fit_of_many_rows_does_not_depend_on_the_threads():
    """With approximate neighbours, passes over blocks, the tree and all starts."""
    X, _ = make_bent_clusters(12_000, random_state=0)
    one, three = (
        MaxMarginClustering(6, random_state=0, n_jobs=n_jobs).fit(X)
        for n_jobs in (1, 3)
    )
    np.testing.assert_array_equal(one.labels_, three.labels_)
    np.testing.assert_array_equal(one.tree_.children, three.tree_.children)
    np.testing.assert_array_equal(one.probabilities_, three.probabilities_)
    assert one.objective_ == three.objective_
