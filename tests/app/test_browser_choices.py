"""Levels, labellings and comparisons in a real browser."""

import re
from io import BytesIO

import numpy as np
from PIL import Image
from tests.app.browser import IN_A_BROWSER, sizes

pytestmark = IN_A_BROWSER


@sizes
def test_the_number_and_the_levels_with_the_keyboard(visit, size):
    it = visit(size).open("iris", "auto")
    page = it.page
    start = it.labels()
    page.focus("#tab-number")
    page.keyboard.press("Enter")
    page.wait_for_selector("svg.scores")
    assert "Best: 2." in page.locator(".panel").inner_text()
    assert page.locator("#use-level").is_disabled()
    before = page.locator("canvas.points").screenshot()
    page.focus(".level input[type=range]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".level >> text=3 clusters")
    page.wait_for_selector("text=/Not taken yet: it splits . into 2/")
    page.wait_for_timeout(300)
    assert page.locator("canvas.points").screenshot() != before  # at once
    np.testing.assert_array_equal(it.labels(), start)
    page.keyboard.press("Escape")
    page.wait_for_selector(".level >> text=2 clusters")
    page.focus(".level input[type=range]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".level >> text=3 clusters")
    page.focus("#use-level")
    page.keyboard.press("Enter")
    it.wait_for_step(1)
    assert len(np.unique(it.labels())) == 3
    page.keyboard.press("Control+z")
    it.wait_for_step(0)
    np.testing.assert_array_equal(it.labels(), start)


def test_small_maps_of_levels_and_scores_on_demand(visit):
    it = visit().open("digits", 10)
    page = it.page
    assert page.locator("article.cluster .pictures img").count() == 40
    it.tab("number")
    page.click("text=Score the numbers")
    page.wait_for_selector("svg.scores")
    it.idle()
    maps = page.locator(".levels button")
    assert maps.count() > 1
    maps.last.click()
    page.wait_for_selector(".levels button:last-child[aria-pressed=true]")
    it.tab("clusters")  # which are those of the work, whatever was tried
    assert page.locator("article.cluster").count() == 10


def test_compare_two_methods_side_by_side(visit):
    it = visit().open("iris", 3)
    page = it.page
    it.tab("compare")
    page.click("text=Run and compare")
    page.wait_for_selector("text=/Agreement [01]/")
    assert page.locator("canvas.points").count() == 2
    # Matched clusters have the same colours on both maps: nearly all are the same.
    shots = [
        Image.open(BytesIO(canvas.screenshot())).convert("RGB")
        for canvas in page.locator("canvas.points").all()
    ]
    hues = [
        {color for n, color in shot.getcolors(1 << 24) if n > 60 and max(color) > 60}
        for shot in shots
    ]
    strong = [{c for c in found if max(c) - min(c) > 90} for found in hues]
    assert strong[0] and strong[0] & strong[1]
    page.wait_for_selector("text=Where rows differ")
    # It says why one may be better, by figures of both, and what the rows look like.
    page.wait_for_selector("#verdict")
    assert "rows" in page.locator("#verdict").inner_text()
    figures = page.locator("[aria-label='Which is better?'] td.n").all_inner_texts()
    assert re.fullmatch(r"[\d.]+%", figures[0]) and len(figures) == 6
    first = page.locator("article.flow").first.inner_text()
    assert "Of their nearest rows" in first and "these rows" in first
    assert re.search(r"(sepal|petal)_(length|width)", first)
    # The rows that differ are shown on both maps, all others are pale.
    before = [canvas.screenshot() for canvas in page.locator("canvas.points").all()]
    page.focus("[aria-label^='Select rows from'] >> nth=0")
    page.keyboard.press("Enter")
    page.wait_for_selector(".floating select")
    page.wait_for_timeout(300)
    after = [canvas.screenshot() for canvas in page.locator("canvas.points").all()]
    assert all(old != new for old, new in zip(before, after, strict=True))
    # A correction changes what is compared.
    page.select_option("select[aria-label^='Assign']", "new")
    it.wait_for_step(1)
    it.until("document.querySelector('.panel').innerText.includes('3 here')")
    page.wait_for_selector("#verdict")
    page.click("text=Close")
    it.until("document.querySelectorAll('canvas.points').length === 1")


@sizes
def test_answers_choose_a_labelling_with_the_keyboard(visit, size):
    it = visit(size).open("wine", 3)
    page = it.page
    start = it.labels()
    page.focus("#tab-number")
    page.keyboard.press("Enter")
    page.wait_for_selector("#find-others")
    page.focus("#find-others")
    page.keyboard.press("Enter")
    page.wait_for_selector("#yes")
    it.idle()
    maps = page.locator("[data-key^=choice]")
    assert maps.count() > 1
    assert "rows differ" in maps.nth(1).inner_text()
    assert re.search(r"by \w+", maps.first.inner_text())  # the columns that separate
    page.keyboard.press("n")
    page.wait_for_selector("text=/agrees with [01] of 1 answers/")
    page.wait_for_selector("#yes")
    page.keyboard.press("s")  # a skipped question does not count
    page.wait_for_selector("text=/of 1 answers/")
    maps.nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-key='choice 1'][aria-pressed=true]")
    np.testing.assert_array_equal(it.labels(), start)  # it is only tried
    page.focus("#use-level")
    page.keyboard.press("Enter")
    it.wait_for_step(1)
    step = it.server.work(it.work)["step"]
    assert step["action"]["kind"] == "choose"
    assert len(step["constraints"]["apart"]) == 1
    first, second = step["constraints"]["apart"][0]
    assert it.labels()[first] != it.labels()[second]
    page.keyboard.press("Control+z")
    it.wait_for_step(0)
    np.testing.assert_array_equal(it.labels(), start)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size["width"]
