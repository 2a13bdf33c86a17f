"""Jobs: tasks in processes of their own, with progress and cancellation.

A few worker processes are kept, with everything loaded and compiled. A job has one of
them for itself; it waits if all are busy. To cancel a job its process is killed. A job
with followers of its events is cancelled when the last of them has left, after a short
time in which a page may be loaded again.
"""

import asyncio
import contextlib
import json
import os
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

from maxmargin.app.failures import reason_of
from maxmargin.app.limits import MAX_JOBS
from maxmargin.app.store import Missing
from maxmargin.compiled import COMPILING

GRACE = 1.2  # seconds until a job whose followers have left is cancelled
# Of a job, from which the time that is left can be told.
LEAST_SHARE, LEAST_SECONDS = 0.04, 1.0
KEPT = 600.0  # seconds for which the end of a job is remembered
MAX_KEPT = 500  # ended jobs that are remembered
LINE_LIMIT = 64_000_000  # bytes of an event

ENDS = ("done", "failed", "cancelled")


class JobError(ValueError):
    """A job that failed or was cancelled."""


class Busy(RuntimeError):
    """There are too many jobs."""


@dataclass(eq=False)
class Worker:
    """A process, and the work whose data it has in memory."""

    process: asyncio.subprocess.Process
    key: str = ""
    killed: bool = False

    @property
    def alive(self) -> bool:
        """Return True if the process runs."""
        return not self.killed and self.process.returncode is None

    def kill(self) -> None:
        """End the process."""
        self.killed = True
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


@dataclass(eq=False)
class Job:
    """A task and what is known of it."""

    id: str
    name: str
    work: str
    state: str = "waiting"  # then "running", and one of ENDS
    share: float = 0.0  # as far as is known now
    largest: float = 0.0  # of the shares, which the page shows
    stage: str = ""
    objective: float | None = None
    reason: str = ""
    result: Any = None
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    delay: float = 0.0  # seconds in which it waited, or code was compiled
    heard: float = 0.0  # when it last reported progress
    followers: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    worker: Worker | None = None
    on_done: Callable[[Any], None] | None = None
    files: Mapping[str, str] = field(default_factory=dict)  # their names, by path
    task: "asyncio.Task[None] | None" = None
    reads: bool = False  # its caller waits for it, and the work stays as it is

    @property
    def over(self) -> bool:
        """Return True if the job has ended."""
        return self.state in ENDS

    def show(self) -> dict[str, Any]:
        """Return what a client is told."""
        seconds = (self.ended or time.monotonic()) - self.started
        left, worked = None, seconds - self.delay
        known = LEAST_SHARE < self.share < 1 and worked >= LEAST_SECONDS
        if self.state == "running" and known and self.stage != COMPILING:
            left = round(worked * (1 - self.share) / self.share, 1)
        return {
            "id": self.id,
            "name": self.name,
            "work": self.work,
            "state": self.state,
            "share": round(max(self.largest, self.share), 3),
            "stage": self.stage,
            "objective": self.objective,
            "seconds": round(seconds, 2),
            "seconds_left": left,
            "reason": self.reason,
        }

    def notify(self) -> None:
        """Wake those who wait for a change."""
        self.changed.set()
        self.changed = asyncio.Event()


class Jobs:
    """The jobs of the server and the processes that work for them."""

    def __init__(self, n_workers: int | None = None) -> None:
        self.n_workers = n_workers or min(4, max(2, os.cpu_count() or 2))
        self.jobs: dict[str, Job] = {}
        self.idle: list[Worker] = []
        self.workers: set[Worker] = set()
        self.free = asyncio.Semaphore(self.n_workers)
        self.background: set[asyncio.Task[Any]] = set()
        self.on_cancel: Callable[[Job], None] = lambda job: None

    async def start(self) -> None:
        """Start a first process, so that the first job need not wait for it."""
        self.idle.append(await self._new_worker())

    async def close(self) -> None:
        """End all jobs and processes."""
        for job in list(self.jobs.values()):
            self.cancel(job)
        for worker in list(self.workers):
            worker.kill()
        for worker in list(self.workers):
            await worker.process.wait()
        for task in list(self.background):
            task.cancel()

    def submit(
        self,
        name: str,
        arguments: dict[str, Any],
        work: str = "",
        on_done: Callable[[Any], None] | None = None,
        files: Mapping[str, str] | None = None,
    ) -> Job:
        """Start a task; ``on_done`` is called with its result.

        ``files`` are the names by which the user knows files of the server, by path.
        """
        self._forget()
        if sum(not job.over for job in self.jobs.values()) >= MAX_JOBS:
            raise Busy("The app has too much to do: wait until a run has ended.")
        job = Job(secrets.token_hex(6), name, work, on_done=on_done, files=files or {})
        self.jobs[job.id] = job
        job.task = self._keep(self._run(job, arguments))
        return job

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        work: str = "",
        files: Mapping[str, str] | None = None,
    ) -> Any:
        """Run a task and return its result; it is cancelled with its caller."""
        job = self.submit(name, arguments, work, files=files)
        job.reads = True
        try:
            while not job.over:
                await job.changed.wait()
        finally:
            self.cancel(job)
        if job.state != "done":
            raise JobError(job.reason or "The task was cancelled.")
        result, job.result = job.result, None
        return result

    def get(self, number: str) -> Job:
        """Return a job; raise `Missing` if there is none."""
        if number not in self.jobs:
            raise Missing("There is no such job: it may have ended long ago.")
        return self.jobs[number]

    def of_work(self, work: str) -> Job | None:
        """Return the job that is about to change a work, None for none."""
        running = [j for j in self._running(work) if not j.reads]
        return running[-1] if running else None

    def cancel_all(self, work: str) -> None:
        """End all jobs of a work."""
        for job in self._running(work):
            self.cancel(job)

    def _running(self, work: str) -> list[Job]:
        return [j for j in self.jobs.values() if j.work == work and not j.over]

    def cancel(self, job: Job) -> None:
        """End a job, and its process with it."""
        if job.over:
            return
        job.reason = "The run was cancelled."
        if job.worker is not None:
            job.worker.kill()
        self._end(job, "cancelled")
        if job.task is not None:
            job.task.cancel()

    async def follow(self, job: Job) -> AsyncIterator[dict[str, Any]]:
        """Yield what is known of a job whenever it changes, until it has ended."""
        job.followers += 1
        try:
            while True:
                changed, over = job.changed, job.over  # it may end while it is shown
                yield job.show()
                if over:
                    return
                await changed.wait()
        finally:
            job.followers -= 1
            if not job.over and job.followers == 0:
                self._keep(self._cancel_if_left(job))

    def _keep(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Run something in the background."""
        task = asyncio.get_running_loop().create_task(work)
        self.background.add(task)
        task.add_done_callback(self.background.discard)
        return task

    async def _clean(self, job: Job) -> None:
        """Remove what a job left, when its process has ended."""
        if job.worker is not None and job.worker.killed:
            await job.worker.process.wait()
        self.on_cancel(job)

    async def _cancel_if_left(self, job: Job) -> None:
        await asyncio.sleep(GRACE)
        if job.followers == 0:
            self.cancel(job)

    async def _run(self, job: Job, arguments: dict[str, Any]) -> None:
        async with self.free:
            if job.over:
                return
            worker = job.worker = await self._take_worker(job.work)
            if job.over:
                self._return_worker(worker)
                return
            job.state, job.delay = "running", time.monotonic() - job.started
            job.notify()
            try:
                await self._talk(job, worker, arguments)
            except asyncio.CancelledError:
                worker.kill()
                raise
            except (OSError, ValueError) as error:
                worker.kill()
                job.reason = f"The process of the run has ended: {reason_of(error)}"
                self._end(job, "failed")
            finally:
                self._return_worker(worker)

    async def _talk(self, job: Job, worker: Worker, arguments: dict[str, Any]) -> None:
        """Send a task to a process and follow its events."""
        task = {"name": job.name, "arguments": arguments}
        stdin, stdout = worker.process.stdin, worker.process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(json.dumps(task).encode() + b"\n")
        await stdin.drain()
        while not job.over:
            line = await stdout.readline()
            if not line:
                job.reason = (
                    "The process of the run has ended, perhaps for lack of memory: use "
                    "fewer rows or columns."
                )
                self._end(job, "failed")
                return
            self._take(job, json.loads(line))

    def _take(self, job: Job, event: dict[str, Any]) -> None:
        kind = event.pop("event")
        if kind == "progress":
            if job.stage == COMPILING:
                job.delay += time.monotonic() - job.heard
            job.heard = time.monotonic()
            job.largest = max(job.largest, job.share)
            job.share, job.stage = event["share"], event["stage"]
            job.notify()
        elif kind == "objective":
            job.objective = event["value"]
            job.notify()
        elif kind == "failed":
            job.reason = event["reason"]
            for path, known in job.files.items():
                job.reason = job.reason.replace(path, known)
            self._end(job, "failed")
        else:
            job.share = 1.0
            if job.on_done is None:
                job.result = event["result"]
            else:
                try:
                    job.on_done(event["result"])
                except OSError as error:
                    job.reason = reason_of(error)
                    self._end(job, "failed")
                    return
            self._end(job, "done")

    def _end(self, job: Job, state: str) -> None:
        job.state, job.ended = state, time.monotonic()
        job.on_done = None  # it holds the record of the work
        job.notify()
        if state != "done":
            self._keep(self._clean(job))

    async def _take_worker(self, key: str) -> Worker:
        """Return an idle process, if possible one that has the data in memory."""
        self.idle = [worker for worker in self.idle if worker.alive]
        same = [worker for worker in self.idle if worker.key == key]
        if self.idle:
            worker = (same or self.idle)[-1]
            self.idle.remove(worker)
        else:
            worker = await self._new_worker()
        worker.key = key
        return worker

    def _return_worker(self, worker: Worker) -> None:
        if worker.alive and worker not in self.idle:
            self.idle.append(worker)

    async def _new_worker(self) -> Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "maxmargin.app.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_LIMIT,
            start_new_session=True,  # Ctrl-C in the terminal ends the server alone
        )
        worker = Worker(process)
        self.workers.add(worker)
        ended = self._keep(process.wait())
        ended.add_done_callback(lambda _: self.workers.discard(worker))
        return worker

    def _forget(self) -> None:
        """Forget jobs that ended long ago."""
        before = time.monotonic() - KEPT
        ended = [job for job in self.jobs.values() if job.ended is not None]
        for number, job in enumerate(reversed(ended)):
            if number >= MAX_KEPT or (job.ended or 0.0) < before:
                del self.jobs[job.id]
