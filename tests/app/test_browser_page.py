"""The page as a whole in a real browser: size, contrast, drawing."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from tests.app.browser import DESKTOP, IN_A_BROWSER, Visit, sizes

pytestmark = IN_A_BROWSER


def test_first_paint_is_small(visit):
    it = visit()
    sizes = it.page.evaluate(
        "performance.getEntries().filter(e => e.transferSize !== undefined)"
        ".reduce((sum, e) => sum + e.transferSize, 0)"
    )
    assert 0 < sizes < 150_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@sizes
def test_contrast_and_labels(visit, scheme, size):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe")
    check = axe.Axe()
    it = visit(size, color_scheme=scheme)

    def clean():
        it.page.wait_for_timeout(200)
        found = check.run(it.page).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []

    clean()
    it.open("iris", 3)
    clean()
    for tab in ("setup", "number", "doubt", "history", "compare", "take"):
        it.tab(tab)
        it.page.wait_for_timeout(400)
        clean()
    it.tab("compare")
    it.page.click("text=Run and compare")
    it.page.wait_for_selector("#verdict")
    clean()
    it.tab("number")
    it.page.click("#find-others")
    it.page.wait_for_selector(".question h3")
    it.idle()
    clean()


@pytest.mark.parametrize("kind", ["webgl", "canvas"])
def test_both_kinds_of_drawing(browser, server, kind):
    it = Visit(browser, server, DESKTOP, path=f"/?points={kind}")
    it.open("iris", 3)
    shot = it.page.locator("canvas.points").screenshot()
    with Image.open(BytesIO(shot)) as image:
        pixels = np.asarray(image.convert("RGB")).astype(int)
    colorful = np.ptp(pixels, axis=2) > 60
    assert 150 < colorful.sum() < 0.2 * colorful.size
    it.close()


def test_the_api_page(visit):
    it = visit()
    it.page.goto(f"{it.server.url}/docs")
    it.page.wait_for_selector("code >> text=POST")
    assert it.page.locator("details").count() > 20
