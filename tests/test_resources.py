"""Threads over blocks of rows, and memory."""

import threading

import numpy as np
import pytest

from maxmargin.resources import (
    available_memory,
    for_blocks,
    format_bytes,
    map_blocks,
    parse_memory_limit,
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
    from threadpoolctl import threadpool_info

    with single_threaded_libraries():
        assert {library["num_threads"] for library in threadpool_info()} == {1}


def test_an_error_in_a_block_is_raised():
    def fail(block):
        if block.start == 512:
            raise RuntimeError("block two")

    with (
        single_threaded_libraries(n_threads=2),
        pytest.raises(RuntimeError, match="block two"),
    ):
        for_blocks(fail, 2000)


def test_memory_with_units():
    assert available_memory() > 0
    assert format_bytes(1536) == "1.54 kB"
    assert format_bytes(3.2e9) == "3.2 GB"
    assert parse_memory_limit("1.5 GB") == 1.5e9
    assert parse_memory_limit(1000) == 1000.0
