"""The first fit of a process, with and without compiled code on disk, in seconds."""

import json
import os
import subprocess
import sys
import tempfile

SCRIPT = """
import json, time
import numpy as np
from maxmargin import MaxMarginClustering
X = np.random.RandomState(0).randn(9000, 20)
times = []
for _ in range(2):
    start = time.perf_counter()
    MaxMarginClustering(4, random_state=0).fit(X)
    times.append(time.perf_counter() - start)
print(json.dumps(times))
"""


def first_and_second(folder):
    """Return the seconds of the first and the second fit of a new process."""
    output = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"NUMBA_CACHE_DIR": folder},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return json.loads(output)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        cold, _ = first_and_second(folder)
        warm, second = min(first_and_second(folder) for _ in range(3))
    print(json.dumps({"cold": cold, "warm": warm, "second": second}))
