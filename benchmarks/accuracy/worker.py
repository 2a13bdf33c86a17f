"""Measure one method in a process of its own: JSON lines in, JSON lines out."""

import json
import os
import subprocess
import sys
from select import select

import numpy as np

LIMIT = 3600  # seconds for one measurement
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA")


class Worker:
    """A process that measures one method, one task after another, on one thread."""

    def __init__(self, method):
        self.method, self.process = method, None

    def ask(self, job):
        """Return what was measured, or why it failed or is missing."""
        if self.process is None:
            self.process = self._start()
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        if not select([self.process.stdout], [], [], LIMIT)[0]:
            self._end()
            return {"failed": f"more than {LIMIT} seconds"}
        answer = self.process.stdout.readline()
        if not answer:
            self._end()
            return {"missing": "the process was ended"}
        return json.loads(answer)

    def _start(self):
        command = [sys.executable, "-m", "benchmarks.accuracy.worker", self.method]
        threads = {f"{name}_NUM_THREADS": "1" for name in THREADS}
        return subprocess.Popen(
            command,
            env=os.environ | threads,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _end(self):
        self.kill()
        self.process.communicate()
        self.process = None

    def kill(self):
        """End the process, also while another thread waits for its answer."""
        if self.process is not None:
            self.process.kill()


def rounded(value):
    """Return numbers rounded to four significant digits."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    if isinstance(value, (float, np.floating)):
        return round(float(f"{value:.4g}"), 5)
    return value


def serve(name):
    """Answer the jobs that come in, until there are no more."""
    from benchmarks.accuracy.measures import MEASURES
    from benchmarks.accuracy.plan import METHODS
    from benchmarks.accuracy.tasks import load_task
    from benchmarks.data.suite import MissingData

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # packages may print
    method = METHODS[name]
    warm_up = load_task("public", "iris")
    method.fit(warm_up.X, 3, 0)  # compile before any clock runs
    for line in sys.stdin:
        job = json.loads(line)
        try:
            task = load_task(job["suite"], job["name"])
            result = MEASURES[job["what"]](method, task, job["seeds"])
        except MissingData as error:
            result = {"missing": str(error)}
        except Exception as error:
            result = {"failed": f"{type(error).__name__}: {error}"[:120]}
        answers.write(json.dumps(rounded(result)) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
