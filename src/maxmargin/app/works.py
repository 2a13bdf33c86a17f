"""Works: a data set, settings, and the steps of the user, one after another.

The first step is a fit. Each correction adds a step after the present one. Undo and
redo move the position among the steps, which takes no time, since all are stored.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.app.alternatives import FILE as ALTERNATIVES
from maxmargin.app.alternatives import Alternatives
from maxmargin.app.clustering import Clustering
from maxmargin.app.comparison import Shared
from maxmargin.app.jobs import Job, Jobs
from maxmargin.app.limits import MAX_DATASETS, LimitError
from maxmargin.app.records import (
    StepRecord,
    StepSummary,
    WorkRecord,
    read_step,
    read_work,
)
from maxmargin.app.store import Missing, Store, read_arrays
from maxmargin.questions import Parts, Question

N_PAIRS = 20
PICTURES = ("segments", "foreground", "mask")  # of a step of an image


class Conflict(RuntimeError):
    """A request that does not fit to the present state of the work."""


class Works:
    """The data sets and works of a store, and the jobs that make them."""

    def __init__(self, store: Store, jobs: Jobs) -> None:
        self.store = store
        self.jobs = jobs
        jobs.on_cancel = self._clean

    def check_number(self) -> None:
        """Raise an error if there are too many data sets."""
        if len(self.store.list("datasets")) >= MAX_DATASETS:
            raise LimitError(
                f"There are {MAX_DATASETS} data sets: remove some on the first page."
            )

    async def add_dataset(
        self, number: str, path: Path, name: str, **reading: str | None
    ) -> dict[str, Any]:
        """Describe a file that was stored; it is removed if it cannot be read."""
        try:
            return await self._inspect(number, path, name, reading)
        except BaseException:
            self.store.remove("datasets", number)
            raise

    async def read_again(self, number: str, **reading: str | None) -> dict[str, Any]:
        """Describe a text file anew, read with another encoding or decimal sign."""
        about = self.store.read("datasets", number)
        if about.get("reading") is None:
            raise Conflict("Only text files are read in several ways.")
        path = self.dataset_file(number)
        return await self._inspect(number, path, about["name"], reading)

    async def _inspect(
        self, number: str, path: Path, name: str, reading: dict[str, str | None]
    ) -> dict[str, Any]:
        folder = str(self.store.path("datasets", number))
        arguments = {"path": str(path), "folder": folder, **reading}
        found = await self.jobs.call("inspect", arguments, files={str(path): name})
        about = {"id": number, "name": name, "file": path.name, **found}
        self.store.write("datasets", number, about)
        return about

    def dataset_file(self, number: str) -> Path:
        """Return the path of the file of a data set."""
        about = self.store.read("datasets", number)
        return self.store.path("datasets", number) / str(about["file"])

    def start(self, dataset: str, settings: dict[str, Any], **more: Any) -> Job:
        """Start the first fit of a new work; ``actions`` are done after it."""
        about = self.store.read("datasets", dataset)
        if (about["kind"] == "image") != (settings["kind"] == "image"):
            raise Conflict(
                f"These settings are not for a data set of {about['kind']}s."
            )
        number = self.store.new("works")
        work: WorkRecord = {
            "id": number,
            "dataset": dataset,
            "name": about["name"],
            "kind": settings["kind"],
            "settings": settings,
            "steps": [],
            "position": -1,
        }

        def done(found: Any) -> None:
            work["steps"] = found if isinstance(found, list) else [found]
            work["position"] = len(work["steps"]) - 1
            self._write(work)

        task = {"table": "fit", "time": "times", "image": "segment"}[settings["kind"]]
        if settings["kind"] == "image":
            more["name"] = "0000"
        try:
            self._write(work)
            return self._submit(
                "replay" if "actions" in more else task, work, more, done
            )
        except BaseException:
            self.store.remove("works", number)
            raise

    def correct(self, number: str, action: dict[str, Any]) -> Job:
        """Start a correction."""
        work = self._at_rest(number)
        if work["kind"] != "table":
            raise Conflict("Only clusters of a table can be corrected in this way.")
        step = _present(work)["result"]
        return self._submit_step("correct", work, {"action": action, "step": step})

    def paint(self, number: str, strokes: list[dict[str, Any]], segments: int) -> Job:
        """Start a segmentation with other strokes."""
        work = self._at_rest(number)
        if work["kind"] != "image":
            raise Conflict("Strokes are painted on images.")
        settings = {**work["settings"], "strokes": strokes, "clusters": segments}
        return self._submit_step("segment", work, {"settings": settings})

    def stability(self, number: str) -> Job:
        """Start to compute the stability of the present clusters."""
        work = self._at_rest(number)
        if work["kind"] != "table":
            raise Conflict("Stability is computed for clusters of a table.")
        return self._submit("stability", work, {"step": _present(work)["result"]})

    def look_further(self, number: str, task: str) -> Job:
        """Start to score numbers of clusters, or to find alternatives."""
        work = self._at_rest(number)
        self.numbers(work)
        return self._submit(task, work, {})

    def numbers(self, work: WorkRecord) -> dict[str, Any]:
        """Return the numbers of clusters with scores, and alternatives if found."""
        if work["kind"] != "table":
            raise Conflict("Clusters of a table have other numbers.")
        folder = self.store.path("works", work["id"])
        first = read_step(folder, work["steps"][0]["result"])
        found = first.get("numbers")
        if found is None:
            raise Conflict("This work was fitted by another release: fit again.")
        return {**found, "alternatives": first.get("alternatives")}

    def alternatives(self, work: WorkRecord) -> Alternatives:
        """Return the labellings that were found."""
        path = self.store.path("works", work["id"]) / ALTERNATIVES
        if not path.exists():
            raise Conflict("Other labellings have not been looked for yet.")
        return Alternatives.from_arrays(read_arrays(path))

    async def download(self, number: str, what: str) -> Path:
        """Return the path of a model or report, which is written if it is not there."""
        work = self.read(number)
        if work["kind"] != "table":
            raise Conflict("Models and reports are written for clusters of a table.")
        step = _present(work)["result"]
        suffix = {"model": "npz", "report": "html"}[what]
        folder = self.store.path("works", number)
        target = folder / f"{what}-{step}.{suffix}"
        if not target.exists():
            more: dict[str, Any] = {"step": step, "what": what, "title": work["name"]}
            arguments = self._arguments(work, target=str(target), **more)
            await self.jobs.call("download", arguments, number, self._files(work))
        return target

    def move(self, number: str, by: int) -> WorkRecord:
        """Undo or redo a step."""
        work = self._at_rest(number)
        position = work["position"] + by
        if not 0 <= position < len(work["steps"]):
            raise Conflict(
                "There is nothing to undo." if by < 0 else "Nothing to redo."
            )
        work["position"] = position
        self._write(work)
        return work

    def find(self, number: str) -> WorkRecord:
        """Return a work, which may have no result yet."""
        return read_work(self.store.read("works", number))

    def read(self, number: str) -> WorkRecord:
        """Return a work with a result; raise `Conflict` if there is none yet."""
        work = self.find(number)
        if not work["steps"]:
            raise Conflict("This work has no result yet.")
        return work

    def _write(self, work: WorkRecord) -> None:
        self.store.write("works", work["id"], {**work})

    def remove(self, number: str) -> None:
        """Remove a work, and cancel its jobs."""
        self.jobs.cancel_all(number)
        self.store.remove("works", number)

    def clustering(self, work: WorkRecord) -> Clustering:
        """Return the present clusters of a work of a table or of times."""
        if work["kind"] == "image":
            raise Conflict("An image has no rows.")
        step = self.step(work)
        folder = self.store.path("works", work["id"])
        return Clustering.of(step, read_arrays(folder / f"{step['result']}.npz"))

    def step(self, work: WorkRecord) -> StepRecord:
        """Return the present step of a work."""
        folder = self.store.path("works", work["id"])
        return read_step(folder, _present(work)["result"])

    def steps(self, work: WorkRecord) -> list[StepRecord]:
        """Return the steps of a work up to the present one."""
        folder = self.store.path("works", work["id"])
        done = work["steps"][: work["position"] + 1]
        return [read_step(folder, step["result"]) for step in done]

    def base(self, work: WorkRecord) -> dict[str, np.ndarray]:
        """Return the maps, groups and rows of a work."""
        if work["kind"] == "image":
            raise Conflict("An image has no rows.")
        return read_arrays(self.store.path("works", work["id"]) / "base.npz")

    def shared(self, first: str, second: str) -> Shared:
        """Return the rows and clusters that two works of one data set share."""
        works = self.read(first), self.read(second)
        if works[0]["dataset"] != works[1]["dataset"]:
            raise Conflict("The two works have different data sets.")
        labels = [self.clustering(work).labels for work in works]
        return Shared.of(*labels, *(self.base(work)["rows"] for work in works))

    async def reasons(self, first: str, second: str) -> dict[str, Any]:
        """Return what speaks for each of two labellings."""
        work, other = self.read(first), self.read(second)
        await asyncio.to_thread(self.shared, first, second)  # are they of one table?
        more: dict[str, Any] = {
            "step": _present(work)["result"],
            "other": str(self.store.path("works", second)),
            "other_step": _present(other)["result"],
        }
        arguments = self._arguments(work, **more)
        found: dict[str, Any] = await self.jobs.call(
            "reasons", arguments, first, self._files(work)
        )
        return found

    async def pairs(self, number: str) -> list[dict[str, Any]]:
        """Return the most doubtful pairs."""
        work = self.read(number)
        if work["kind"] != "table":
            raise Conflict("Pairs are proposed for clusters of a table.")

        def ask() -> list[Question]:
            base = self.base(work)
            parts = Parts(base["parts"], base["typical"])
            return self.clustering(work).questions(parts, N_PAIRS)

        return [question._asdict() for question in await asyncio.to_thread(ask)]

    def _at_rest(self, number: str) -> WorkRecord:
        """Return a work that no job is about to change."""
        work = self.read(number)
        if self.jobs.of_work(number) is not None:
            raise Conflict("A fit is running: wait for it, or cancel it.")
        return work

    def _submit(
        self,
        task: str,
        work: WorkRecord,
        more: dict[str, Any],
        done: Callable[[Any], None] | None = None,
    ) -> Job:
        """Start a task with the arguments that all have, and more."""
        arguments, files = self._arguments(work, **more), self._files(work)
        return self.jobs.submit(task, arguments, work["id"], done, files)

    def _submit_step(self, task: str, work: WorkRecord, more: dict[str, Any]) -> Job:
        number = work["id"]

        def done(step: StepSummary) -> None:
            position = work["position"] + 1
            replaced = work["steps"][position:]
            work["steps"] = [*work["steps"][:position], step]
            work["position"] = position
            self._write(work)
            self._remove_steps(number, replaced)

        return self._submit(task, work, {**more, "name": _next_name(work)}, done)

    def _files(self, work: WorkRecord) -> dict[str, str]:
        """Return the name that the user knows of the file of a work."""
        return {str(self.dataset_file(work["dataset"])): work["name"]}

    def _arguments(
        self, work: WorkRecord, settings: dict[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        """Return the arguments of a task: the place of the work, and more."""
        place = {
            "work": work["id"],
            "file": str(self.dataset_file(work["dataset"])),
            "path": str(self.store.path("works", work["id"])),
            "settings": settings or work["settings"],
        }
        return {"place": place, **more}

    def _remove_steps(self, number: str, steps: list[StepSummary]) -> None:
        """Remove the files of steps that were undone and replaced."""
        folder = self.store.path("works", number)
        pictures = [f"{{}}-{picture}.png" for picture in PICTURES]
        files = ["{}.json", "{}.npz", "model-{}.npz", "report-{}.html", *pictures]
        for step in steps:
            for file in files:
                (folder / file.format(step["result"])).unlink(missing_ok=True)

    def _clean(self, job: Job) -> None:
        """Remove what a job left that failed or was cancelled."""
        if not job.work:
            return
        try:
            self.store.clean("works", job.work)
            if not self.find(job.work)["steps"]:
                self.store.remove("works", job.work)
        except (Missing, ValueError):
            pass


def _present(work: WorkRecord) -> StepSummary:
    """Return the line of the present step."""
    return work["steps"][work["position"]]


def _next_name(work: WorkRecord) -> str:
    used = {int(step["result"]) for step in work["steps"]}
    return f"{max(used) + 1:04d}"
