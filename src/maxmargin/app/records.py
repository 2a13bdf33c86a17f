"""The records that the app keeps on disk and sends to its page, and their checks.

A step has a file of its own. The record of a work has one line for each of them, so
that it stays small however many corrections are made.
"""

import json
import os
from pathlib import Path
from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

from maxmargin.files import atomic_write

Kind = Literal["table", "time", "image"]


class ClusterRecord(TypedDict):
    """A cluster."""

    id: int
    name: str
    color: str | None


class CorrectionsRecord(TypedDict):
    """What the user has said about rows."""

    labels: list[tuple[int, int]]  # row and cluster
    together: list[tuple[int, int]]
    apart: list[tuple[int, int]]
    unsure: list[int]


@with_config(ConfigDict(extra="allow"))  # what the page shows, of each kind of work
class StepRecord(TypedDict):
    """A step of a work: the fit or the correction, and where its arrays are."""

    result: str  # the name of the files
    text: str
    seconds: float
    action: NotRequired[dict[str, Any] | None]  # None for the first fit
    clusters: NotRequired[list[ClusterRecord]]  # not of an image
    constraints: NotRequired[CorrectionsRecord]
    segments: NotRequired[int]  # of an image
    moved: NotRequired[int]
    margin: NotRequired[float | None]
    stability: NotRequired[list[float | None]]
    numbers: NotRequired[dict[str, Any]]  # of clusters, see `facts.number_facts`
    alternatives: NotRequired[list[dict[str, Any]]]  # see `Alternatives.about`
    divided: NotRequired[int]  # the cluster of which an answer made two
    level_ids: NotRequired[list[int]]  # of the clusters of what was taken


class StepSummary(TypedDict):
    """A step in the list of all steps."""

    result: str
    text: str
    seconds: float
    moved: int | None
    margin: float | None
    n_clusters: int


class WorkRecord(TypedDict):
    """A data set, settings, and the steps of the user."""

    id: str
    dataset: str
    name: str
    kind: Kind
    settings: dict[str, Any]
    steps: list[StepSummary]
    position: int  # of the present step, -1 before the first
    changed: NotRequired[float]


_WORK: TypeAdapter[WorkRecord] = TypeAdapter(WorkRecord)
_STEP: TypeAdapter[StepRecord] = TypeAdapter(StepRecord)


def read_work(about: dict[str, Any]) -> WorkRecord:
    """Return a stored work, checked."""
    try:
        work = _WORK.validate_python(about)
        if not -1 <= work["position"] < max(len(work["steps"]), 1):
            raise ValueError("There is no step at the position.")
        return work
    except ValueError:  # that of pydantic is one
        raise ValueError(
            "This work was stored by another release: remove it, and fit again."
        ) from None


def write_step(folder: Path, step: dict[str, Any]) -> StepSummary:
    """Write a step to its file; return its line in the list of steps."""
    record = _STEP.validate_python(step)
    with atomic_write(_step_file(folder, record["result"])) as file:
        file.write(json.dumps(record, allow_nan=False).encode())
    n_clusters = record.get("segments") or len(record.get("clusters", ()))
    return {
        "result": record["result"],
        "text": record["text"],
        "seconds": record["seconds"],
        "moved": record.get("moved"),
        "margin": record.get("margin"),
        "n_clusters": n_clusters,
    }


def read_step(folder: Path, name: str) -> StepRecord:
    """Return a step by the name of its files."""
    try:
        content = json.loads(_step_file(folder, name).read_text("utf-8"))
        return _STEP.validate_python(content)
    except (OSError, ValueError, RecursionError):
        raise ValueError(
            "A file of this work is damaged or missing: undo the step, or fit again."
        ) from None


def _step_file(folder: Path, name: str) -> Path:
    return folder / f"{os.path.basename(name)}.json"
