"""The page of ``maxmargin app``: seconds from the drop of a large table to its map.

A CSV of 200,000 rows and 10 columns is given to the page in headless Chromium, with
five clusters and with ``auto``. Printed are the seconds until the table is read, from
the click on *Cluster* until the map is drawn, and of both, and the seconds of the
processor that the app and its processes took: what else the machine does counts for the
former alone. Needs the extras ``app`` and ``test``, and Chromium.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from playwright.sync_api import sync_playwright

from benchmarks.app_frames import SOFTWARE
from benchmarks.served import served


def write_rows(path, n_rows, n_columns=10, n_groups=5):
    """Write groups of normal rows."""
    random = np.random.RandomState(0)
    rows = 2 * random.standard_normal((n_groups, n_columns))
    rows = rows[random.randint(n_groups, size=n_rows)]
    rows += random.standard_normal(rows.shape)
    header = ",".join(f"x{j}" for j in range(n_columns))
    np.savetxt(path, rows, fmt="%.4f", delimiter=",", header=header, comments="")


def cpu_seconds(server):
    """Return the seconds of the processor of the app and the processes that it has."""
    root = psutil.Process(server.pid)
    times = [one.cpu_times() for one in (root, *root.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def drop(page, path, clusters):
    """Give a file to the page and cluster it; return the seconds of both parts."""
    begin = time.perf_counter()
    page.set_input_files("#file", path)
    page.wait_for_selector("#run")
    read = time.perf_counter() - begin
    if clusters is not None:
        page.fill("#clusters", str(clusters))
        page.press("#clusters", "Tab")
    begin = time.perf_counter()
    page.click("#run")
    page.wait_for_selector("[id=tab-history]")
    page.wait_for_selector(".progress", state="hidden")
    frames = "() => new Promise((f) => requestAnimationFrame(() => setTimeout(f)))"
    page.evaluate(frames)
    return read, time.perf_counter() - begin


def main():
    """Print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    n_rows = parser.parse_args().rows
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("This benchmark needs Chromium.")
    header = ("clusters", "read", "to the map", "in all", "of the processor")
    print(f"| {' | '.join(header)} |\n{'|---' * len(header)}|")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as tool:
        path = str(Path(folder) / "table.csv")
        write_rows(path, n_rows)
        browser = tool.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", *SOFTWARE]
        )
        for clusters in (5, None):
            with served() as (address, server):
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.set_default_timeout(0)  # the machine may be busy
                page.goto(address)
                page.wait_for_selector("[data-builtin=iris]")
                time.sleep(10)  # the first process of the app has loaded its code
                before = cpu_seconds(server)
                read, shown = drop(page, path, clusters)
                used = cpu_seconds(server) - before
                page.close()
            print(
                f"| {clusters or 'auto'} | {read:.1f} | {shown:.1f} | "
                f"{read + shown:.1f} | {used:.1f} |",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
