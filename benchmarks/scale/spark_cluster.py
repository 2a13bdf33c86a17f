"""The same fit in memory and on two executors of Spark; print the figures.

``python -m benchmarks.scale.spark_cluster 1000000``. The executors are processes of
their own (``local-cluster[2, 1, 2048]``). The fit is done twice: the second time an
executor is killed while it runs.
"""

import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyspark
from pyarrow import parquet
from pyspark.sql import SparkSession
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering
from maxmargin.datasets import make_bent_clusters
from maxmargin.distributed import SparkMaxMarginClustering

SECONDS_BEFORE_KILL = 5.0


def start_session():
    """Return a session with two executors of one core each."""
    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.executor.memory": "2g",
        "spark.log.level": "OFF",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local-cluster[2, 1, 2048]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def executors():
    """Return the process ids of the executors that descend from this process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            parents = _ancestors(int(folder.name))
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command and os.getpid() in parents:
            found.append(int(folder.name))
    return found


def _ancestors(process):
    chain = []
    while process > 1:
        status = Path(f"/proc/{process}/status").read_text().splitlines()
        process = next(int(v.split()[1]) for v in status if v.startswith("PPid:"))
        chain.append(process)
    return chain


def fit(session, path, names):
    """Return the labels of all rows in their order, and the seconds of the fit."""
    frame = session.read.parquet(path)
    start = time.perf_counter()
    model = SparkMaxMarginClustering(featuresCol=names, k=10).fit(frame)
    seconds = time.perf_counter() - start
    found = model.transform(frame).select("row", "prediction").toArrow()
    labels = np.empty(found.num_rows, dtype=int)
    labels[found["row"].to_numpy()] = found["prediction"].to_numpy()
    return labels, seconds


def main(n_rows):
    """Fit in memory, on Spark, and on Spark with an executor killed."""
    X, y = make_bent_clusters(n_rows, random_state=0)
    start = time.perf_counter()
    inside = MaxMarginClustering(10, random_state=0).fit(X).labels_
    memory_seconds = time.perf_counter() - start
    names = [f"x{j}" for j in range(X.shape[1])]
    table = pa.table({"row": np.arange(n_rows), **dict(zip(names, X.T, strict=True))})
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(table, f"{folder}/rows.parquet", row_group_size=100_000)
        session = start_session()
        labels, seconds = fit(session, folder, names)
        victim = executors()[0]
        killer = threading.Timer(SECONDS_BEFORE_KILL, os.kill, (victim, signal.SIGKILL))
        killer.start()
        disturbed, disturbed_seconds = fit(session, folder, names)
        killer.join()
        figures = {
            "memory": memory_seconds,
            "spark": seconds,
            "agreement": adjusted_rand_score(inside, labels),
            "ari": adjusted_rand_score(y, labels),
            "killed": victim not in executors(),
            "seconds_with_kill": disturbed_seconds,
            "same_after_kill": bool((labels == disturbed).all()),
        }
        session.stop()
    print(json.dumps(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]))
