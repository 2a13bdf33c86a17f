"""A running server, and a client of it."""

import asyncio
import json
import socket
import threading
import time

import pytest

pytest.importorskip("fastapi", reason="needs the extra app")
httpx = pytest.importorskip("httpx")
import uvicorn  # noqa: E402
from tests.app.browser import CHROMIUM, DESKTOP, SOFTWARE, Visit  # noqa: E402

from maxmargin.app.security import allowed_hosts  # noqa: E402
from maxmargin.app.server import free_port, make_app  # noqa: E402

# What starts a server, with its processes of work, or Chromium.
SHARED = {"server", "running", "guarded", "browser"}


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items):
    """Keep what uses a server or the browser in one of the processes of xdist.

    Each would start its own ones, and compile the loops at the same time as the others.
    """
    for item in items:
        if SHARED & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("server"))


class Running:
    """A server in a thread."""

    def __init__(self, folder, token=None):
        self.listener = free_port("127.0.0.1", 0)
        self.port = self.listener.getsockname()[1]
        self.folder = folder
        self.works = None
        guard = make_app(
            folder, allowed_hosts("127.0.0.1", self.port), token, self._started
        )
        config = uvicorn.Config(
            guard, log_level="warning", access_log=False, timeout_graceful_shutdown=1
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.listener]}
        )
        self.thread.start()
        end = time.monotonic() + 60
        while not self.server.started and time.monotonic() < end:
            time.sleep(0.02)
        self.url = f"http://127.0.0.1:{self.port}"
        self.client = httpx.Client(base_url=self.url, timeout=120)

    async def _started(self, works):
        self.works = works
        self.loop = asyncio.get_running_loop()

    @property
    def workers(self):
        """The processes that work for the server."""
        return list(self.works.jobs.workers)

    def stop(self):
        self.client.close()
        self.server.should_exit = True
        self.thread.join(30)
        self.listener.close()

    def wait(self, job):
        """Wait for the end of a job and return it."""
        if isinstance(job, httpx.Response):
            assert job.status_code == 202, job.text
            job = job.json()
        end = time.monotonic() + 100
        while job["state"] in ("waiting", "running") and time.monotonic() < end:
            time.sleep(0.02)
            job = self.client.get(f"/api/jobs/{job['id']}").json()
        return job

    def upload(self, name, content):
        files = {"file": (name, content)}
        return self.client.post("/api/datasets", files=files)

    def builtin(self, name):
        answer = self.client.post("/api/datasets/builtin", json={"name": name})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def start(self, dataset, **settings):
        settings = {"kind": "table", **settings}
        return self.client.post(f"/api/datasets/{dataset}/works", json=settings)

    def fit(self, dataset, **settings):
        """Fit a data set and return the work."""
        job = self.wait(self.start(dataset, **settings))
        assert job["state"] == "done", job
        return self.work(job["work"])

    def work(self, number):
        return self.client.get(f"/api/works/{number}").json()

    def correct(self, work, **action):
        answer = self.client.post(f"/api/works/{work}/corrections", json=action)
        job = self.wait(answer)
        assert job["state"] == "done", job
        return self.work(work)

    def labels(self, work):
        import numpy as np

        content = self.client.get(f"/api/works/{work}/labels").content
        return np.frombuffer(content, "<i4", count=len(content) // 5)

    def events(self, job):
        """Yield the events of a job."""
        with self.client.stream("GET", f"/api/jobs/{job}/events") as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    yield json.loads(line[6:])


# One for all tests of a process: a worker of a new server takes five seconds to start.
@pytest.fixture(scope="session")
def server(tmp_path_factory):
    running = Running(tmp_path_factory.mktemp("work"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def iris(server):
    """The id of the iris data set."""
    return server.builtin("iris")


def raw_request(port, text):
    """Send a request as it is and return the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(text.encode())
        return connection.recv(65536).decode()


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as tool:
        found = tool.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", *SOFTWARE]
        )
        yield found
        found.close()


@pytest.fixture
def visit(browser, server):
    visits = []

    def start(size=DESKTOP, **options):
        visits.append(Visit(browser, server, size, **options))
        return visits[-1]

    yield start
    for one in visits:
        one.close()
