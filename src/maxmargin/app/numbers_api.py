"""The part of the API about other clusters: scores, levels of the tree, labellings."""

from typing import Annotated, Literal

from fastapi import APIRouter, Body, Path, Response

from maxmargin.app.levels import Levels
from maxmargin.app.limits import MAX_CLUSTERS
from maxmargin.app.results_api import Id, Json, in_bytes
from maxmargin.app.schemas import Row, Strict
from maxmargin.app.works import Conflict, Works
from maxmargin.questions import Parts

Number = Annotated[int, Path(ge=1, le=MAX_CLUSTERS)]


class GivenAnswers(Strict):
    """Pairs of rows, and whether they belong together; None was skipped."""

    answers: Annotated[list[tuple[Row, Row, bool | None]], Body(max_length=1000)]


def add_numbers(router: APIRouter, works: Works) -> None:
    """Add the routes of scores of numbers of clusters, of levels and alternatives."""

    @router.get("/works/{work}/numbers")
    def numbers(work: Id) -> Json:
        """Return the scores of numbers, levels that stand out, and alternatives."""
        return works.numbers(works.read(work))

    @router.post("/works/{work}/{what}", status_code=202)
    async def look_further(work: Id, what: Literal["scores", "alternatives"]) -> Json:
        """Start to score numbers of clusters, or to find other labellings."""
        return works.look_further(work, what).show()

    @router.get("/works/{work}/levels/{number}")
    def level(work: Id, number: Number) -> Response:
        """Return the cluster (int32) of each row at a level of the tree, in bytes."""
        levels = Levels.from_arrays(works.base(works.read(work)))
        if levels is None:
            raise Conflict("Only the maximum margin method has other levels.")
        return in_bytes(levels.labels_at(number).astype("<i4"))

    @router.get("/works/{work}/alternatives/{number}")
    def alternative(work: Id, number: Annotated[int, Path(ge=0, le=100)]) -> Response:
        """Return the cluster (int32) of each row in another labelling, in bytes."""
        found = works.alternatives(works.read(work)).labels
        if number >= len(found):
            raise ValueError(f"There are {len(found)} labellings, the first one is 0.")
        return in_bytes(found[number].astype("<i4"))

    @router.post("/works/{work}/alternatives/question")
    def question(work: Id, given: GivenAnswers) -> Json:
        """Return the next pair to ask about, and with how many answers each agrees."""
        about = works.read(work)
        found, base = works.alternatives(about), works.base(about)
        largest = max((max(pair[:2]) for pair in given.answers), default=0)
        if largest >= len(base["rows"]):
            raise ValueError("An answer is about a row that is not in the table.")
        parts = Parts(base["parts"], base["typical"])
        pair = found.next_pair(parts, given.answers)
        return {"pair": pair, "agree": found.agreements(given.answers).tolist()}
