"""The tasks of a worker process, by name."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from maxmargin import progress
from maxmargin.app import takeaway
from maxmargin.app.clustering import Clustering
from maxmargin.app.corrections import apply, describe
from maxmargin.app.engine import Engine
from maxmargin.app.facts import facts_of, moves
from maxmargin.app.records import StepSummary, read_step, write_step
from maxmargin.app.schemas import AnyAction, ImageSettings, Settings, TimeSettings
from maxmargin.app.store import read_arrays, write_arrays
from maxmargin.tables.preprocessing import TableSamples, read_samples

N_ENGINES = 2  # tables that a process keeps in memory
ACTION: TypeAdapter[Any] = TypeAdapter(AnyAction)

Send = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Step:
    """A step of a work: its clusters, and what the page shows about them."""

    clustering: Clustering
    about: dict[str, Any]


class Tasks:
    """The tasks, and the tables in memory."""

    def __init__(self) -> None:
        self.engines: OrderedDict[str, Engine] = OrderedDict()

    def run(self, name: str, arguments: dict[str, Any], send: Send) -> Any:
        """Run a task by its name."""
        known: dict[str, Callable[..., Any]] = {
            "inspect": self.inspect,
            "fit": self.fit,
            "correct": self.correct,
            "replay": self.replay,
            "times": self.times,
            "segment": self.segment,
            "stability": self.stability,
            "download": self.download,
        }
        return known[name](send=send, **arguments)

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

    def inspect(
        self, path: str, folder: str, send: Send, encoding: str | None = None
    ) -> dict[str, Any]:
        """Describe an uploaded file."""
        from maxmargin.app.inspect_task import inspect_file

        return inspect_file(path, Path(folder), encoding)

    def fit(
        self, work: str, table: str, folder: str, settings: dict[str, Any], send: Send
    ) -> StepSummary:
        """Find the clusters of a table; return the first step."""
        parsed = Settings.model_validate(settings)
        with progress.stage(0.0, 0.7, "clusters"):
            engine, step = start(table, parsed, send)
        with progress.stage(0.7, 1.0, "map"):
            state, arrays = engine.explore(step.clustering)
            step = Step(state, step.about)
        assert engine.samples.rows is not None
        write_arrays(Path(folder) / "base.npz", rows=engine.samples.rows, **arrays)
        self._keep(work, engine)
        return _save(folder, "0000", step)

    def correct(
        self,
        work: str,
        table: str,
        folder: str,
        settings: dict[str, Any],
        step: str,
        action: dict[str, Any],
        name: str,
        send: Send,
    ) -> StepSummary:
        """Apply a correction; return the next step."""
        engine = self._engine(work, table, folder, settings)
        before = load_clustering(Path(folder), step)
        return _save(folder, name, advance(engine, before, action))

    def replay(
        self,
        work: str,
        table: str,
        folder: str,
        settings: dict[str, Any],
        actions: list[dict[str, Any]],
        send: Send,
    ) -> list[StepSummary]:
        """Find the clusters and apply corrections; return all steps."""
        steps = [self.fit(work, table, folder, settings, send)]
        engine = self.engines[work]
        state = load_clustering(Path(folder), steps[0]["result"])
        for number, action in enumerate(actions, 1):
            step = advance(engine, state, action)
            steps.append(_save(folder, f"{number:04d}", step))
            state = step.clustering
            progress.update(number / len(actions), "corrections")
        return steps

    def times(
        self, work: str, table: str, folder: str, settings: dict[str, Any], send: Send
    ) -> StepSummary:
        """Find the clusters of snapshots; return the only step."""
        from maxmargin.app.time_task import cluster_times

        begin = time.perf_counter()
        parsed = TimeSettings.model_validate(settings)
        step = cluster_times(table, Path(folder), parsed)
        about = {"text": "first fit", "seconds": _since(begin)}
        return write_step(Path(folder), step | about)

    def segment(
        self, work: str, image: str, folder: str, settings: dict[str, Any], name: str,
        send: Send,
    ) -> StepSummary:  # fmt: skip
        """Segment an image; return a step."""
        from maxmargin.app.image_task import segment_image

        begin = time.perf_counter()
        parsed = ImageSettings.model_validate(settings)
        step = segment_image(image, Path(folder), parsed, name)
        n_strokes = len(parsed.strokes)
        text = f"{n_strokes} strokes" if n_strokes else "first segments"
        return write_step(
            Path(folder), {**step, "text": text, "seconds": _since(begin)}
        )

    def stability(
        self, work: str, table: str, folder: str, settings: dict[str, Any],
        step: str, send: Send,
    ) -> None:  # fmt: skip
        """Add the stability of each cluster under resampling to a step."""
        engine = self._engine(work, table, folder, settings)
        found = takeaway.stability(engine, load_clustering(Path(folder), step))
        write_step(Path(folder), {**read_step(Path(folder), step), "stability": found})

    def download(
        self, work: str, table: str, folder: str, settings: dict[str, Any],
        step: str, what: str, target: str, title: str, send: Send,
    ) -> None:  # fmt: skip
        """Write a model or a report."""
        engine = self._engine(work, table, folder, settings)
        state = load_clustering(Path(folder), step)
        if engine.estimator is None:
            engine.first_fit()
        write = {"model": takeaway.write_model, "report": takeaway.write_report}
        seconds = read_step(Path(folder), step)["seconds"]
        write[what](Path(target), engine, state, title, seconds)

    def _engine(
        self, work: str, table: str, folder: str, settings: dict[str, Any]
    ) -> Engine:
        """Return the table of a work, from memory or from its file."""
        if work not in self.engines:
            parsed = Settings.model_validate(settings)
            engine = Engine(load(table, parsed), parsed)
            engine.restore(read_arrays(Path(folder) / "base.npz"))
            self._keep(work, engine)
        self.engines.move_to_end(work)
        return self.engines[work]

    def _keep(self, work: str, engine: Engine) -> None:
        self.engines[work] = engine
        self.engines.move_to_end(work)
        while len(self.engines) > N_ENGINES:
            self.engines.popitem(last=False)


def load(table: str, settings: Settings) -> TableSamples:
    """Read the samples of a table."""
    samples = read_samples(table, settings.table_options(), settings.label)
    if len(samples.X) < 2:
        raise ValueError("The table has one row: at least two are needed.")
    return samples


def start(table: str, settings: Settings, send: Send) -> tuple[Engine, Step]:
    """Find the clusters of a table without constraints."""
    begin = time.perf_counter()
    with progress.stage(0.0, 0.1, "reading"):
        engine = Engine(load(table, settings), settings)
    with progress.stage(0.1, 1.0, "clusters"):
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
        "notes": list(engine.samples.notes),
        **facts_of(state, engine.samples),
    }
    return engine, Step(state, about)


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
        **facts_of(state, engine.samples),
    }
    return Step(state, about)


def load_clustering(folder: Path, step: str) -> Clustering:
    """Read the clusters of a step."""
    record = read_step(folder, step)
    return Clustering.of(record, read_arrays(folder / f"{record['result']}.npz"))


def _save(folder: str, name: str, step: Step) -> StepSummary:
    clusters = step.clustering
    write_arrays(Path(folder) / f"{name}.npz", **clusters.arrays())
    about = {"result": name, **clusters.about(), **step.about}
    return write_step(Path(folder), about)


def _since(begin: float) -> float:
    return round(time.perf_counter() - begin, 4)


def _only(X: np.ndarray) -> Any:
    """Return samples without a table."""
    from maxmargin.tables.preprocessing import Preprocessor

    return TableSamples(
        "", X, Preprocessor((), "error", False), "row", np.arange(len(X))
    )
