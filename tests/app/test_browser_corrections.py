"""Corrections of clusters in a real browser."""

import time

import numpy as np
from tests.app.browser import IN_A_BROWSER, sizes

pytestmark = IN_A_BROWSER


@sizes
def test_cluster_correct_undo_and_download(visit, size, tmp_path):
    it = visit(size).open("iris", 3)
    page = it.page
    assert page.locator("article.cluster").count() == 3
    start = it.labels()
    # Merge the first two clusters, then split one.
    page.check("article.cluster >> nth=0 >> input[type=checkbox]")
    page.check("article.cluster >> nth=1 >> input[type=checkbox]")
    page.click("text=Merge chosen")
    it.wait_for_step(1)
    assert len(np.unique(it.labels())) == 2
    page.dblclick("article.cluster >> nth=0 >> text=Split")  # which splits once
    it.wait_for_step(2)
    assert len(np.unique(it.labels())) == 3
    page.click("button[aria-label=Undo]")
    it.wait_for_step(1)
    page.click("button[aria-label=Undo]")
    it.wait_for_step(0)
    np.testing.assert_array_equal(it.labels(), start)
    page.click("button[aria-label=Redo]")
    it.wait_for_step(1)
    # What was done is listed, and can be taken away.
    it.tab("history")
    assert page.locator("ol.steps li").count() == 3
    it.tab("take")
    with page.expect_download() as download:
        page.click("text=labels.csv")
    download.value.save_as(tmp_path / "labels.csv")
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 151
    page.wait_for_selector("pre")
    assert "np.isin(labels" in page.locator("pre").first.inner_text()
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size["width"]


def test_lasso_assigns_rows_to_a_new_cluster(visit):
    it = visit().open("iris", 3)
    page = it.page
    page.select_option("select[aria-label='Layout of the map']", "pca")
    page.wait_for_timeout(500)
    page.click("text=Lasso")
    box = page.locator("canvas.over").bounding_box()
    left, top = box["x"], box["y"]
    right, bottom = left + box["width"], top + box["height"]
    middle = left + box["width"] / 2
    page.mouse.move(left + 2, top + 2)
    page.mouse.down()
    corners = [(middle, top + 2), (middle, bottom - 2), (left + 2, bottom - 2)]
    for x, y in corners:
        page.mouse.move(x, y, steps=5)
    page.mouse.up()
    assert right > middle
    page.wait_for_selector(".floating select")
    page.select_option("select[aria-label^='Assign']", "new")
    it.wait_for_step(1)
    labels = it.labels()
    assert len(np.unique(labels)) >= 3
    assert 3 in labels
    said = it.server.work(it.work)["step"]["constraints"]["labels"]
    assert all(labels[row] == cluster for row, cluster in said)


def test_doubtful_pairs_with_the_keyboard_alone(visit):
    it = visit().open("iris", 3)
    page = it.page
    page.focus("#tab-doubt")
    page.keyboard.press("Enter")
    page.wait_for_selector("#yes")
    page.keyboard.press("y")
    it.wait_for_step(1)
    page.wait_for_selector("text=1 answered")
    page.keyboard.press("n")
    it.wait_for_step(2)
    page.wait_for_selector("text=2 answered")
    before = page.locator(".pair").inner_text()
    page.keyboard.press("s")
    end = time.monotonic() + 60
    while page.locator(".pair").inner_text() == before:
        assert time.monotonic() < end
        time.sleep(0.05)
    page.keyboard.press("Control+z")
    it.wait_for_step(1)
    constraints = it.server.work(it.work)["step"]["constraints"]
    assert len(constraints["together"]) == 1


def test_a_second_tab_follows(visit):
    it = visit().open("iris", 3)
    second = it.context.new_page()
    second.goto(it.page.url)
    second.wait_for_selector("article.cluster")
    it.page.click("article.cluster >> nth=0 >> text=Split")
    it.wait_for_step(1)
    second.wait_for_selector("article.cluster >> nth=3")
    assert second.locator("article.cluster").count() == 4
    it.page.click("button[aria-label=Undo]")
    it.wait_for_step(0)
    second.wait_for_selector("article.cluster >> nth=3", state="detached")
    assert second.locator("article.cluster").count() == 3
