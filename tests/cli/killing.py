"""Kill a process at random moments while it writes files, and check the files.

``python killing.py command|save_model FOLDER KILLS SEED`` forks a child that writes the
same files again and again, kills it with SIGKILL, and repeats this. Each file must then
be a complete one of before or after, and the next run must leave nothing else in the
folder. It prints the seed and the number of kills that interrupted a write.
"""

import itertools
import os
import random
import signal
import sys
import time
from functools import cache
from pathlib import Path

from click.testing import CliRunner

import maxmargin.cli.cluster  # noqa: F401, before the fork
from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.cli.main import main

ROWS = [(0, 0), (0, 1), (1, 0), (9, 9), (9, 8), (8, 9), (0, 9)]
WARM_UP = 2.0  # seconds within which the other half of the kills happens


def run_command(folder, n_clusters):
    outputs = {"--out": "o.csv", "--model": "m.npz", "--report": "r.html"}
    paths = [[option, str(folder / name)] for option, name in outputs.items()]
    arguments = [str(folder / "t.csv"), "-k", str(n_clusters), "--force"]
    result = CliRunner().invoke(main, ["cluster", *arguments, *itertools.chain(*paths)])
    assert result.exit_code == 0, result.output


def run_save_model(folder, n_clusters):
    save_model(folder / "m.npz", fit(n_clusters))


@cache
def fit(n_clusters):
    return MaxMarginClustering(n_clusters, random_state=0).fit(ROWS)


def check_files(folder, tables):
    """Raise an error if a file is not complete."""
    assert load_model(folder / "m.npz").n_clusters_ in (2, 3)
    if (folder / "o.csv").exists():
        assert (folder / "o.csv").read_bytes() in tables
        page = (folder / "r.html").read_text()
        assert page.startswith("<!DOCTYPE html>")
        assert page.endswith("</html>\n")


def run_child(run, folder, ready):
    for n_clusters in itertools.cycle([3, 2]):
        run(folder, n_clusters)
        os.write(ready, b".")


def kill_once(run, folder, early):
    """Kill a child in its first run, or in one of the next ones."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        run_child(run, folder, writing)
    if not early:
        os.read(reading, 1)
    time.sleep(random.uniform(0, WARM_UP if early else 0.3))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    os.close(writing)


def kill_often(run, folder, kills, seed):
    random.seed(seed)
    lines = ["x,y", *(f"{x},{y}" for x, y in ROWS)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    tables, expected = prepare(run, folder)
    n_interrupted = 0
    for number in range(kills):
        kill_once(run, folder, early=number % 2 == 1)
        check_files(folder, tables)
        n_interrupted += len(list(folder.iterdir())) > len(expected)
    run_in_child(run, folder, 2)
    assert sorted(path.name for path in folder.iterdir()) == expected
    print(f"seed {seed}: {kills} kills, {n_interrupted} of them left a temporary file")


def run_in_child(run, folder, n_clusters):
    """Fit in a process of its own: a fork must not copy the threads of a fit."""
    child = os.fork()
    if not child:
        run(folder, n_clusters)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def prepare(run, folder):
    """Write the files once; return the possible tables, and the names of the files."""
    tables = set()
    for n_clusters in (2, 3):
        run_in_child(run, folder, n_clusters)
        if (folder / "o.csv").exists():
            tables.add((folder / "o.csv").read_bytes())
    return tables, sorted(path.name for path in folder.iterdir())


if __name__ == "__main__":
    kind, folder, kills, seed = sys.argv[1:]
    runs = {"command": run_command, "save_model": run_save_model}
    kill_often(runs[kind], Path(folder), int(kills), int(seed))
