"""The tasks of a worker process, by name."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from maxmargin import progress
from maxmargin.app import takeaway
from maxmargin.app.alternatives import FILE as ALTERNATIVES
from maxmargin.app.alternatives import Alternatives
from maxmargin.app.clustering import Clustering
from maxmargin.app.comparison import Shared
from maxmargin.app.corrections import apply, describe
from maxmargin.app.costs import Pace, expected_shape, first_fit_costs
from maxmargin.app.engine import Engine
from maxmargin.app.facts import facts_of, moves, number_facts, score_facts
from maxmargin.app.failures import for_page
from maxmargin.app.records import StepSummary, read_step, write_step
from maxmargin.app.schemas import (
    AnyAction,
    Apart,
    Choose,
    ImageSettings,
    Level,
    Settings,
    TimeSettings,
    Together,
)
from maxmargin.app.store import read_arrays, row_arrays, write_arrays
from maxmargin.selection import select_n_clusters
from maxmargin.tables.samples import TableSamples, read_samples

FIRST = "0000"  # the name of the first step
N_ENGINES = 2  # tables that a process keeps in memory
ACTION: TypeAdapter[Any] = TypeAdapter(AnyAction)

Send = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Step:
    """A step of a work: its clusters, and what the page shows about them."""

    clustering: Clustering
    about: dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A work: the file of its data, its folder and its settings."""

    work: str
    file: str
    path: str  # of the folder
    settings: dict[str, Any]

    @property
    def folder(self) -> Path:
        """Return the folder of the work."""
        return Path(self.path)


class Tasks:
    """The tasks, and the tables in memory."""

    def __init__(self) -> None:
        self.engines: OrderedDict[str, Engine] = OrderedDict()

    def run(self, name: str, arguments: dict[str, Any], send: Send) -> Any:
        """Run a task by its name; all but the first are about a work."""
        if name == "inspect":
            from maxmargin.app.inspect_task import inspect_file

            return inspect_file(**arguments)
        known: dict[str, Callable[..., Any]] = {
            "fit": partial(self.fit, send),
            "correct": self.correct,
            "replay": partial(self.replay, send),
            "times": self.times,
            "segment": self.segment,
            "stability": self.stability,
            "scores": self.scores,
            "alternatives": self.alternatives,
            "download": self.download,
            "reasons": self.reasons,
        }
        place = Place(**arguments.pop("place"))
        return known[name](place, **arguments)

    def warm_up(self) -> None:
        """Load the compiled loops with a small fit."""
        random = np.random.RandomState(0)
        engine = Engine(_only(random.standard_normal((60, 2))), Settings(clusters=3))
        state, _ = engine.explore(engine.first_fit())
        first, second = (int(row) for row in np.argsort(state.margin)[:2])
        pair = {"kind": "apart", "rows": [first, second]}
        try:
            apply(engine, state, ACTION.validate_python(pair))
        except ValueError:
            pass

    def prepare(self) -> None:
        """Make what the first correction needs, while there is nothing else to do."""
        if self.engines:
            engine = next(reversed(self.engines.values()))
            engine.prepare()

    def fit(self, send: Send, place: Place) -> StepSummary:
        """Find the clusters of a table; return the first step."""
        parsed = Settings.model_validate(place.settings)
        begin = time.perf_counter()
        expected = first_fit_costs(*expected_shape(place.file), parsed.clusters, True)
        with progress.stage(0.0, expected.share_of_reading, "reading"):
            engine = Engine(load(place.file, parsed), parsed)
        pace = Pace(engine.samples.n_rows, parsed.clusters, engine.costs)
        counted = progress.counted_by(pace.share_of, pace.take_number)
        with counted, progress.stage(0.0, 1.0, "clusters"):
            step = first_step(engine, begin, send)
        with progress.stage(pace.costs.share_of_clusters, 1.0, "map"):
            state, arrays = engine.explore(step.clustering)
            step = Step(state, step.about)
        write_arrays(place.folder / "base.npz", **row_arrays(engine.samples), **arrays)
        self._keep(place.work, engine)
        return _save(place.folder, FIRST, step)

    def correct(
        self, place: Place, step: str, action: dict[str, Any], name: str
    ) -> StepSummary:
        """Apply a correction; return the next step."""
        before = load_clustering(place.folder, step)
        return _save(place.folder, name, advance(self._engine(place), before, action))

    def replay(
        self, send: Send, place: Place, actions: list[dict[str, Any]]
    ) -> list[StepSummary]:
        """Find the clusters and apply corrections; return all steps."""
        steps = [self.fit(send, place)]
        engine = self._engine(place)
        state = load_clustering(place.folder, steps[0]["result"])
        for number, action in enumerate(actions, 1):
            step = advance(engine, state, action)
            steps.append(_save(place.folder, f"{number:04d}", step))
            state = step.clustering
            progress.update(number / len(actions), "corrections")
        return steps

    def times(self, place: Place) -> StepSummary:
        """Find the clusters of snapshots; return the only step."""
        from maxmargin.app.time_task import cluster_times

        begin = time.perf_counter()
        parsed = TimeSettings.model_validate(place.settings)
        step = cluster_times(place.file, place.folder, parsed)
        about = {"text": "first fit", "seconds": _since(begin)}
        return write_step(place.folder, step | about)

    def segment(self, place: Place, name: str) -> StepSummary:
        """Segment an image; return a step."""
        from maxmargin.app.image_task import segment_image

        begin = time.perf_counter()
        parsed = ImageSettings.model_validate(place.settings)
        step = segment_image(place.file, place.folder, parsed, name)
        n_strokes = len(parsed.strokes)
        text = f"{n_strokes} strokes" if n_strokes else "first segments"
        return write_step(place.folder, step | {"text": text, "seconds": _since(begin)})

    def stability(self, place: Place, step: str) -> None:
        """Add the stability of each cluster under resampling to a step."""
        state = load_clustering(place.folder, step)
        found = takeaway.stability(self._engine(place), state)
        record = read_step(place.folder, step)
        write_step(place.folder, {**record, "stability": found})

    def scores(self, place: Place) -> None:
        """Add the scores of numbers of clusters to the first step."""
        record = read_step(place.folder, FIRST)
        table = select_n_clusters(self._engine(place).X, scale=False, random_state=0)
        numbers = {**record["numbers"], **score_facts(table)}  # type: ignore[typeddict-item]
        write_step(place.folder, {**record, "numbers": numbers})

    def alternatives(self, place: Place) -> None:
        """Find other labellings; what tells them apart is added to the first step."""
        engine = self._engine(place)
        found = engine.find_alternatives()
        write_arrays(place.folder / ALTERNATIVES, **found.arrays())
        record = read_step(place.folder, FIRST)
        about = found.about(engine.samples)
        write_step(place.folder, {**record, "alternatives": about})

    def download(
        self, place: Place, step: str, what: str, target: str, title: str
    ) -> None:
        """Write a model or a report."""
        engine = self._engine(place)
        state = load_clustering(place.folder, step)
        if engine.estimator is None:
            engine.first_fit()
        write = {"model": takeaway.write_model, "report": takeaway.write_cluster_report}
        seconds = read_step(place.folder, FIRST)["seconds"]  # of the fit, not of a name
        write[what](Path(target), engine, state, title, seconds)

    def reasons(
        self, place: Place, step: str, other: str, other_step: str
    ) -> dict[str, Any]:
        """Return what speaks for these clusters, and for those of another work."""
        from maxmargin.app.reasons import reasons_of

        folders, steps = (place.folder, Path(other)), (step, other_step)
        labels = [
            load_clustering(folder, name).labels
            for folder, name in zip(folders, steps, strict=True)
        ]
        rows = [read_arrays(folder / "base.npz")["rows"] for folder in folders]
        return reasons_of(self._engine(place).samples, Shared.of(*labels, *rows))

    def _engine(self, place: Place) -> Engine:
        """Return the table of a work, from memory or from its file."""
        if place.work not in self.engines:
            parsed = Settings.model_validate(place.settings)
            engine = Engine(load(place.file, parsed), parsed)
            engine.restore(read_arrays(place.folder / "base.npz"))
            if (place.folder / ALTERNATIVES).exists():
                found = read_arrays(place.folder / ALTERNATIVES)
                engine.alternatives = Alternatives.from_arrays(found)
            self._keep(place.work, engine)
        self.engines.move_to_end(place.work)
        return self.engines[place.work]

    def _keep(self, work: str, engine: Engine) -> None:
        self.engines[work] = engine
        self.engines.move_to_end(work)
        while len(self.engines) > N_ENGINES:
            self.engines.popitem(last=False)


def load(table: str, settings: Settings) -> TableSamples:
    """Read the samples of a table."""
    samples = read_samples(table, settings.table_options(), settings.label)
    if samples.n_rows < 2:
        raise ValueError("The table has one row: at least two are needed.")
    if samples.texts is not None and settings.method == "mixture":
        raise ValueError("A mixture needs numbers: choose another method for texts.")
    return samples


def start(table: str, settings: Settings, send: Send) -> tuple[Engine, Step]:
    """Read a table and find its clusters without constraints."""
    begin = time.perf_counter()
    engine = Engine(load(table, settings), settings)
    return engine, first_step(engine, begin, send)


def first_step(engine: Engine, begin: float, send: Send) -> Step:
    """Find the clusters without constraints; ``begin`` is when the work began."""
    state = engine.first_fit()
    objective = getattr(engine.estimator, "objective_", None)
    if objective is not None:
        send({"event": "objective", "value": float(objective)})
    about = {
        "action": None,
        "text": "first fit",
        "seconds": _since(begin),
        "objective": None if objective is None else float(objective),
        "moved": 0,
        "flows": [],
        "notes": [for_page(note) for note in engine.samples.notes],
        "numbers": number_facts(engine.estimator),
        **facts_of(state, engine.samples),
    }
    return Step(state, about)


def advance(engine: Engine, before: Clustering, action: dict[str, Any]) -> Step:
    """Apply a correction."""
    begin = time.perf_counter()
    parsed = ACTION.validate_python(action)
    state = apply(engine, before, parsed)
    about = {
        "action": action,
        "text": describe(parsed, before, state),
        "seconds": _since(begin),
        "objective": None,
        "notes": [],
        **moves(before, state),
        **level_ids(engine, parsed),
        **divided_cluster(before, state, parsed),
        **facts_of(state, engine.samples),
    }
    return Step(state, about)


def divided_cluster(
    before: Clustering, after: Clustering, action: Any
) -> dict[str, Any]:
    """Return the cluster that an answer divided, if it did."""
    added = np.setdiff1d(after.ids, before.ids)
    if not len(added) or not isinstance(action, Together | Apart):
        return {}
    return {"divided": int(before.base[after.base == added[0]][0])}


def level_ids(engine: Engine, action: Any) -> dict[str, Any]:
    """Return the id of each label that the estimator has in what was taken."""
    if isinstance(action, Choose):
        return {"level_ids": list(engine.find_alternatives().ids[action.number])}
    if not isinstance(action, Level) or engine.levels is None:
        return {}
    fitted = engine.levels.fitted
    if action.clusters == len(fitted):  # the labels of the fit itself
        return {"level_ids": list(range(int(fitted[-1]) + 1))}
    return {"level_ids": engine.levels.numbers_at(action.clusters).tolist()}


def load_clustering(folder: Path, step: str) -> Clustering:
    """Read the clusters of a step."""
    record = read_step(folder, step)
    return Clustering.of(record, read_arrays(folder / f"{record['result']}.npz"))


def _save(folder: Path, name: str, step: Step) -> StepSummary:
    clusters = step.clustering
    write_arrays(folder / f"{name}.npz", **clusters.arrays())
    return write_step(folder, {"result": name, **clusters.about(), **step.about})


def _since(begin: float) -> float:
    return round(time.perf_counter() - begin, 4)


def _only(X: np.ndarray) -> Any:
    """Return samples without a table."""
    return TableSamples("", X, None, "row", np.arange(len(X)))
