"""Run the measurements that are not yet in the results."""

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from benchmarks.accuracy.plan import METHODS
from benchmarks.accuracy.worker import Worker


def is_done(job, result):
    """Whether a result has as many seeds as are asked for."""
    return result is not None and result.get("of", job["seeds"]) >= job["seeds"]


def run_method(store, method, jobs, fresh, n_workers):
    """Run the jobs of a method that have no result yet, in some processes."""
    if not METHODS[method].installed:
        print(f"{method} is left out: {METHODS[method].package} is not installed")
        return
    if fresh:
        store.forget(jobs)
    known = store.read()
    todo = [(k, job) for k, job in jobs.items() if not is_done(job, known.get(k))]
    workers = [Worker(method) for _ in range(n_workers)]
    free = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def measure(pair):
        key, job = pair
        worker = free.get()
        try:
            result = worker.ask(job)
        finally:
            free.put(worker)
        if "missing" not in result:  # to be run when the data are there
            store.put(key, result)
        print(key, result, flush=True)

    pool = ThreadPoolExecutor(n_workers)
    try:
        list(pool.map(measure, todo))
    finally:  # an interrupted measurement is not stored
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()
