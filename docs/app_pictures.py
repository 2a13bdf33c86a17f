"""Take the pictures of the guide's page about the app, with Chromium of the system.

``python docs/app_pictures.py`` writes them to ``docs/images``.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
DESKTOP, PHONE = {"width": 1200, "height": 720}, {"width": 390, "height": 780}


def idle(page):
    """Wait until no fit is running."""
    page.wait_for_timeout(400)
    page.wait_for_selector(".progress", state="hidden")
    page.wait_for_timeout(400)


def take(browser, url):
    """Take all pictures."""
    page = browser.new_page(viewport=DESKTOP)
    page.set_default_timeout(120_000)
    page.goto(url)
    page.click("[data-builtin=digits]")
    page.wait_for_selector("#run")
    page.fill("#clusters", "10")
    page.press("#clusters", "Tab")
    page.click("#run")
    page.wait_for_selector("article.cluster")
    idle(page)
    page.screenshot(path=IMAGES / "app_map.png")
    page.click("#tab-number")
    page.click("text=Score the numbers")
    page.wait_for_selector("svg.scores")
    idle(page)
    page.click("#find-others")
    page.wait_for_selector("#yes")
    idle(page)
    page.screenshot(path=IMAGES / "app_number.png")
    page.click("#tab-doubt")
    page.wait_for_selector("#yes")
    page.wait_for_timeout(500)
    page.screenshot(path=IMAGES / "app_pairs.png")
    page.click("#tab-compare")
    page.click("text=Run and compare")
    page.wait_for_selector("#verdict")
    idle(page)
    page.screenshot(path=IMAGES / "app_compare.png")
    page.goto(url)
    page.click("[data-builtin=drift]")
    page.wait_for_selector("#run")
    page.click("#run")
    page.wait_for_selector(".timeline")
    idle(page)
    page.screenshot(path=IMAGES / "app_time.png")
    page.goto(url)
    page.click("[data-builtin=flower]")
    page.wait_for_selector("text=foreground.png")
    box = page.locator(".paint canvas").bounding_box()
    strokes = [(1, 0.45, 0.4, 0.58, 0.55), (2, 0.04, 0.08, 0.12, 0.9)]
    for segment, *ends in strokes:
        page.click(f"button[aria-label^='Paint segment {segment}']")
        xs = [box["x"] + end * box["width"] for end in ends[::2]]
        ys = [box["y"] + end * box["height"] for end in ends[1::2]]
        page.mouse.move(xs[0], ys[0])
        page.mouse.down()
        page.mouse.move(xs[1], ys[1], steps=5)
        page.mouse.up()
    page.wait_for_timeout(1500)
    idle(page)
    page.screenshot(path=IMAGES / "app_image.png")
    phone = browser.new_page(viewport=PHONE, color_scheme="dark")
    phone.set_default_timeout(120_000)
    phone.goto(url)
    phone.click("text=digits.csv >> nth=1")  # nth=0 is k-means
    phone.wait_for_selector("article.cluster")
    idle(phone)
    phone.screenshot(path=IMAGES / "app_phone.png")


def main():
    """Start the app in a folder of its own, and take the pictures."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "maxmargin", "app", "--no-browser", "--folder", folder]
        command = [sys.executable, *words]
        app = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        url = app.stdout.readline().split()[-1]
        try:
            with sync_playwright() as tool:
                browser = tool.chromium.launch(
                    executable_path=shutil.which("chromium"),
                    args=["--no-sandbox", *SOFTWARE],
                )
                take(browser, url)
                browser.close()
        finally:
            app.terminate()
            app.wait(20)


if __name__ == "__main__":
    main()
