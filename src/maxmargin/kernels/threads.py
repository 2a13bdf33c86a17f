"""Our own threads over blocks of rows, with BLAS and OpenMP held at one thread.

A BLAS that splits a product among threads may round differently with their number.
Here the rows are cut into blocks whose borders depend on the data alone, each block is
worked on by one thread, and so the numbers do not depend on how many threads there are.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

BLOCK_ROWS = 512

Result = TypeVar("Result")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def _single_openmp_thread() -> None:
    """Hold OpenMP at one thread in a thread of ours, which has its own setting."""
    _controller().limit(limits=1, user_api="openmp")


@contextmanager
def single_threaded_libraries() -> Iterator[int]:
    """Hold BLAS and OpenMP at one thread; yield how many BLAS was allowed before."""
    allowed = max(
        (
            library["num_threads"]
            for library in _controller().info()
            if library["user_api"] == "blas"
        ),
        default=1,
    )
    with _controller().limit(limits=1):
        yield allowed


def for_blocks(
    function: Callable[[slice], None],
    n_rows: int,
    n_threads: int,
    block_rows: int = BLOCK_ROWS,
) -> None:
    """Call ``function`` for consecutive blocks of rows, several at a time."""
    map_blocks(function, n_rows, n_threads, block_rows)


def map_blocks(
    function: Callable[[slice], Result],
    n_rows: int,
    n_threads: int,
    block_rows: int = BLOCK_ROWS,
) -> list[Result]:
    """Return what ``function`` gives for each block of rows, in their order."""
    blocks = [
        slice(start, min(start + block_rows, n_rows))
        for start in range(0, n_rows, block_rows)
    ]
    if n_threads == 1 or len(blocks) == 1:
        return [function(block) for block in blocks]
    with ThreadPoolExecutor(n_threads, initializer=_single_openmp_thread) as pool:
        # list() brings up the first exception of a block.
        return list(pool.map(function, blocks))
