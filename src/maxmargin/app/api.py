"""The JSON API of the app, for its page and for scripts."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Annotated, Literal

from fastapi import APIRouter, Body, File, Form, Request, Response, UploadFile
from fastapi.responses import FileResponse, StreamingResponse

from maxmargin import __version__
from maxmargin.app import builtin, limits
from maxmargin.app.jobs import Job, Jobs
from maxmargin.app.numbers_api import add_numbers
from maxmargin.app.records import WorkRecord, read_work
from maxmargin.app.results_api import (
    Id,
    Json,
    add_comparisons,
    add_downloads,
    add_results,
    add_rows,
)
from maxmargin.app.schemas import (
    OFFERED,
    AnyAction,
    AnySettings,
    CorrectionsFile,
    Decimal,
    Encoding,
    Strict,
    Stroke,
)
from maxmargin.app.works import Conflict, Works
from maxmargin.report.colors import distinct_colors, lighten

SUFFIX = re.compile(r"\.[a-z0-9]{1,8}$")
CHUNK = 1 << 20
POLL = 0.25  # seconds between two looks whether a follower has left


class Builtin(Strict):
    """A built-in data set."""

    name: Literal["iris", "wine", "cancer", "digits", "moons", "drift", "flower"]


class Reading(Strict):
    """How a text file is written; what is None is found out."""

    encoding: Encoding | None = None
    decimal: Decimal | None = None


class Painting(Strict):
    """All strokes on an image."""

    strokes: Annotated[list[Stroke], Body(max_length=500)]
    segments: Annotated[int, Body(ge=2, le=8)] = 2


def make_router(works: Works, jobs: Jobs) -> APIRouter:
    """Return the routes under ``/api``."""
    router = APIRouter(prefix="/api")
    _add_datasets(router, works)
    _add_uploads(router, works)
    _add_starts(router, works)
    _add_works(router, works)
    _add_steps(router, works)
    add_numbers(router, works)
    add_results(router, works)
    add_comparisons(router, works)
    add_rows(router, works)
    add_downloads(router, works)
    _add_jobs(router, jobs)
    return router


def _add_datasets(router: APIRouter, works: Works) -> None:
    store = works.store
    light = distinct_colors(limits.MAX_CLUSTERS)
    colors = {"light": light, "dark": [lighten(color) for color in light]}

    @router.get("/about")
    def about() -> Json:
        """Return the version, the limits, the similarities and built-in data sets."""
        return {
            "version": __version__,
            "similarities": OFFERED,
            "builtin": builtin.TITLES,
            "colors": colors,
            "limits": {
                "bytes": limits.MAX_BYTES,
                "rows": limits.MAX_ROWS,
                "pixels": limits.MAX_PIXELS,
                "clusters": limits.MAX_CLUSTERS,
            },
        }

    @router.get("/datasets")
    def datasets() -> list[Json]:
        """Return all data sets, the last changed one first."""
        return store.list("datasets")

    @router.get("/datasets/{dataset}")
    def dataset(dataset: Id) -> Json:
        """Return what is known of a data set."""
        return store.read("datasets", dataset)

    @router.delete("/datasets/{dataset}", status_code=204)
    async def remove_dataset(dataset: Id) -> None:
        """Remove a data set and its works."""
        store.read("datasets", dataset)
        for work in store.list("works"):
            if work["dataset"] == dataset:
                works.remove(work["id"])
        store.remove("datasets", dataset)

    @router.get("/datasets/{dataset}/picture")
    def picture(dataset: Id) -> Response:
        """Return an image as PNG."""
        if store.read("datasets", dataset)["kind"] != "image":
            raise Conflict("This data set is a table.")
        return FileResponse(store.path("datasets", dataset) / "picture.png")


def _add_uploads(router: APIRouter, works: Works) -> None:
    store = works.store

    @contextmanager
    def new_dataset() -> Iterator[str]:
        """Yield the id of a data set, which is removed if its file is not written."""
        works.check_number()
        number = store.new("datasets")
        try:
            yield number
        except BaseException:
            store.remove("datasets", number)
            raise

    @router.post("/datasets", status_code=201)
    async def upload(
        file: Annotated[UploadFile, File()],
        encoding: Annotated[Encoding | None, Form()] = None,
        decimal: Annotated[Decimal | None, Form()] = None,
    ) -> Json:
        """Store a table (CSV, Excel, Parquet, Arrow, JSON lines) or an image.

        The encoding and the decimal sign of text are found out if they are not given.
        """
        name = FilePath((file.filename or "").replace("\\", "/")).name or "table.csv"
        suffix = SUFFIX.search(name.lower())
        from maxmargin.app.inspect_task import IMAGES, TABLES

        if suffix is None or suffix[0] not in (*TABLES, *IMAGES):
            raise ValueError(
                f"{name} is no table and no image: use one of "
                f"{', '.join((*TABLES, *IMAGES))}."
            )
        with new_dataset() as number:
            path = store.path("datasets", number) / f"data{suffix[0]}"
            await _save(file, path)
        reading = {"encoding": encoding, "decimal": decimal}
        return await works.add_dataset(number, path, name, **reading)

    @router.post("/datasets/{dataset}/reading")
    async def read_again(dataset: Id, reading: Reading) -> Json:
        """Read a text file again, with another encoding or decimal sign."""
        return await works.read_again(dataset, **reading.model_dump())

    @router.post("/datasets/builtin", status_code=201)
    async def add_builtin(chosen: Builtin) -> Json:
        """Store a built-in data set."""
        with new_dataset() as number:
            folder = store.path("datasets", number)
            path = await asyncio.to_thread(builtin.write_builtin, chosen.name, folder)
        return await works.add_dataset(number, path, chosen.name + path.suffix)


def _add_starts(router: APIRouter, works: Works) -> None:
    @router.post("/datasets/{dataset}/works", status_code=202)
    async def start(dataset: Id, settings: AnySettings) -> Json:
        """Start the first fit of a new work; follow the job that is returned."""
        return works.start(dataset, settings.model_dump()).show()

    @router.post("/datasets/{dataset}/replay", status_code=202)
    async def replay(dataset: Id, file: CorrectionsFile) -> Json:
        """Start a new work with the corrections of a file."""
        actions = [action.model_dump() for action in file.actions]
        settings = file.settings.model_dump()
        return works.start(dataset, settings, actions=actions).show()


def _add_works(router: APIRouter, works: Works) -> None:
    store = works.store

    @router.get("/works")
    def all_works() -> list[Json]:
        """Return all works, the last changed one first."""
        names = ("id", "dataset", "name", "kind", "changed", "position")
        return [
            {**{n: work[n] for n in names}, **_summary(work)}
            for work in store.list("works")
        ]

    @router.get("/works/{work}")
    async def one(work: Id) -> Json:
        """Return a work with its present step, and its job if one is running."""
        return _shown(works, works.find(work))

    @router.delete("/works/{work}", status_code=204)
    async def remove(work: Id) -> None:
        """Remove a work; a job of it is cancelled."""
        store.read("works", work)
        works.remove(work)


def _add_steps(router: APIRouter, works: Works) -> None:
    @router.post("/works/{work}/corrections", status_code=202)
    async def correct(work: Id, action: AnyAction) -> Json:
        """Start a correction; follow the job that is returned."""
        return works.correct(work, action.model_dump()).show()

    @router.post("/works/{work}/strokes", status_code=202)
    async def paint(work: Id, painting: Painting) -> Json:
        """Segment an image with these strokes."""
        strokes = [stroke.model_dump() for stroke in painting.strokes]
        return works.paint(work, strokes, painting.segments).show()

    @router.post("/works/{work}/stability", status_code=202)
    async def stability(work: Id) -> Json:
        """Start to compute the stability of the clusters."""
        return works.stability(work).show()

    @router.post("/works/{work}/undo")
    async def undo(work: Id) -> Json:
        """Go back by one step."""
        return _shown(works, works.move(work, -1))

    @router.post("/works/{work}/redo")
    async def redo(work: Id) -> Json:
        """Go forward by one step."""
        return _shown(works, works.move(work, +1))

    @router.get("/works/{work}/pairs")
    async def pairs(work: Id) -> list[Json]:
        """Return the pairs whose answers help most."""
        return await works.pairs(work)


def _add_jobs(router: APIRouter, jobs: Jobs) -> None:
    @router.get("/jobs/{job}")
    async def job(job: Id) -> Json:
        """Return what is known of a job."""
        return jobs.get(job).show()

    @router.delete("/jobs/{job}", status_code=204)
    async def cancel(job: Id) -> None:
        """Cancel a job."""
        jobs.cancel(jobs.get(job))

    @router.get("/jobs/{job}/events")
    async def events(job: Id, request: Request) -> StreamingResponse:
        """Stream the progress of a job; a job that nobody follows is cancelled."""
        found = jobs.get(job)
        return StreamingResponse(
            _events(jobs, found, request), media_type="text/event-stream"
        )


def _shown(works: Works, work: WorkRecord) -> Json:
    """Return a work with its present step, and its job if one is running."""
    job = works.jobs.of_work(work["id"])
    steps = [
        {key: step.get(key) for key in ("text", "seconds", "moved", "margin")}
        for step in work["steps"]
    ]
    shown = {key: value for key, value in work.items() if key != "steps"}
    step = works.step(work) if work["steps"] else None
    running = job.show() if job is not None else None
    return {**shown, "steps": steps, "step": step, "job": running}


def _summary(about: Json) -> Json:
    """Return what the list of works shows; no steps if they are damaged."""
    try:
        work = read_work(about)
    except ValueError:
        return {"steps": 0, "method": "", "clusters": 0}
    steps = work["steps"]
    return {
        "steps": len(steps),
        "method": work["settings"].get("method", "maxmargin"),
        "clusters": steps[work["position"]]["n_clusters"] if steps else 0,
    }


async def _events(jobs: Jobs, job: Job, request: Request) -> AsyncIterator[str]:
    """Yield server-sent events until the job has ended or the client has left."""
    following = jobs.follow(job)
    waiting: asyncio.Future[Json] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(following))
            done, _ = await asyncio.wait({waiting}, timeout=POLL)
            if await request.is_disconnected():
                return
            if not done:
                yield ": alive\n\n"
                continue
            shown, waiting = waiting.result(), None
            yield f"data: {json.dumps(shown)}\n\n"
    except StopAsyncIteration:
        return
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait({waiting})
        await following.aclose()  # type: ignore[attr-defined]


async def _save(file: UploadFile, path: FilePath) -> None:
    """Write an upload to a file, up to the limit."""
    size = 0
    with path.open("xb") as target:
        while chunk := await file.read(CHUNK):
            size += len(chunk)
            if size > limits.MAX_BYTES:
                raise limits.LimitError(
                    f"The file is larger than {limits.MAX_BYTES / 1e6:.0f} MB, the "
                    "limit of the page: use the command maxmargin cluster."
                )
            await asyncio.to_thread(target.write, chunk)
    if size == 0:
        raise ValueError("The file is empty: give a table with a header and rows.")
