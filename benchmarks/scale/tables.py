"""Fit a Parquet file as an array, a LazyFrame of polars and a DuckDB query.

``python -m benchmarks.scale.tables 5000000``. Each is a process of its own; the figures
are CPU seconds, the peak of the memory above the start, files that are mapped included,
and whether the labels are those of the array.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.scale.measure import in_process, timed
from maxmargin import MaxMarginClustering
from maxmargin.datasets import make_bent_clusters

BLOCK = 500_000
FEATURES = 20
KINDS = ("array", "lazy", "duckdb")


def write_rows(path, n_rows):
    """Write bent clusters to a Parquet file, block by block."""
    import pyarrow as pa
    from pyarrow import parquet

    pool, _ = make_bent_clusters(BLOCK, FEATURES, random_state=0)
    random = np.random.RandomState(1)
    names = [f"x{j}" for j in range(FEATURES)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, BLOCK):
            chosen = random.randint(BLOCK, size=min(BLOCK, n_rows - start))
            rows = pool[chosen] + 0.1 * random.randn(len(chosen), FEATURES)
            columns = dict(zip(names, rows.T, strict=True))
            writer.write_table(pa.table(columns, schema=schema), row_group_size=100_000)


def open_rows(kind, path):
    """Return the rows of a file as a table of some kind, or as an array."""
    if kind == "lazy":
        import polars

        return polars.scan_parquet(path)
    if kind == "duckdb":
        import duckdb

        return duckdb.connect().sql(f"SELECT * FROM '{path}'")
    from pyarrow import parquet

    columns = parquet.read_table(path).columns
    return np.column_stack([column.to_numpy() for column in columns])


def memory_of(field):
    """Return a field of the status of this process in bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell the memory of a process")


def measure(kind, folder):
    """Fit and label one table, and print the figures."""
    MaxMarginClustering(2).fit(np.random.RandomState(0).randn(50, FEATURES))  # compile
    rows = open_rows(kind, f"{folder}/rows.parquet")
    start = memory_of("VmRSS")
    model = MaxMarginClustering(10, random_state=0)

    def fit_and_predict():
        return model.fit(rows).labels_, model.predict(rows)

    (labels, predicted), figures = timed(fit_and_predict)
    figures["memory"] = memory_of("VmHWM") - start
    saved = Path(folder) / "labels.npz"
    if kind == "array":
        np.savez(saved, labels=labels, predicted=predicted)
    with np.load(saved) as found:
        figures["same_labels"] = bool((found["labels"] == labels).all())
        figures["same_predictions"] = bool((found["predicted"] == predicted).all())
    print(json.dumps(figures))


def main(n_rows):
    """Print a table of all kinds."""
    print("| input | CPU s | memory above start, MB | labels of the array |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write_rows(f"{folder}/rows.parquet", n_rows)
        for kind in KINDS:
            found = in_process("benchmarks.scale.tables", kind, folder)
            same = found["same_labels"] and found["same_predictions"]
            print(
                f"| {kind} | {found['cpu']:.0f} | {found['memory'] / 1e6:.0f} | "
                f"{'yes' if same else 'no'} |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1] in KINDS:
        measure(*sys.argv[1:])
    else:
        main(int(sys.argv[1]))
