"""What the command adds to a fit, time for help, and for ``maxmargin compare``.

Run with ``make bench-cli`` or ``python benchmarks/cli.py --rows 200000``. Writes a
Parquet file of rows x 20 numbers to a temporary folder, and clusters it as
``maxmargin cluster table.parquet -k 10 --out labels.parquet --model model.npz`` does.
Memory is what the process takes at its peak beyond what it had when all was loaded.
``maxmargin compare`` clusters 5000 rows of 40 columns, in five groups and in none.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_FEATURES, N_CLUSTERS = 20, 10


def write_table(path: Path, n_rows: int) -> None:
    """Write blobs, a row group at a time."""
    import pyarrow as pa
    from pyarrow import parquet

    random = np.random.RandomState(0)
    centers = 4.0 * random.randn(N_CLUSTERS, N_FEATURES)
    names = [f"x{j}" for j in range(N_FEATURES)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, 100_000):
            size = min(100_000, n_rows - start)
            X = centers[random.randint(N_CLUSTERS, size=size)]
            X = X + random.randn(size, N_FEATURES)
            writer.write_table(pa.table(dict(zip(names, X.T, strict=True)), schema))


def resident() -> tuple[int, int]:
    """Return the bytes that this process has, and had at its peak."""
    fields = dict(
        line.split(":", 1) for line in Path("/proc/self/status").read_text().split("\n")
        if ":" in line
    )  # fmt: skip
    now, peak = (int(fields[key].split()[0]) * 1024 for key in ("VmRSS", "VmHWM"))
    return now, peak


def measure(folder: Path) -> dict[str, float]:
    """Cluster the table in the steps of the command, each with its time."""
    from maxmargin import MaxMarginClustering
    from maxmargin.cli.cluster import memory_for
    from maxmargin.cli.command_files import (
        label_columns,
        load_samples,
        write_outputs,
    )
    from maxmargin.table_model import save_table_model

    # Load and compile what a fit takes, on few rows of the same kind.
    small = np.random.RandomState(0).randn(5000, N_FEATURES)
    MaxMarginClustering(N_CLUSTERS, random_state=0).fit(small)
    import pyarrow.parquet  # noqa: F401

    before, _ = resident()
    start = time.perf_counter()
    samples = load_samples(str(folder / "table.parquet"))
    read = time.perf_counter()
    _, peak_read = resident()
    clusters = MaxMarginClustering(
        N_CLUSTERS, memory_limit=memory_for(samples.X), random_state=0
    ).fit(samples.X)
    fitted = time.perf_counter()
    write_outputs(
        {"model": str(folder / "m.npz"), "out": str(folder / "labels.parquet")},
        True,
        label_columns(samples, "cluster", clusters.labels_, False, {}),
        model=lambda file: save_table_model(file, clusters, samples),
    )
    written = time.perf_counter()
    _, peak = resident()
    return {
        "rows": len(samples.X),
        "read": read - start,
        "fit": fitted - read,
        "write": written - fitted,
        "numbers": samples.X.nbytes,
        "loaded": before,
        "peak_reading": peak_read - before,
        "peak": peak - before,
    }


def help_times(repeats: int = 15) -> dict[str, float]:
    """Return the least seconds for help, and for what it stands on."""
    python = [sys.executable, "-c"]
    calls = {
        "python": [*python, "pass"],
        "python, click": [*python, "import click"],
        "maxmargin --help": [*python, "from maxmargin.cli.main import main; main()"],
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.perf_counter()
            subprocess.run([*call, "--help"], check=True, stdout=subprocess.DEVNULL)
            times[name].append(time.perf_counter() - start)
    return {name: min(values) for name, values in times.items()}


def compare_times(folder: Path) -> dict[str, float]:
    """Return the seconds of a comparison of all methods, the second time it is made."""
    times = {}
    for name, spread in (("five groups", 2.0), ("no groups", 0.0)):
        random = np.random.RandomState(0)
        rows = spread * random.randn(5, 40)[random.randint(5, size=5000)]
        rows += random.randn(*rows.shape)
        path = folder / "table.csv"
        header = ",".join(f"x{j}" for j in range(rows.shape[1]))
        np.savetxt(path, rows, fmt="%.5f", delimiter=",", header=header, comments="")
        call = [sys.executable, "-m", "maxmargin", "compare", str(path), "-k", "5"]
        for _ in range(2):  # the first compiles code
            start = time.perf_counter()
            subprocess.run([*call, "--rows", "5000"], check=True, capture_output=True)
            times[f"compare, {name}"] = time.perf_counter() - start
    return times


def main() -> None:
    """Measure in a process of its own and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--child", type=Path)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.child)))
        return
    with tempfile.TemporaryDirectory() as folder:
        compared = compare_times(Path(folder))
        write_table(Path(folder) / "table.parquet", options.rows)
        result = subprocess.run(
            [sys.executable, __file__, "--child", folder],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    found = json.loads(result.stdout)
    overhead = (found["read"] + found["write"]) / found["fit"]
    print(f"{found['rows']:,} rows x {N_FEATURES}, {N_CLUSTERS} clusters")
    for step in ("read", "fit", "write"):
        print(f"{step:<8}{found[step]:>8.2f} s")
    print(f"reading and writing / fit: {overhead:.1%}")
    mega = 1e6
    print(f"numbers in the file: {found['numbers'] / mega:.0f} MB; libraries: "
          f"{found['loaded'] / mega:.0f} MB")  # fmt: skip
    print(
        f"peak while reading / numbers: {found['peak_reading'] / found['numbers']:.2f}"
    )
    print(f"peak / numbers: {found['peak'] / found['numbers']:.2f}")
    for name, seconds in {**help_times(), **compared}.items():
        print(f"{name:<22}{seconds:.3f} s")


if __name__ == "__main__":
    main()
