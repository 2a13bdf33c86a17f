"""The page in a real browser, Chromium of the system: ``pytest -m browser``."""

import re
import shutil
import time

import numpy as np
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
# WebGL by the processor. The page around it is drawn without it, ten times as fast.
SOFTWARE = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SOFTWARE += ["--disable-gpu-rasterization", "--disable-gpu-compositing"]
SLOW = 60_000  # milliseconds, on a busy machine
IN_A_BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]
sizes = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])


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


def large_table(n_rows, seed=0):
    """Return the text of a table of four groups."""
    random = np.random.RandomState(seed)
    rows = random.randn(n_rows, 8) + 6 * random.randint(0, 4, n_rows)[:, None]
    text = "\n".join(",".join(f"{v:.3f}" for v in row) for row in rows)
    return ",".join(f"x{j}" for j in range(8)) + "\n" + text
