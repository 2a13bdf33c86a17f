"""One measurement in a process of its own: seconds, memory, labels."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path


def anonymous_memory():
    """Return the bytes that this process holds apart from files mapped into memory."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell a process's anonymous memory")


class MemoryWatch:
    """Keeps the largest anonymous memory seen while it is open."""

    def __enter__(self):
        self.start = self.peak = anonymous_memory()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def _watch(self):
        while not self.done.wait(0.02):
            self.peak = max(self.peak, anonymous_memory())

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
        self.peak = max(self.peak, anonymous_memory())


def timed(function):
    """Return what a function gives, its CPU and wall seconds and memory above."""
    with MemoryWatch() as memory:
        cpu, wall = time.process_time(), time.perf_counter()
        result = function()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    figures = {"cpu": cpu, "wall": wall, "memory": memory.peak - memory.start}
    return result, figures | {"peak": memory.peak}


def in_process(module, *arguments, threads=1):
    """Run ``python -m module arguments`` with so many threads; return its JSON."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(names, str(threads))
    command = [sys.executable, "-m", module, *map(str, arguments)]
    output = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout
    return json.loads(output.splitlines()[-1])
