"""Requests that fail: a full disk, too many jobs, and what the user reads."""

import errno
import os

import pytest

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin.app import jobs, store
from maxmargin.app.failures import reason_of


@pytest.fixture
def work(server, iris):
    number = server.fit(iris, clusters=3, label="class")["id"]
    server.correct(number, kind="split", cluster=0)
    return number


@pytest.fixture
def full_disk(monkeypatch):
    """Let the server write nothing."""

    def fail(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    def start():
        monkeypatch.setattr(store, "atomic_write", fail)

    return start


def test_fits_that_are_refused_are_not_listed(server, iris, monkeypatch):
    before = server.client.get("/api/works").json()
    monkeypatch.setattr(jobs, "MAX_JOBS", 0)
    for _ in range(3):
        assert server.start(iris, clusters=3).status_code == 503
    assert server.client.get("/api/works").json() == before
    assert not list((server.folder / "works").glob(".maxmargin-*"))


@pytest.mark.parametrize("path", ["undo", "start", "upload", "builtin"])
def test_a_full_disk_is_named(server, iris, work, full_disk, path):
    listed = server.client.get("/api/works").json()
    full_disk()
    if path == "undo":
        answer = server.client.post(f"/api/works/{work}/undo")
    elif path == "start":
        answer = server.start(iris, clusters=3)
    elif path == "upload":
        answer = server.upload("a.csv", "x,y\n" + "1,2\n3,5\n" * 20)
    else:
        answer = server.client.post("/api/datasets/builtin", json={"name": "iris"})
    assert answer.status_code == 507
    assert answer.json()["detail"].startswith("The disk of the app is full")
    assert server.client.get("/api/works").json() == listed
    assert not list(server.folder.rglob(".maxmargin-*"))


def test_a_correction_on_a_full_disk_changes_nothing(server, work, full_disk):
    before = server.work(work)
    full_disk()
    action = {"kind": "split", "cluster": 1}
    job = server.wait(server.client.post(f"/api/works/{work}/corrections", json=action))
    assert job["state"] == "failed"
    assert job["reason"].startswith("The disk of the app is full")
    after = server.work(work)
    assert (after["position"], after["step"]) == (before["position"], before["step"])


def test_errors_of_jobs_name_the_file_of_the_user(server, iris):
    job = server.wait(server.start(iris, clusters=3, features=["colour"]))
    assert job["state"] == "failed"
    assert job["reason"].startswith("iris.csv has no column 'colour'")
    dataset = server.builtin("iris")
    (server.folder / "datasets" / dataset / "data.csv").unlink()
    job = server.wait(server.start(dataset, clusters=3))
    assert job["state"] == "failed"
    assert str(server.folder) not in job["reason"]
    assert "No such file" in job["reason"]


def test_errors_of_the_system_have_no_path():
    error = PermissionError(errno.EACCES, "Permission denied", "/home/me/secret")
    assert reason_of(error) == (
        "The app cannot use a file in its folder (Permission denied): see that it can "
        "read and write there."
    )
    assert reason_of(ValueError("two\n lines")) == "two lines"
    assert reason_of(ValueError()) == "ValueError"
