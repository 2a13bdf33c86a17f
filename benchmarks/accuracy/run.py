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
    workers = SimpleQueue()
    for _ in range(n_workers):
        workers.put(Worker(method))

    def measure(pair):
        key, job = pair
        worker = workers.get()
        try:
            result = worker.ask(job)
        finally:
            workers.put(worker)
        if "missing" not in result:
            store.put(key, result)
        print(key, result, flush=True)

    try:
        with ThreadPoolExecutor(n_workers) as pool:
            list(pool.map(measure, todo))
    finally:
        while not workers.empty():
            workers.get().close()
