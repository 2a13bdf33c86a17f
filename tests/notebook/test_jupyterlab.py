"""The map in a real JupyterLab, in Chromium of the system: ``pytest -m browser``."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytest.importorskip("anywidget", reason="needs anywidget")
pytest.importorskip("jupyterlab", reason="needs JupyterLab")
pytest.importorskip("ipykernel", reason="needs ipykernel")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]
SLOW = 120_000  # milliseconds, on a busy machine
CELLS = (
    """\
from sklearn.datasets import load_iris
from maxmargin import MaxMarginClustering
X, _ = load_iris(return_X_y=True)
model = MaxMarginClustering(3, random_state=0).fit(X)
widget = model.explore(X)
widget""",
    """\
import json
rows = widget.selection
print("selected", json.dumps(rows))""",
    """\
labels = widget.corrected.labels_.tolist()
print("corrected", json.dumps([widget.steps, model.labels_.tolist(), labels]))""",
)


def notebook():
    cells = [
        {"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "outputs": []}
        | {"source": source, "execution_count": None}
        for i, source in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    about = {"metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return about | {"cells": cells}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Return the address of a notebook in a server of its own."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "map.ipynb").write_text(json.dumps(notebook()))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    homes = ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    options = [f"--port={port}", "--IdentityProvider.token=test"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [*command, *options],
            cwd=folder,
            env=os.environ | dict.fromkeys(homes, str(folder)),
            stdout=log,
            stderr=log,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(url, folder / "log")
        yield f"{url}/lab/tree/map.ipynb?token=test"
    finally:
        server.terminate()
        server.wait(30)


def wait_for(url, log):
    end = time.monotonic() + 90
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/api?token=test", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(log.read_text())


@pytest.fixture(scope="module")
def page(lab):
    with playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = browser.new_page(viewport={"width": 1280, "height": 900})
        found.set_default_timeout(SLOW)
        found.goto(lab)
        found.wait_for_selector(".jp-Notebook .jp-Cell")
        yield found
        browser.close()


def run_cell(page, number):
    """Press Run until the cell has run: before the kernel is there, it does nothing."""
    prompt = page.locator(f".jp-Cell >> nth={number} >> .jp-InputPrompt")
    for _ in range(20):
        prompt.click()
        page.click(".jp-NotebookPanel-toolbar [data-jp-item-name=run] button")
        page.wait_for_timeout(2000)
        if prompt.inner_text() != "[ ]:":
            return
    raise AssertionError(f"cell {number} does not run")


def printed(page, word):
    """Return what a cell printed after a word."""
    output = page.locator(".jp-OutputArea-output", has_text=f"{word} [")
    output.first.wait_for()
    text = output.first.inner_text()
    return json.loads(re.search(rf"{word} (.*)", text, re.DOTALL)[1])


def drag_around(page, points):
    """Draw a lasso through some places, shares of width and height of the map."""
    box = page.locator(".maxmargin-map canvas.over").bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"])
              for x, y in points]  # fmt: skip
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=5)
    page.mouse.up()


def test_cluster_lasso_assign_and_read_the_labels(page):
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]")
    run_cell(page, 0)
    page.wait_for_selector(".maxmargin-map .cluster")
    assert page.locator(".maxmargin-map .cluster").count() == 3
    drag_around(page, [(0.02, 0.02), (0.98, 0.02), (0.98, 0.3), (0.02, 0.3)])
    page.wait_for_selector(".maxmargin-map .floating:not([hidden])")
    if folder := os.environ.get("MAXMARGIN_PICTURES"):
        page.screenshot(path=f"{folder}/jupyterlab.png")
    run_cell(page, 1)
    rows = printed(page, "selected")
    assert 0 < len(rows) < 150
    page.select_option(".maxmargin-map .floating select", "2")
    page.wait_for_selector(f".said:has-text('{len(rows)} rows to 2')")
    run_cell(page, 2)
    steps, before, after = printed(page, "corrected")
    assert steps[1] == f"{len(rows)} rows to 2"
    assert {after[row] for row in rows} == {2}
    assert any(before[row] != 2 for row in rows)


def test_undo_by_the_button(page):
    sizes = page.locator(".maxmargin-map .cluster button[aria-label^=Select]")
    corrected = sizes.all_inner_texts()
    page.click(".maxmargin-map button:text('Undo')")
    page.wait_for_selector(".said:has-text('the clusters of the model')")
    assert sizes.all_inner_texts() != corrected
