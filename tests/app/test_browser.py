"""The page in a real browser, Chromium of the system: ``pytest -m browser``."""

import re
import shutil
import time
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.app.conftest import Running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SLOW = 60_000  # milliseconds, on a busy machine


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    server = Running(tmp_path_factory.mktemp("pages"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as tool:
        found = tool.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", *SOFTWARE]
        )
        yield found
        found.close()


class Visit:
    """A page with what it wrote to the console and asked other hosts for."""

    def __init__(self, browser, server, size, path="/", **options):
        self.context = browser.new_context(
            viewport=size, accept_downloads=True, **options
        )
        self.context.set_default_timeout(SLOW)
        self.page = self.context.new_page()
        self.server = server
        self.errors, self.requests, self.bytes = [], [], 0
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._console)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(server.url + path)
        self.page.wait_for_selector("[data-builtin=iris]")

    def _console(self, message):
        if message.type in ("error", "warning"):
            text = message.text
            if "GL Driver Message" not in text and "swiftshader" not in text.lower():
                self.errors.append(text)

    def open(self, name, clusters=None):
        """Load a built-in set and cluster it."""
        self.page.click(f"[data-builtin={name}]")
        self.page.wait_for_selector("#run")
        if clusters is not None:
            self.page.fill("#clusters", str(clusters))
            self.page.press("#clusters", "Tab")
        self.page.click("#run")
        self.page.wait_for_selector("[id=tab-history], [id=tab-time]")
        self.idle()
        return self

    def idle(self):
        """Wait until no fit is running."""
        self.page.wait_for_selector(".progress", state="hidden")

    @property
    def work(self):
        return re.search("work=([0-9a-f]{12})", self.page.url)[1]

    def tab(self, name):
        self.page.click(f"#tab-{name}")

    def labels(self):
        return self.server.labels(self.work)

    def wait_for_step(self, number):
        end = time.monotonic() + 60
        while self.server.work(self.work)["position"] != number:
            assert time.monotonic() < end, "the step did not come"
            time.sleep(0.05)
        self.idle()

    def until(self, expression):
        """Wait until an expression is true; the policy of the page allows no eval."""
        end = time.monotonic() + 60
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.05)

    def close(self):
        assert self.errors == []
        own = self.server.url
        strangers = [
            url for url in self.requests if not url.startswith((own, "blob:", "data:"))
        ]
        assert strangers == []
        self.context.close()


@pytest.fixture
def visit(browser, running):
    visits = []

    def start(size=DESKTOP, **options):
        visits.append(Visit(browser, running, size, **options))
        return visits[-1]

    yield start
    for one in visits:
        one.close()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
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
    page.click("article.cluster >> nth=0 >> text=Split")
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


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_time_plays_and_shows_the_way_of_an_object(visit, size):
    it = visit(size).open("drift")
    page = it.page
    page.wait_for_selector(".timeline")
    page.click("#play")
    page.wait_for_selector("text=❚❚ Pause")
    it.until("document.querySelector('input[type=range]').value !== '0'")
    page.click("#play")
    page.select_option("select[aria-label=Object]", "3")
    assert page.locator("ol.steps li").count() == 9


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_strokes_on_an_image(visit, size, tmp_path):
    it = visit(size)
    page = it.page
    page.click("[data-builtin=flower]")
    page.wait_for_selector("text=foreground.png")
    box = page.locator(".paint canvas").bounding_box()

    def stroke(x0, y0, x1, y1):
        page.mouse.move(box["x"] + x0 * box["width"], box["y"] + y0 * box["height"])
        page.mouse.down()
        page.mouse.move(
            box["x"] + x1 * box["width"], box["y"] + y1 * box["height"], steps=4
        )
        page.mouse.up()

    stroke(0.48, 0.45, 0.56, 0.55)
    page.click("button[aria-label='Paint segment 2']")
    stroke(0.03, 0.05, 0.06, 0.9)
    it.wait_for_step(1)
    page.wait_for_selector("text=↓ foreground.png")
    with page.expect_download() as download:
        page.click("text=foreground.png")
    assert Path(download.value.path()).read_bytes()[:4] == b"\x89PNG"
    page.click("button[aria-label=Undo]")
    it.wait_for_step(0)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
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


def test_strokes_that_are_painted_during_the_first_segmentation_are_kept(visit):
    it = visit()
    page = it.page
    held = []  # the end of the first segmentation is told when the strokes are painted
    page.route("**/api/jobs/*/events", lambda route: held.append(route))
    with page.expect_request("**/api/jobs/*/events"):
        page.click("[data-builtin=flower]")
    box = page.locator(".paint canvas").bounding_box()
    for segment, x in ((1, 0.5), (2, 0.05)):
        page.click(f"button[aria-label^='Paint segment {segment}']")
        page.mouse.move(box["x"] + x * box["width"], box["y"] + 0.4 * box["height"])
        page.mouse.down()
        page.mouse.move(
            box["x"] + x * box["width"], box["y"] + 0.6 * box["height"], steps=4
        )
        page.mouse.up()
    held[0].continue_()
    page.unroute("**/api/jobs/*/events")
    it.until("location.hash.startsWith('#work=')")
    it.wait_for_step(1)
    strokes = it.server.work(it.work)["step"]["strokes"]
    assert [stroke["segment"] for stroke in strokes] == [1, 2]


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
    page.click("[aria-label^='Select rows from'] >> nth=0")
    page.wait_for_selector(".floating select")
    page.click("text=Close")
    it.until("document.querySelectorAll('canvas.points').length === 1")


def large_table(n_rows, seed=0):
    random = np.random.RandomState(seed)
    rows = random.randn(n_rows, 8) + 6 * random.randint(0, 4, n_rows)[:, None]
    text = "\n".join(",".join(f"{v:.3f}" for v in row) for row in rows)
    return ",".join(f"x{j}" for j in range(8)) + "\n" + text


def test_cancel_and_reload_in_the_middle_of_a_run(visit, running):
    dataset = running.upload("large.csv", large_table(20_000)).json()["id"]
    it = visit()
    page = it.page
    page.goto(f"{running.url}/#dataset={dataset}")
    page.wait_for_selector("#run")
    page.click("#run")
    page.wait_for_selector("text=Cancel")
    it.until("location.hash.startsWith('#work=')")
    page.reload()
    page.wait_for_selector("text=Cancel")  # the run goes on
    page.click("text=Cancel")
    page.wait_for_selector("text=The run was cancelled.")
    it.idle()
    page.wait_for_selector("#run:not([disabled])")
    assert page.locator("article.cluster").count() == 0


def test_upload_and_names_with_html_show_as_text(visit, tmp_path):
    it = visit()
    page = it.page
    evil = "<img src=x onerror=alert(1)>"
    random = np.random.RandomState(0)
    lines = [f'"{evil}",y,<b>name</b>']
    for i in range(60):
        x, y = random.randn(2) + 6 * (i % 2)
        lines.append(f"{x:.3f},{y:.3f},<script>alert({i % 5})</script>")
    path = tmp_path / "<i>evil.csv"
    path.write_text("\n".join(lines))
    page.set_input_files("#file", path)
    page.wait_for_selector("#run")
    assert page.locator("#title").inner_text() == "<i>evil.csv"
    page.fill("#clusters", "2")
    page.press("#clusters", "Tab")
    page.click("#run")
    page.wait_for_selector("article.cluster")
    page.fill("article.cluster >> nth=0 >> input.name", evil)
    page.press("article.cluster >> nth=0 >> input.name", "Tab")
    it.wait_for_step(1)
    it.tab("doubt")
    page.wait_for_selector(".card >> text=/together|left/")
    it.tab("history")
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("main script").count() == 0


def test_the_work_is_offered_again(visit):
    it = visit().open("wine", 3)
    work = it.work
    it.page.goto(it.server.url)
    it.page.wait_for_selector("text=Your work")
    it.page.goto(f"{it.server.url}/#work={work}")
    it.page.wait_for_selector("article.cluster")
    assert it.page.locator("article.cluster").count() == 3


def test_first_paint_is_small(visit):
    it = visit()
    sizes = it.page.evaluate(
        "performance.getEntries().filter(e => e.transferSize !== undefined)"
        ".reduce((sum, e) => sum + e.transferSize, 0)"
    )
    assert 0 < sizes < 150_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
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


@pytest.mark.parametrize("kind", ["webgl", "canvas"])
def test_both_kinds_of_drawing(browser, running, kind):
    it = Visit(browser, running, DESKTOP, path=f"/?points={kind}")
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
