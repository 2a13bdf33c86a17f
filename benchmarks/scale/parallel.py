"""The share of a fit's CPU time in loops over blocks, which use several threads.

``OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m benchmarks.scale.parallel`` fits
with one thread and adds up the time in `map_blocks`, where it has more than one block
to share. With the share s, p cores make a fit at most 1 / (1 - s + s / p) times faster.
"""

import sys
import time

from benchmarks.scale.methods import _load_compiled, load
from maxmargin import MaxMarginClustering
from maxmargin.rows import threads

CORES = (4, 16, 64)


class Stopwatch:
    """Adds up the time in loops over blocks; loops within loops count once."""

    def __init__(self):
        self.seconds, self.depth, self.callers = 0.0, 0, {}

    def wrap(self, function):
        """Return the loop with its time taken."""

        def timed(step, n_rows, block_rows=threads.BLOCK_ROWS):
            if self.depth or n_rows <= block_rows:
                return function(step, n_rows, block_rows)
            self.depth, start = 1, time.process_time()
            try:
                return function(step, n_rows, block_rows)
            finally:
                self.depth = 0
                seconds = time.process_time() - start
                self.seconds += seconds
                name = f"{step.__module__}.{step.__qualname__}"
                self.callers[name] = self.callers.get(name, 0.0) + seconds

        return timed

    def watch(self):
        """Take the time of every loop of the package."""
        wrapped = {
            name: self.wrap(getattr(threads, name))
            for name in ("for_blocks", "map_blocks")
        }
        for name, module in list(sys.modules.items()):
            if name.startswith("maxmargin."):
                for function in wrapped:
                    if hasattr(module, function):
                        setattr(module, function, wrapped[function])


def measure(name, size, n_clusters, verbose):
    """Print the share of a fit, and the speed-up that it allows."""
    X, _ = load(name, size, 0)
    _load_compiled(X)
    MaxMarginClustering(n_clusters, random_state=0).fit(X[:9000])
    watch = Stopwatch()
    watch.watch()
    start = time.process_time()
    MaxMarginClustering(n_clusters, random_state=0).fit(X)
    total = time.process_time() - start
    share = watch.seconds / total
    ups = " | ".join(f"{1 / (1 - share + share / cores):.1f}" for cores in CORES)
    print(f"| {name} {len(X):,} | {total:.1f} | {share:.3f} | {ups} |", flush=True)
    if verbose:
        for caller, seconds in sorted(watch.callers.items(), key=lambda one: -one[1]):
            print(f"  {seconds:.2f} {caller}")


if __name__ == "__main__":
    print("| rows | CPU s | share | speed-up on 4 cores | on 16 | on 64 |")
    print("|---|---|---|---|---|---|")
    chosen = sys.argv[1] if len(sys.argv) > 1 else "bent"
    measure(chosen, 100_000, 10, "-v" in sys.argv)
