"""Jobs: many clients at once, clients that leave, and what the end leaves behind."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from maxmargin import MaxMarginClustering

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin.app.jobs import Job, Jobs


@pytest.fixture(scope="module")
def slow(server):
    """The id of a data set whose fit takes long."""
    random = np.random.RandomState(0)
    rows = "\n".join(
        ",".join(f"{v:.4f}" for v in row) for row in random.randn(30_000, 12)
    )
    header = ",".join(f"x{j}" for j in range(12))
    return server.upload("slow.csv", f"{header}\n{rows}").json()["id"]


def wait_for(condition, seconds):
    """Return True if a condition becomes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def is_running(pid):
    """Return True if a process runs and is not a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_ten_clients_get_their_own_answers(server):
    def one(number):
        random = np.random.RandomState(number)
        X = np.concatenate([random.randn(30, 2), random.randn(30 + number, 2) + 9])
        table = "a,b\n" + "\n".join(f"{a:.6f},{b:.6f}" for a, b in X)
        dataset = server.upload(f"t{number}.csv", table).json()["id"]
        work = server.fit(dataset, clusters=2, scale="off")["id"]
        return X, server.labels(work)

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(one, range(10)))
    for X, labels in answers:
        rounded = np.round(X, 6)
        model = MaxMarginClustering(2, scale=False, random_state=0).fit(rounded)
        np.testing.assert_array_equal(labels, model.labels_)


def test_cancel_ends_the_process(server, slow):
    job = server.start(slow, clusters="auto").json()
    found = server.works.jobs.get(job["id"])
    assert wait_for(lambda: found.worker is not None, 60)
    pid = found.worker.process.pid
    assert server.client.delete(f"/api/jobs/{job['id']}").status_code == 204
    assert wait_for(lambda: not is_running(pid), 2)
    assert server.client.get(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    path = f"/api/works/{job['work']}"
    assert wait_for(lambda: server.client.get(path).status_code == 404, 2)


def test_a_client_that_leaves_ends_its_work_within_two_seconds(server, slow):
    job = server.start(slow, clusters="auto").json()
    found = server.works.jobs.get(job["id"])
    with httpx.Client(base_url=server.url, timeout=60) as client:
        with client.stream("GET", f"/api/jobs/{job['id']}/events") as answer:
            next(answer.iter_lines())
            assert wait_for(lambda: found.worker is not None, 60)
            pid = found.worker.process.pid
    begin = time.monotonic()
    assert wait_for(lambda: not is_running(pid), 5)
    assert time.monotonic() - begin < 2.0
    assert found.state == "cancelled"


def test_a_page_that_comes_back_finds_its_run(server, slow):
    job = server.start(slow, clusters="auto").json()
    for _ in range(2):
        with server.client.stream("GET", f"/api/jobs/{job['id']}/events") as answer:
            next(answer.iter_lines())
        time.sleep(0.3)  # the page is loaded again
    assert server.work(job["work"])["job"]["state"] in ("waiting", "running")
    server.client.delete(f"/api/jobs/{job['id']}")


def test_a_second_correction_has_to_wait(server, slow):
    dataset = server.builtin("iris")
    work = server.fit(dataset, clusters=3, label="class")["id"]
    path = f"/api/works/{work}/corrections"
    first = server.client.post(path, json={"kind": "split", "cluster": 0})
    second = server.client.post(path, json={"kind": "split", "cluster": 1})
    assert second.status_code in (409, 202)
    assert server.wait(first)["state"] == "done"


def test_a_question_about_a_work_does_not_keep_it_from_a_correction(server):
    dataset = server.builtin("iris")
    number = server.fit(dataset, clusters=3, label="class")["id"]
    jobs = server.works.jobs
    jobs.jobs["asked"] = asked = Job("asked", "reasons", number, reads=True)
    try:
        assert server.work(number)["job"] is None
        path = f"/api/works/{number}/corrections"
        answer = server.client.post(path, json={"kind": "split", "cluster": 0})
        assert server.wait(answer)["state"] == "done"
        assert not asked.over
        server.client.delete(f"/api/works/{number}")
        assert asked.state == "cancelled"
    finally:
        jobs.jobs.pop("asked", None)


def test_the_end_is_told_to_who_was_slow():
    async def follow():
        jobs, job = Jobs(1), Job("a", "fit", "work", state="running")
        states = []
        async for shown in jobs.follow(job):
            states.append(shown["state"])
            if len(states) == 1:
                jobs._end(job, "done")  # before the next event is asked for
        return states

    assert asyncio.run(follow()) == ["running", "done"]


def test_a_process_that_dies_is_an_error_and_is_replaced(server, slow):
    job = server.start(slow, clusters="auto").json()
    found = server.works.jobs.get(job["id"])
    assert wait_for(lambda: found.worker is not None, 60)
    os.kill(found.worker.process.pid, signal.SIGKILL)
    assert wait_for(lambda: found.over, 5)
    assert "process of the run has ended" in found.reason
    assert server.fit(server.builtin("iris"), clusters=2, label="class")["step"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_corrections(server):
    work = server.fit(server.builtin("iris"), clusters=3, label="class")["id"]
    begin = memory_of_this_process()
    for number in range(60):
        server.correct(work, kind="rename", cluster=0, name=f"name {number}")
    assert memory_of_this_process() - begin < 15e6
    assert server.work(work)["step"]["clusters"][0]["name"] == "name 59"
    about = server.folder / "works" / work / "about.json"
    assert about.stat().st_size < 60 * 200
    assert all(job.on_done is job.result is None for job in ended_jobs(server))


def memory_of_this_process():
    """Return the bytes that the process has in memory; the server is a thread."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def ended_jobs(server):
    return [job for job in server.works.jobs.jobs.values() if job.over]


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_app_leaves_nothing_behind(tmp_path, sign):
    words = ["app", "--no-browser", "--folder", str(tmp_path / "work")]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-m", "maxmargin", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    with process:
        check_end(process, sign, tmp_path)


def check_end(process, sign, tmp_path):
    address = process.stdout.readline().split()[-1]
    with httpx.Client(base_url=address, timeout=60) as client:
        answer = client.post("/api/datasets/builtin", json={"name": "digits"})
        dataset = answer.json()["id"]
        path = f"/api/datasets/{dataset}/works"
        client.post(path, json={"kind": "table", "clusters": "auto"})
        time.sleep(0.5)
    children = subprocess.run(
        ["pgrep", "-P", str(process.pid)], capture_output=True, text=True
    ).stdout.split()
    assert children
    process.send_signal(sign)
    process.wait(20)
    assert wait_for(lambda: not any(is_running(pid) for pid in children), 10)
    assert [path.name for path in tmp_path.iterdir()] == ["work"]
    if sign != signal.SIGKILL:
        assert not list(tmp_path.rglob(".maxmargin-*"))
        assert "Traceback" not in process.stderr.read()
