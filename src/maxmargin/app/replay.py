"""Do the corrections of a file again, on the same table."""

import json
from pathlib import Path

from pydantic import ValidationError

from maxmargin.app.clustering import Clustering
from maxmargin.app.schemas import CorrectionsFile
from maxmargin.app.tasks import Step, advance, start
from maxmargin.tables.samples import TableSamples


def read_corrections(path: str | Path) -> CorrectionsFile:
    """Read a file of corrections; raise a ValueError if it is none."""
    try:
        content = json.loads(Path(path).read_text("utf-8"))
        return CorrectionsFile.model_validate(content)
    except (UnicodeError, json.JSONDecodeError, ValidationError):
        raise ValueError(
            f"{path} is not a file of corrections: save one on the page of maxmargin "
            "app."
        ) from None


def replay(
    table: str | Path, corrections: str | Path
) -> tuple[Clustering, TableSamples]:
    """Cluster a table and apply corrections, as the page of ``maxmargin app`` did.

    Parameters
    ----------
    table : path
        The table to which the corrections belong.
    corrections : path
        A file that was saved on the page.

    Returns
    -------
    clustering : Clustering
        With ``labels``, ``margin`` and ``clusters``.
    samples : TableSamples
        With the ``ids`` of the rows; some rows of the table may be left out.
    """
    content = read_corrections(corrections)
    engine, step = start(str(table), content.settings, lambda event: None)
    if content.actions:
        step = Step(engine.explore(step.clustering)[0], step.about)
    for action in content.actions:
        step = advance(engine, step.clustering, action.model_dump())
    return step.clustering, engine.samples
