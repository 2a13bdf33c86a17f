"""The records that the app keeps on disk and sends to its page, and their checks."""

from typing import Any, Literal, NotRequired

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

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
    confidence: NotRequired[float]
    stability: NotRequired[list[float | None]]


class WorkRecord(TypedDict):
    """A data set, settings, and the steps of the user."""

    id: str
    dataset: str
    name: str
    kind: Kind
    settings: dict[str, Any]
    steps: list[StepRecord]
    position: int  # of the present step, -1 before the first
    changed: NotRequired[float]


_WORK: TypeAdapter[WorkRecord] = TypeAdapter(WorkRecord)


def read_work(about: dict[str, Any]) -> WorkRecord:
    """Return a stored work, checked."""
    try:
        return _WORK.validate_python(about)
    except ValidationError:
        raise ValueError(
            "This work was stored by another release: remove it, and fit again."
        ) from None


def present_step(work: WorkRecord) -> StepRecord:
    """Return the step at the present position."""
    return work["steps"][work["position"]]
