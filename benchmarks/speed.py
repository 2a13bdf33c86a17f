"""Speed on MNIST rows, as ratios to k-means in the same run. ``make bench``.

Each measurement runs in a process of its own, with the same limit on threads for both
sides, and is the smallest of some. Without the MNIST file (folder ``MAXMARGIN_DATA``),
random images of the same shape stand in.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

REPEATS = {"shaking": 10}  # of short tasks, others are run twice


def load_rows(n_samples):
    """Return rows of MNIST in [0, 1], or random ones of that shape."""
    path = Path(os.environ.get("MAXMARGIN_DATA", "")) / "mnist.npz"
    random = np.random.RandomState(0)
    if not path.exists():
        return random.rand(n_samples, 784)
    X = np.load(path)["X"]
    return X[random.choice(len(X), n_samples, replace=False)] / 255.0


def kmeans(X):
    """Fit k-means with ten starts."""
    from sklearn.cluster import KMeans

    model = KMeans(10, n_init=10, random_state=0)
    return lambda: model.fit(X)


def default_fit(X):
    """Fit the default estimator."""
    from maxmargin import MaxMarginClustering

    model = MaxMarginClustering(10, random_state=0)
    MaxMarginClustering(2).fit(X[:100])  # load the compiled code
    return lambda: model.fit(X)


def fixed_fit(X):
    """Fit with a kernel and degrees of freedom, so that nothing is chosen."""
    from maxmargin import MaxMarginClustering

    model = MaxMarginClustering(
        10, kernel="rbf", degrees_of_freedom=400, random_state=0
    )
    MaxMarginClustering(2).fit(X[:100])
    return lambda: model.fit(X)


def shaking(X):
    """Run shaking once, given the smoother."""
    from maxmargin.rows.sample import draw_sample
    from maxmargin.rows.threads import single_threaded_libraries
    from maxmargin.search.balance import make_balance
    from maxmargin.search.objective import PLAIN_SUM
    from maxmargin.search.shaking import shake
    from maxmargin.search.state import new_state
    from maxmargin.smoothers.degrees_of_freedom import Ridge
    from maxmargin.smoothers.kernel import make_kernel
    from maxmargin.smoothers.landmarks import Landmarks, make_smoother

    random = np.random.RandomState(0)
    weights = np.ones(len(X))
    sample = draw_sample(X, weights, merge=True, limit=None, random=random)
    kernel = make_kernel("rbf", X, random=random)
    S = make_smoother(X, sample, kernel, Ridge(), Landmarks(800), random).matrix()
    balance = make_balance("free", 10, weights, PLAIN_SUM)

    def run():
        labels = random.permutation(len(S)) % 10
        with single_threaded_libraries():  # as in a fit
            state = new_state(S, weights, balance.limits, labels, balance.objective)
            return shake(state, balance.targets)

    run()
    return run


TASKS = {f.__name__: f for f in (kmeans, default_fit, fixed_fit, shaking)}


def measure(task, n_samples):
    """Return wall seconds, CPU seconds and peak memory above the data."""
    run = TASKS[task](load_rows(n_samples))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    times = []
    for _ in range(REPEATS.get(task, 2)):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        times.append((time.perf_counter() - wall, time.process_time() - cpu))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"wall": min(times)[0], "cpu": min(times)[1], "MB": peak / 1000}


def in_own_process(task, n_samples, threads):
    """Measure in a new process with a limit on the threads of every library."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    result = subprocess.run(
        [sys.executable, __file__, task, str(n_samples)],
        env=os.environ | dict.fromkeys(names, str(threads)),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(result.stdout)


def import_seconds():
    """Return the least of five times of our import, scikit-learn being imported."""
    code = "import sklearn.cluster, time; t = time.perf_counter(); import maxmargin; "
    code += "print(time.perf_counter() - t)"
    return min(
        float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)
    )


def report():
    """Print the tables."""
    all_cores = len(os.sched_getaffinity(0))
    print("task          rows  threads   wall s    CPU s    peak MB   wall / k-means")
    for n_samples in (4000, 8000):
        for threads in (1, all_cores):
            base = None
            for task in TASKS:
                if task == "shaking" and n_samples > 4000:
                    continue
                row = in_own_process(task, n_samples, threads)
                base = base or row["wall"]
                print(
                    f"{task:<12}{n_samples:>6}{threads:>9}{row['wall']:>9.2f}"
                    f"{row['cpu']:>9.2f}{row['MB']:>11.0f}{row['wall'] / base:>17.3f}",
                    flush=True,
                )
    print(f"\nimport maxmargin after sklearn.cluster: {import_seconds():.3f} s more")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", nargs="?", choices=TASKS)
    parser.add_argument("rows", nargs="?", type=int, default=4000)
    arguments = parser.parse_args()
    if arguments.task:
        print(json.dumps(measure(arguments.task, arguments.rows)))
    else:
        report()
