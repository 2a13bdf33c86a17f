"""The share of a fit's CPU time in loops over blocks, which use several threads.

``OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m benchmarks.scale.parallel bent``
fits with one thread (also ``mnist``) and adds up the time in `map_blocks`, where it
has more than one block to share. The first fit of a process, which loads compiled code,
is not measured. On p cores a loop of b equal blocks takes ``ceil(b / p) / b`` of its
time, and the rest of the fit all of it: this is the speed-up, if threads cost nothing.
"""

import sys
import time

from benchmarks.scale.methods import load
from maxmargin import MaxMarginClustering
from maxmargin.rows import threads

CORES = (4, 16, 64)


class Stopwatch:
    """Adds up the time in loops over blocks; loops within loops count once."""

    def __init__(self):
        self.loops, self.inside = [], False

    def wrap(self, function):
        """Return the loop with its time taken."""

        def timed(step, n_rows, block_rows=threads.BLOCK_ROWS):
            if self.inside or n_rows <= block_rows:
                return function(step, n_rows, block_rows)
            self.inside, start = True, time.process_time()
            try:
                return function(step, n_rows, block_rows)
            finally:
                self.inside = False
                name = f"{step.__module__}.{step.__qualname__}"
                seconds = time.process_time() - start
                self.loops.append((name, -(-n_rows // block_rows), seconds))

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

    @property
    def seconds(self):
        """Return the time in all loops."""
        return sum(seconds for _, _, seconds in self.loops)

    def seconds_on(self, cores):
        """Return the time in all loops if so many blocks run at once."""
        return sum(-(-n // cores) / n * seconds for _, n, seconds in self.loops)

    def seconds_by_name(self):
        """Return the time in the loops of each function, the longest first."""
        totals = {}
        for name, _, seconds in self.loops:
            totals[name] = totals.get(name, 0.0) + seconds
        return sorted(totals.items(), key=lambda one: -one[1])


def measure(watch, name, size, n_clusters, verbose):
    """Print the share of a fit, and the speed-up that it allows."""
    X, _ = load(name, size, 0)
    MaxMarginClustering(n_clusters, random_state=0).fit(X)
    watch.loops.clear()
    start = time.process_time()
    MaxMarginClustering(n_clusters, random_state=0).fit(X)
    total = time.process_time() - start
    rest = total - watch.seconds
    ups = [f"{total / (rest + watch.seconds_on(cores)):.1f}" for cores in CORES]
    share = watch.seconds / total
    print(
        f"| {name} {len(X):,} | {total:.1f} | {share:.3f} | {' | '.join(ups)} |",
        flush=True,
    )
    if verbose:
        for caller, seconds in watch.seconds_by_name():
            print(f"  {seconds:.2f} {caller}")


if __name__ == "__main__":
    print("| rows | CPU s | share | speed-up on 4 cores | on 16 | on 64 |")
    print("|---|---|---|---|---|---|")
    watch = Stopwatch()
    watch.watch()
    for chosen in [one for one in sys.argv[1:] if one != "-v"] or ["bent"]:
        measure(watch, chosen, 100_000, 10, "-v" in sys.argv)
