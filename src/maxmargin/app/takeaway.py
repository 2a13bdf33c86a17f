"""What can be taken away: labels, model, report, corrections, code, command."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin
from maxmargin.app.engine import Engine, as_columns, make_estimator
from maxmargin.app.schemas import Settings
from maxmargin.app.state import State
from maxmargin.files import atomic_write
from maxmargin.report.cluster_page import make_cluster_page
from maxmargin.report.results import TableResult
from maxmargin.selection.stability import cluster_stability
from maxmargin.table_model import save_table_model

MAX_STABILITY_ROWS = 2000
CORRECTIONS = "corrections.json"


def label_table(
    state: State, ids: np.ndarray, id_name: str = "row"
) -> dict[str, np.ndarray]:
    """Return the columns of the labels: id, cluster, name, confidence, unsure."""
    names = {c.id: c.name or str(c.id) for c in state.clusters}
    unsure = np.zeros(len(state.labels), dtype=bool)
    unsure[list(state.constraints.unsure)] = True
    return {
        id_name if id_name != "cluster" else "row": ids,
        "cluster": state.labels,
        "name": np.array([names[c] for c in state.labels.tolist()], dtype=object),
        "confidence": np.round(state.confidence.astype(float), 4),
        "unsure": np.where(unsure, "yes", "no").astype(object),
    }


def corrections_file(
    table: str, settings: dict[str, Any], steps: Sequence[dict[str, Any]]
) -> str:
    """Return the corrections as JSON that can be loaded again."""
    actions = [step["action"] for step in steps if step.get("action")]
    content = {
        "format": "maxmargin corrections",
        "version": 1,
        "table": table,
        "settings": settings,
        "actions": actions,
    }
    return json.dumps(content, indent=1)


def command_line(table: str, settings: dict[str, Any], corrected: bool) -> str:
    """Return the command that gives the same labels."""
    if corrected or not _has_command(settings):
        words = ["maxmargin", "app", table, "--corrections", CORRECTIONS]
        return shlex.join([*words, "--out", "clusters.csv"])
    words = ["maxmargin", "cluster", table, "-k", str(settings["clusters"])]
    if settings["features"]:
        words += ["--features", ",".join(settings["features"])]
    if settings["label"]:
        words += ["--label", settings["label"]]
    if settings["id_column"]:
        words += ["--id", settings["id_column"]]
    given = {"scale": "auto", "missing": "error", "kernel": "auto", "balance": "free"}
    for name, default in given.items():
        if settings[name] != default:
            words += [f"--{name}", settings[name]]
    if settings["seed"]:
        words += ["--seed", str(settings["seed"])]
    return shlex.join([*words, "--out", "clusters.csv"])


def python_code(table: str, settings: dict[str, Any], corrected: bool) -> str:
    """Return the Python code that gives the same labels."""
    if corrected:
        return (
            "from maxmargin.app.replay import replay\n\n"
            f"state = replay({table!r}, {CORRECTIONS!r})\n"
            "print(state.labels)\n"
        )
    parsed = Settings.model_validate(settings)
    estimator = make_estimator(parsed)
    drop = [parsed.label] if parsed.label and parsed.features is None else None
    return (
        f"from {_module(estimator)} import {type(estimator).__name__}\n"
        "from maxmargin.tables.preprocessing import TableOptions, read_samples\n\n"
        "options = TableOptions(\n"
        f"    features={parsed.features!r},\n"
        f"    drop={drop!r},\n"
        f"    id_column={parsed.id_column!r},\n"
        f"    scale={parsed.scale!r},\n"
        f"    missing={parsed.missing!r},\n"
        ")\n"
        f"samples = read_samples({table!r}, options)\n"
        f"model = {_call(estimator)}\n"
        "labels = model.fit_predict(samples.X)\n"
        "print(labels)\n"
    )


def stability(engine: Engine, state: State) -> list[float | None]:
    """Return the stability of each cluster, None where it is not known."""
    random = np.random.RandomState(0)
    n_rows = len(engine.X)
    drawn = np.arange(n_rows)
    if n_rows > MAX_STABILITY_ROWS:
        drawn = np.sort(random.choice(n_rows, MAX_STABILITY_ROWS, replace=False))
    ids, k = state.ids, len(state.clusters)
    if len(drawn) < 4 * k or k < 2:
        return [None] * k
    X, labels = engine.X[drawn], np.searchsorted(ids, state.labels[drawn])

    def refit(part: np.ndarray, seed: int) -> np.ndarray:
        model = MaxMarginClustering(
            k, kernel=engine.settings.kernel, scale=False, random_state=seed
        )
        return np.asarray(model.fit(X[part]).labels_)

    values = cluster_stability(refit, labels, random)
    found: list[float | None] = [None] * k
    for h, value in enumerate(values.tolist()):
        found[h] = round(value, 3) if np.isfinite(value) else None
    return found


class CorrectedClusters(BaseEstimator):  # type: ignore[misc]
    """The clusters after corrections, with the attributes that a report needs."""

    def __init__(self, n_clusters: int = 2, random_state: int = 0) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X: np.ndarray) -> "CorrectedClusters":
        """Cluster rows without corrections, for the stability."""
        model = MaxMarginClustering(
            self.n_clusters, scale=False, random_state=self.random_state
        ).fit(X)
        self.labels_ = model.labels_
        return self

    def set_result(
        self, model: SemiSupervisedMaxMargin, n_clusters: int
    ) -> "CorrectedClusters":
        """Set the model of the corrected clusters."""
        self.n_clusters_, self.objective_ = n_clusters, float(model.objective_)
        self._model = model
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the decision values, with a column for each cluster."""
        return as_columns(self._model.decision_function(X), self.n_clusters_)


def corrected_model(engine: Engine, state: State) -> SemiSupervisedMaxMargin:
    """Return a classifier of new rows, fitted to the labels of the state."""
    names = {c.id: c.name or str(c.id) for c in state.clusters}
    part = engine.part
    y = np.array([names[c] for c in state.labels[part].tolist()])
    for name in set(names.values()) - set(y.tolist()):  # no row of it in the part
        y[np.flatnonzero(y == y[0])[0]] = name
    model = SemiSupervisedMaxMargin(scale=False, random_state=engine.settings.seed)
    fitted: SemiSupervisedMaxMargin = model.fit(engine.X[part], y)
    return fitted


def write_model(
    path: Path, engine: Engine, state: State, title: str, seconds: float
) -> None:
    """Write a model for ``maxmargin predict``."""
    with atomic_write(path) as file:
        if _is_first(engine, state):
            save_table_model(file, engine.estimator, engine.samples)
        else:
            model = corrected_model(engine, state)
            classes = [str(name) for name in model.classes_]
            model.classes_ = np.arange(len(classes))
            save_table_model(file, model, engine.samples, "cluster", classes)


def write_report(
    path: Path, engine: Engine, state: State, title: str, seconds: float
) -> None:
    """Write the report about the clusters."""
    from dataclasses import replace

    labels = np.searchsorted(state.ids, state.labels)
    estimator = engine.estimator
    if not _is_first(engine, state):
        k = len(state.clusters)
        estimator = CorrectedClusters(k).set_result(_numbered_model(engine, labels), k)
    samples = replace(engine.samples, table=title)
    score = None
    if samples.labels is not None:
        score = float(adjusted_rand_score(samples.labels.astype(str), labels))
    page = make_cluster_page(
        TableResult(samples, estimator, labels, seconds, samples.notes, score)
    )
    with atomic_write(path) as file:
        file.write(page.encode())


def _numbered_model(engine: Engine, labels: np.ndarray) -> SemiSupervisedMaxMargin:
    """Return a classifier whose classes are positions of clusters."""
    part, k = engine.part, int(labels.max()) + 1
    model = SemiSupervisedMaxMargin(k, scale=False, random_state=engine.settings.seed)
    fitted: SemiSupervisedMaxMargin = model.fit(engine.X[part], labels[part])
    return fitted


def _is_first(engine: Engine, state: State) -> bool:
    """Return True if the labels are those of the first fit."""
    estimator = engine.estimator
    known = isinstance(estimator, MaxMarginClustering)
    return known and np.array_equal(estimator.labels_, state.labels)


def _has_command(settings: dict[str, Any]) -> bool:
    limits = settings["min_size"] is None and settings["max_size"] is None
    return settings["method"] == "maxmargin" and limits


def _module(estimator: Any) -> str:
    return "maxmargin" if isinstance(estimator, MaxMarginClustering) else (
        "sklearn.cluster" if "KMeans" in type(estimator).__name__ else "sklearn.mixture"
    )  # fmt: skip


def _call(estimator: Any) -> str:
    """Return the code that makes an estimator, without its default parameters."""
    defaults = type(estimator)().get_params()
    given = ", ".join(
        f"{name}={value!r}"
        for name, value in estimator.get_params().items()
        if repr(value) != repr(defaults[name])
    )
    return f"{type(estimator).__name__}({given})"
