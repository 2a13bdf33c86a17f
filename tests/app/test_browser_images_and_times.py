"""Images and snapshots over time in a real browser."""

from pathlib import Path

from tests.app.browser import IN_A_BROWSER, sizes

pytestmark = IN_A_BROWSER


@sizes
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


@sizes
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
