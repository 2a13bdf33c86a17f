"""Run the measurements that are not yet in the results."""

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.store import key_of
from benchmarks.accuracy.tasks import task_names
from benchmarks.accuracy.worker import Worker

# The suites on which something is measured.
SUITES_OF = {
    "accuracy": ("public", "shapes", "small"),
    "stability": ("public",),
}


def jobs_of(method, suites, whats, sets, seeds):
    """Return the measurements of a method that are asked for, by their keys."""
    seeds = min(seeds, METHODS[method].seeds or seeds)
    return {
        key_of(suite, name, method, what): {
            "what": what,
            "suite": suite,
            "name": name,
            "seeds": seeds,
        }
        for what in whats
        for suite in suites
        if suite in SUITES_OF[what]
        for name in task_names(suite)
        if not sets or name in sets
    }


def is_done(job, result):
    """Whether a result has as many seeds as are asked for."""
    return result is not None and result.get("of", job["seeds"]) >= job["seeds"]


def run_method(store, method, jobs, fresh, n_workers):
    """Run the jobs of a method that have no result yet, in some processes."""
    if fresh:
        store.forget(jobs)
    known = store.read()
    todo = [(k, job) for k, job in jobs.items() if not is_done(job, known.get(k))]
    if not METHODS[method].installed:
        print(f"{method} is left out: {METHODS[method].package} is not installed")
        return
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
        store.put(key, result)
        print(key, result, flush=True)

    try:
        with ThreadPoolExecutor(n_workers) as pool:
            list(pool.map(measure, todo))
    finally:
        while not workers.empty():
            workers.get().close()
