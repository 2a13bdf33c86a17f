"""The part of the API that gives results: labels, maps, rows, files, comparisons."""

import io
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse

from maxmargin.app import code, limits, takeaway
from maxmargin.app.comparison import compare_shared
from maxmargin.app.engine import scale_map
from maxmargin.app.records import StepRecord, WorkRecord
from maxmargin.app.rows import find_rows, numeric_column, read_row
from maxmargin.app.schemas import Name
from maxmargin.app.store import unpack_texts
from maxmargin.app.works import Conflict, Works
from maxmargin.tables.write import table_writer

Id = Annotated[str, Path(pattern="^[0-9a-f]{12}$")]
Json = dict[str, Any]


def add_results(router: APIRouter, works: Works) -> None:
    """Add the routes of labels, maps, times and pictures."""
    store = works.store

    @router.get("/works/{work}/labels")
    def labels(work: Id) -> Response:
        """Return a cluster (int32) and a margin (uint8) of each row, in bytes."""
        state = works.clustering(works.read(work))
        margin = np.rint(255 * state.margin).astype(np.uint8)
        return in_bytes(state.labels.astype("<i4"), margin)

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
            return in_bytes(np.hstack(scaled).astype("<f4"))
        found = base.get(layout, base["pca"])
        return in_bytes(np.ascontiguousarray(found, dtype="<f4"))

    @router.get("/works/{work}/times")
    def times(work: Id) -> Response:
        """Return a time and an object (int32) of each row, in bytes."""
        base = works.base(works.read(work))
        if "times" not in base:
            raise Conflict("This work has no times.")
        return in_bytes(base["times"].astype("<i4"), base["objects"].astype("<i4"))

    @router.get("/works/{work}/image/{picture}")
    def image(work: Id, picture: Literal["segments", "foreground", "mask"]) -> Response:
        """Return a picture of the segments as PNG."""
        about = works.read(work)
        if about["kind"] != "image":
            raise Conflict("This work is not about an image.")
        step = works.step(about)
        path = store.path("works", work) / f"{step['result']}-{picture}.png"
        return FileResponse(path, filename=f"{picture}.png")


def add_comparisons(router: APIRouter, works: Works) -> None:
    """Add the routes that compare two works."""

    @router.get("/compare")
    def compare(
        first: Annotated[str, Query(pattern="^[0-9a-f]{12}$")],
        second: Annotated[str, Query(pattern="^[0-9a-f]{12}$")],
    ) -> Json:
        """Compare two works of one data set: agreement, and rows that differ."""
        return compare_shared(works.shared(first, second))

    @router.get("/compare/reasons")
    async def reasons(
        first: Annotated[str, Query(pattern="^[0-9a-f]{12}$")],
        second: Annotated[str, Query(pattern="^[0-9a-f]{12}$")],
    ) -> Json:
        """Return what speaks for each of two works: figures asked of both alike."""
        return await works.reasons(first, second)


def add_rows(router: APIRouter, works: Works) -> None:
    """Add the routes of rows of the table."""
    store = works.store

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


def add_downloads(router: APIRouter, works: Works) -> None:
    """Add the routes of what can be taken away."""

    def parts(work: str) -> tuple[WorkRecord, Json, list[StepRecord]]:
        about = works.read(work)
        if about["kind"] != "table":
            raise Conflict("This is for clusters of a table.")
        return about, about["settings"], works.steps(about)

    @router.get("/works/{work}/download/labels.csv")
    def labels(work: Id) -> Response:
        """Return the cluster of each row as CSV."""
        about = works.read(work)
        state, base = works.clustering(about), works.base(about)
        name = about["settings"]["id_column"]
        ids = unpack_texts(base["ids"]) if "ids" in base else base["rows"]
        columns = takeaway.label_table(state, ids, name or "row")
        file = io.BytesIO()
        table_writer("labels.csv", columns)(file)
        return _attachment(file.getvalue(), "labels.csv", "text/csv")

    @router.get("/works/{work}/download/corrections.json")
    def corrections(work: Id) -> Response:
        """Return the corrections as a file that can be loaded again."""
        about, settings, steps = parts(work)
        text = takeaway.corrections_file(about["name"], settings, steps)
        return _attachment(text.encode(), "corrections.json", "application/json")

    @router.get("/works/{work}/download/{what}")
    async def model(work: Id, what: Literal["model.npz", "report.html"]) -> Response:
        """Return a model for ``maxmargin predict``, or a report."""
        path = await works.download(work, what.split(".")[0])
        return FileResponse(path, filename=what, media_type="application/octet-stream")

    @router.get("/works/{work}/code")
    def show_code(work: Id) -> Json:
        """Return the Python code and the command that give the same labels."""
        about, settings, steps = parts(work)
        name = about["name"]
        return {
            "python": code.python_code(name, settings, steps),
            "command": code.command_line(name, settings, len(steps) > 1),
        }


def in_bytes(*arrays: np.ndarray) -> Response:
    """Return arrays, one after another, as the content of an answer."""
    content = b"".join(array.tobytes() for array in arrays)
    return Response(content, media_type="application/octet-stream")


def _attachment(content: bytes, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
