"""The JSON API of the app, for its page and for scripts."""

import asyncio
import io
import json
import re
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path as FilePath
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Body, File, Path, Query, Request, Response, UploadFile
from fastapi.responses import FileResponse, StreamingResponse
from sklearn.metrics import adjusted_rand_score

from maxmargin import __version__
from maxmargin.app import builtin, limits, takeaway
from maxmargin.app.engine import scale_map
from maxmargin.app.jobs import Job, Jobs
from maxmargin.app.rows import find_rows, numeric_column, read_row
from maxmargin.app.schemas import (
    AnyAction,
    AnySettings,
    CorrectionsFile,
    Name,
    Strict,
    Stroke,
)
from maxmargin.app.works import Conflict, Works
from maxmargin.metrics.matching import match_labels
from maxmargin.report.colors import distinct_colors, lighten
from maxmargin.tables.write import table_writer

Id = Annotated[str, Path(pattern="^[0-9a-f]{12}$")]
Json = dict[str, Any]
SUFFIX = re.compile(r"\.[a-z0-9]{1,8}$")
CHUNK = 1 << 20
POLL = 0.25  # seconds between two looks whether a follower has left
MAX_DIFFERENT = 200  # rows that a comparison lists


class Builtin(Strict):
    """A built-in data set."""

    name: Literal["iris", "wine", "cancer", "digits", "moons", "drift", "flower"]


class Painting(Strict):
    """All strokes on an image."""

    strokes: Annotated[list[Stroke], Body(max_length=500)]
    segments: Annotated[int, Body(ge=2, le=8)] = 2


def make_router(works: Works, jobs: Jobs) -> APIRouter:
    """Return the routes under ``/api``."""
    router = APIRouter(prefix="/api")
    _add_datasets(router, works)
    _add_works(router, works)
    _add_results(router, works)
    _add_downloads(router, works)
    _add_jobs(router, jobs)
    return router


def _add_datasets(router: APIRouter, works: Works) -> None:
    store = works.store
    light = distinct_colors(limits.MAX_CLUSTERS)
    colors = {"light": light, "dark": [lighten(color) for color in light]}

    @router.get("/about")
    def about() -> Json:
        """Return the version, the limits and the built-in data sets."""
        return {
            "version": __version__,
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

    @router.post("/datasets", status_code=201)
    async def upload(file: Annotated[UploadFile, File()]) -> Json:
        """Store a table (CSV, Parquet, Arrow) or an image."""
        works.check_number()
        name = FilePath((file.filename or "").replace("\\", "/")).name or "table.csv"
        suffix = SUFFIX.search(name.lower())
        from maxmargin.app.inspect_task import IMAGES, TABLES

        if suffix is None or suffix[0] not in (*TABLES, *IMAGES):
            raise ValueError(
                f"{name} is no table and no image: use one of "
                f"{', '.join((*TABLES, *IMAGES))}."
            )
        number = store.new("datasets")
        path = store.path("datasets", number) / f"data{suffix[0]}"
        try:
            await _save(file, path)
        except BaseException:
            store.remove("datasets", number)
            raise
        return await _name_in_errors(works.add_dataset(number, path, name), path, name)

    @router.post("/datasets/builtin", status_code=201)
    async def add_builtin(chosen: Builtin) -> Json:
        """Store a built-in data set."""
        works.check_number()
        number = store.new("datasets")
        folder = store.path("datasets", number)
        path = await asyncio.to_thread(builtin.write_builtin, chosen.name, folder)
        return await works.add_dataset(number, path, chosen.name + path.suffix)

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
    store, jobs = works.store, works.jobs

    def show(work: Json) -> Json:
        job = jobs.of_work(work["id"])
        steps = [
            {key: step.get(key) for key in ("text", "seconds", "moved", "confidence")}
            for step in work["steps"]
        ]
        shown = {key: value for key, value in work.items() if key != "steps"}
        step = work["steps"][work["position"]] if work["steps"] else None
        running = job.show() if job is not None else None
        return {**shown, "steps": steps, "step": step, "job": running}

    @router.get("/works")
    def all_works() -> list[Json]:
        """Return all works, the last changed one first."""
        names = ("id", "dataset", "name", "kind", "changed", "position")
        return [
            {**{n: work[n] for n in names}, "steps": len(work["steps"])}
            for work in store.list("works")
        ]

    @router.get("/works/{work}")
    async def one(work: Id) -> Json:
        """Return a work with its present step, and its job if one is running."""
        return show(store.read("works", work))

    @router.delete("/works/{work}", status_code=204)
    async def remove(work: Id) -> None:
        """Remove a work; a job of it is cancelled."""
        store.read("works", work)
        works.remove(work)

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
        return show(works.move(work, -1))

    @router.post("/works/{work}/redo")
    async def redo(work: Id) -> Json:
        """Go forward by one step."""
        return show(works.move(work, +1))

    @router.get("/works/{work}/pairs")
    async def pairs(work: Id) -> list[Json]:
        """Return the pairs whose answers help most."""
        return await works.pairs(work)

    @router.get("/compare")
    def compare(
        first: Annotated[str, Query(pattern="^[0-9a-f]{12}$")],
        second: Annotated[str, Query(pattern="^[0-9a-f]{12}$")],
    ) -> Json:
        """Compare two works of one data set: agreement, and rows that differ."""
        return _compare(works, first, second)


def _add_results(router: APIRouter, works: Works) -> None:
    store = works.store

    @router.get("/works/{work}/labels")
    def labels(work: Id) -> Response:
        """Return a cluster (int32) and a confidence (uint8) of each row, in bytes."""
        state = works.state(works.read(work))
        confidence = np.rint(255 * state.confidence).astype(np.uint8)
        return _bytes(state.labels.astype("<i4"), confidence)

    @router.get("/works/{work}/map")
    def positions(
        work: Id,
        layout: Literal["graph", "pca", "columns"] = "graph",
        x: Annotated[str | None, Query(max_length=200)] = None,
        y: Annotated[str | None, Query(max_length=200)] = None,
    ) -> Response:
        """Return two coordinates (float32) of each row between -1 and 1, in bytes."""
        about = works.read(work)
        base = works.base(about)
        if layout == "columns":
            if x is None or y is None:
                raise ValueError("Give the columns x and y.")
            folder = store.path("datasets", about["dataset"])
            columns = [numeric_column(folder, name, base["rows"]) for name in (x, y)]
            scaled = [scale_map(column[:, None]) for column in columns]
            return _bytes(np.hstack(scaled).astype("<f4"))
        found = base.get(layout, base["pca"])
        return _bytes(np.ascontiguousarray(found, dtype="<f4"))

    @router.get("/works/{work}/times")
    def times(work: Id) -> Response:
        """Return a time and an object (int32) of each row, in bytes."""
        base = works.base(works.read(work))
        if "times" not in base:
            raise Conflict("This work has no times.")
        return _bytes(base["times"].astype("<i4"), base["objects"].astype("<i4"))

    @router.get("/works/{work}/rows/{row}")
    def row(work: Id, row: Annotated[int, Path(ge=0, lt=limits.MAX_ROWS)]) -> Json:
        """Return the cells of a row."""
        about = works.read(work)
        rows = works.base(about)["rows"]
        if row >= len(rows):
            raise ValueError(f"Row {row} is not in the table: it has {len(rows)} rows.")
        folder = store.path("datasets", about["dataset"])
        return {"row": row, "cells": read_row(folder, int(rows[row]))}

    @router.get("/works/{work}/search")
    def search(work: Id, text: Annotated[Name, Query()]) -> list[int]:
        """Return the rows that have a text, or a number, in some cell."""
        about = works.read(work)
        folder = store.path("datasets", about["dataset"])
        return find_rows(folder, text, works.base(about)["rows"])

    @router.get("/works/{work}/image/{picture}")
    def image(work: Id, picture: Literal["segments", "foreground", "mask"]) -> Response:
        """Return a picture of the segments as PNG."""
        about = works.read(work)
        if about["kind"] != "image":
            raise Conflict("This work is not about an image.")
        step = about["steps"][about["position"]]
        path = store.path("works", work) / f"{step['result']}-{picture}.png"
        return FileResponse(path, filename=f"{picture}.png")


def _add_downloads(router: APIRouter, works: Works) -> None:
    def parts(work: str) -> tuple[Json, Json, bool]:
        about = works.read(work)
        if about["kind"] != "table":
            raise Conflict("This is for clusters of a table.")
        done = about["steps"][: about["position"] + 1]
        corrected = any(step.get("action") for step in done)
        return about, about["settings"], corrected

    @router.get("/works/{work}/download/labels.csv")
    def labels(work: Id) -> Response:
        """Return the cluster of each row as CSV."""
        about = works.read(work)
        state, base = works.state(about), works.base(about)
        columns = takeaway.label_table(state, base["rows"])
        name = about["settings"]["id_column"]
        if name is not None:
            folder = works.store.path("datasets", about["dataset"])
            from maxmargin.app.rows import open_rows

            values = open_rows(folder).column(name).to_pylist()
            ids = np.array([values[i] for i in base["rows"]], dtype=object)
            columns = takeaway.label_table(state, ids.astype(str), name)
        file = io.BytesIO()
        table_writer("labels.csv", columns)(file)
        return _attachment(file.getvalue(), "labels.csv", "text/csv")

    @router.get("/works/{work}/download/corrections.json")
    def corrections(work: Id) -> Response:
        """Return the corrections as a file that can be loaded again."""
        about, settings, _ = parts(work)
        steps = about["steps"][: about["position"] + 1]
        text = takeaway.corrections_file(about["name"], settings, steps)
        return _attachment(text.encode(), "corrections.json", "application/json")

    @router.get("/works/{work}/download/{what}")
    async def model(work: Id, what: Literal["model.npz", "report.html"]) -> Response:
        """Return a model for ``maxmargin predict``, or a report."""
        path = await works.download(work, what.split(".")[0])
        return FileResponse(path, filename=what, media_type="application/octet-stream")

    @router.get("/works/{work}/code")
    def code(work: Id) -> Json:
        """Return the Python code and the command that give the same labels."""
        about, settings, corrected = parts(work)
        name = about["name"]
        return {
            "python": takeaway.python_code(name, settings, corrected),
            "command": takeaway.command_line(name, settings, corrected),
        }


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


async def _name_in_errors(found: Awaitable[Json], path: FilePath, name: str) -> Json:
    """Replace the path of a file in an error by the name that the user knows."""
    try:
        return await found
    except ValueError as error:
        raise ValueError(str(error).replace(str(path), name)) from None


def _compare(works: Works, first: str, second: str) -> Json:
    one, two = works.read(first), works.read(second)
    if one["dataset"] != two["dataset"]:
        raise Conflict("The two works have different data sets.")
    states = [works.state(one), works.state(two)]
    rows = [works.base(work)["rows"] for work in (one, two)]
    _, mine, theirs = np.intersect1d(*rows, return_indices=True)
    labels = [states[0].labels[mine], states[1].labels[theirs]]
    codes = [np.unique(each, return_inverse=True) for each in labels]
    matched = match_labels(codes[1][1], codes[0][1])[codes[1][1]]
    differ = np.flatnonzero(matched != codes[0][1])
    table = np.zeros([len(code[0]) for code in codes], dtype=np.int64)
    np.add.at(table, (codes[0][1], codes[1][1]), 1)
    return {
        "adjusted_rand_index": round(float(adjusted_rand_score(*labels)), 4),
        "rows": len(mine),
        "different": len(differ),
        "different_rows": mine[differ][:MAX_DIFFERENT].tolist(),
        "first": [int(c) for c in codes[0][0]],
        "second": [int(c) for c in codes[1][0]],
        "table": table.tolist(),
    }


def _bytes(*arrays: np.ndarray) -> Response:
    content = b"".join(array.tobytes() for array in arrays)
    return Response(content, media_type="application/octet-stream")


def _attachment(content: bytes, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
