"""The part of the API about the number of clusters: scores, and levels of the tree."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from maxmargin.app.levels import Levels
from maxmargin.app.limits import MAX_CLUSTERS
from maxmargin.app.results_api import Id, Json, in_bytes
from maxmargin.app.works import Conflict, Works

Number = Annotated[int, Path(ge=1, le=MAX_CLUSTERS)]


def add_numbers(router: APIRouter, works: Works) -> None:
    """Add the routes of the scores of numbers of clusters, and of levels."""

    @router.get("/works/{work}/numbers")
    def numbers(work: Id) -> Json:
        """Return the scores of numbers of clusters, and levels that stand out."""
        return works.numbers(works.read(work))

    @router.post("/works/{work}/scores", status_code=202)
    async def scores(work: Id) -> Json:
        """Start to score numbers of clusters; follow the job that is returned."""
        return works.scores(work).show()

    @router.get("/works/{work}/levels/{number}")
    def level(work: Id, number: Number) -> Response:
        """Return the cluster (int32) of each row at a level of the tree, in bytes."""
        levels = Levels.from_arrays(works.base(works.read(work)))
        if levels is None:
            raise Conflict("Only the maximum margin method has other levels.")
        return in_bytes(levels.labels_at(number).astype("<i4"))
