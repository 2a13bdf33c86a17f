"""The time that the page says is left of a first fit, as a ratio to the truth.

``python -m benchmarks.remaining_time`` runs ten fits of tables of different sizes and
prints the ratio at 10, 30 and 60 % of the time; "-" if the page says nothing yet. The
time is that of the processor: what else the machine does is not the page's to know.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from maxmargin.app.jobs import Job
from maxmargin.app.tasks import Tasks
from maxmargin.progress import report_to, rising
from maxmargin.tables.write import table_writer

# Rows, columns, groups, and the number of clusters that is asked for.
RUNS = [
    (500, 8, 4, "auto"),
    (1000, 30, 3, "auto"),
    (2000, 10, 5, "auto"),
    (2000, 10, 5, 5),
    (5000, 40, 8, "auto"),
    (10_000, 20, 8, "auto"),
    (10_000, 20, 8, 8),
    (40_000, 8, 4, "auto"),
    (40_000, 8, 4, 4),
    (100_000, 8, 4, 4),
]
MOMENTS = (0.1, 0.3, 0.6)


def write_table(folder, n_rows, n_columns, n_groups):
    """Write groups of normal rows and return the path."""
    random = np.random.RandomState(0)
    centers = 2 * random.standard_normal((n_groups, n_columns))
    rows = centers[random.randint(n_groups, size=n_rows)]
    rows += random.standard_normal(rows.shape)
    path = folder / "table.csv"
    with path.open("wb") as file:
        table_writer("table.csv", {f"x{j}": x for j, x in enumerate(rows.T)})(file)
    return str(path)


def run(tasks, folder, clusters, path):
    """Return when which share was reported, and the time of the whole fit."""
    heard, begin = [], time.process_time()
    place = {"work": folder.name, "file": path, "path": str(folder)}
    place["settings"] = {"kind": "table", "clusters": clusters}

    def hear(share, name):
        heard.append((time.process_time() - begin, share))

    with report_to(rising(hear)):
        tasks.run("fit", {"place": place}, lambda event: None)
    return heard, time.process_time() - begin


def ratio(heard, total, moment):
    """Return the time that the page tells over that which is left, None for nothing."""
    now = moment * total
    share = max([share for when, share in heard if when <= now], default=0.0)
    job = Job("", "", "", state="running", share=share)
    job.ended = job.started + now
    left = job.show()["seconds_left"]
    return None if left is None else left / (total - now)


def main():
    """Run all fits, and print the ratios."""
    tasks = Tasks()
    tasks.warm_up()
    ratios = []
    print("rows columns clusters seconds " + " ".join(f"{m:.0%}" for m in MOMENTS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n_rows, n_columns, n_groups, clusters in RUNS:
            path = write_table(folder, n_rows, n_columns, n_groups)
            work = Path(tempfile.mkdtemp(dir=folder))
            heard, total = run(tasks, work, clusters, path)
            found = [ratio(heard, total, moment) for moment in MOMENTS]
            ratios += [one for one in found if one is not None]
            shown = ["-" if one is None else f"{one:.2f}" for one in found]
            print(n_rows, n_columns, clusters, f"{total:.1f}", *shown, flush=True)
    near = sum(0.5 <= one <= 2 for one in ratios)
    print(f"{near} of {len(ratios)} within a factor of 2, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
