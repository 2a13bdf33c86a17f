"""The time that the page says is left of a first fit, as a ratio to the truth.

``python -m benchmarks.remaining_time`` runs the fits of lists of tables, those on
which the costs of the steps were chosen and others, and prints the ratio at 10, 30 and
60 % of the time; "-" if the page says nothing yet. The time is that of the processor:
what else the machine does is not the page's to know. Arguments are the names of lists;
``--trace FILE`` writes what was reported and when.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from benchmarks.time_tables import LISTS
from maxmargin.app.jobs import Job
from maxmargin.app.tasks import Tasks
from maxmargin.progress import report_to

MOMENTS = (0.1, 0.3, 0.6)


def write_table(folder, frame):
    """Write a table and return its path."""
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return str(path)


def run(tasks, folder, clusters, path):
    """Return when which share of which stage was reported, the time, the clusters."""
    heard, begin = [], time.process_time()
    place = {"work": folder.name, "file": path, "path": str(folder)}
    place["settings"] = {"kind": "table", "clusters": clusters}

    def hear(share, name):
        heard.append((time.process_time() - begin, share, name))

    with report_to(hear):
        step = tasks.run("fit", {"place": place}, lambda event: None)
    return heard, time.process_time() - begin, step["n_clusters"]


def ratio(heard, total, moment):
    """Return the time that the page tells over that which is left, None for nothing."""
    now = moment * total
    share = [0.0, *(share for when, share, _ in heard if when <= now)][-1]
    job = Job("", "", "", state="running", share=share)
    job.ended = job.started + now
    left = job.show()["seconds_left"]
    return None if left is None else left / (total - now)


def measure(tasks, folder, table, trace):
    """Print and return the ratios of a table, None if it is missing."""
    try:
        frame = table.make()
    except (FileNotFoundError, ImportError):
        print(f"{table.name}: left out, its file is missing", flush=True)
        return []
    path = write_table(folder, frame)
    work = Path(tempfile.mkdtemp(dir=folder))
    heard, total, n_found = run(tasks, work, table.clusters, path)
    found = [ratio(heard, total, moment) for moment in MOMENTS]
    shown = " | ".join("-" if one is None else f"{one:.2f}" for one in found)
    about = " | ".join(map(str, (table.name, *frame.shape, table.clusters)))
    print(f"| {about} | {total:.1f} | {shown} |", flush=True)
    if trace:
        record = [table.name, *frame.shape, table.clusters, n_found, total, heard]
        with open(trace, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
    return [one for one in found if one is not None]


def main():
    """Run all fits, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lists", nargs="*", default=list(LISTS))
    parser.add_argument("--trace", metavar="FILE")
    options = parser.parse_args()
    tasks = Tasks()
    tasks.warm_up()
    header = ("table", "rows", "columns", "clusters", "seconds", "10 %", "30 %", "60 %")
    print(f"| {' | '.join(header)} |\n{'|---' * len(header)}|", flush=True)
    for name in options.lists:
        ratios = []
        with tempfile.TemporaryDirectory() as folder:
            for table in LISTS[name]:
                ratios += measure(tasks, Path(folder), table, options.trace)
        near = sum(0.5 <= one <= 2 for one in ratios)
        least, most = min(ratios), max(ratios)
        print(
            f"{name}: {near} of {len(ratios)} within a factor of 2, "
            f"least {least:.2f}, most {most:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
