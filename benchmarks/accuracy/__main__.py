"""Run with ``make bench-accuracy``; results are kept, so that a run can be resumed.

Each method and data set runs in this process with one thread. ``--only`` names methods,
``--fresh`` forgets earlier results of the methods that are run.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from threadpoolctl import threadpool_limits

from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.report import write_report
from maxmargin.datasets import SUITE, MissingData, load_dataset
from maxmargin.metrics import clustering_error

RESULTS = Path(__file__).parent / "results.json"
SEEDS = 5
SECONDS = 100  # a method that took longer runs no further seed on that set


def measure(method, data, seed):
    """Return the scores of one run, or what went wrong."""
    function, _ = METHODS[method]
    n_clusters = len(np.unique(data.y))
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            labels = function(data.X.copy(), n_clusters, seed)
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"[:200]}
    return {
        "ARI": adjusted_rand_score(data.y, labels),
        "NMI": normalized_mutual_info_score(data.y, labels, average_method="geometric"),
        "error": clustering_error(data.y, labels),
        "seconds": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
    }


def run(methods, max_samples, seeds, fresh):
    """Fill the results, one data set after the other."""
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if fresh:
        results = {
            name: {m: runs for m, runs in by_method.items() if m not in methods}
            for name, by_method in results.items()
        }
    for name in SUITE:
        try:
            data = load_dataset(name).prepared(max_samples)
        except MissingData as error:
            print(f"skipped {error}")
            continue
        for method in methods:
            runs = results.setdefault(name, {}).setdefault(method, [])
            n_runs = seeds if METHODS[method][1] else 1
            while len(runs) < n_runs and not _too_slow(runs):
                runs.append(measure(method, data, len(runs)))
            RESULTS.write_text(json.dumps(results, indent=1))
        ours = " ".join(
            f"{m} {np.mean([r.get('ARI', 0) for r in results[name][m]]):.3f}"
            for m in methods
        )
        print(f"{name}: {ours}", flush=True)
    return results


def _too_slow(runs):
    return bool(runs) and ("failed" in runs[-1] or runs[-1].get("seconds", 0) > SECONDS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--samples", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--fresh", action="store_true")
    arguments = parser.parse_args()
    # Compile before any clock runs.
    measure(next(iter(METHODS)), load_dataset("iris").prepared(), 0)
    run(arguments.only, arguments.samples, arguments.seeds, arguments.fresh)
    write_report(json.loads(RESULTS.read_text()))
