"""What can be taken away: labels, corrections, model, report."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin
from maxmargin.app.clustering import Clustering
from maxmargin.app.engine import Engine, make_clusterer, make_corrected
from maxmargin.app.records import StepRecord
from maxmargin.files import atomic_write
from maxmargin.report.cluster_page import make_cluster_page
from maxmargin.report.results import TableResult
from maxmargin.selection import estimator_stability
from maxmargin.table_model import save_table_model


def label_table(
    state: Clustering, ids: np.ndarray, id_name: str = "row"
) -> dict[str, np.ndarray]:
    """Return the columns of the labels: id, cluster, name, confidence, unsure."""
    names = {c.id: c.name or str(c.id) for c in state.clusters}
    unsure = np.zeros(len(state.labels), dtype=bool)
    unsure[list(state.corrections.unsure)] = True
    return {
        id_name if id_name != "cluster" else "row": ids,
        "cluster": state.labels,
        "name": np.array([names[c] for c in state.labels.tolist()], dtype=object),
        "confidence": np.round(state.confidence.astype(float), 4),
        "unsure": np.where(unsure, "yes", "no").astype(object),
    }


def corrections_file(
    table: str, settings: dict[str, Any], steps: Sequence[StepRecord]
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


def stability(engine: Engine, state: Clustering) -> list[float | None]:
    """Return the stability of each cluster, None where it is not known."""
    labels, k = np.searchsorted(state.ids, state.labels), len(state.clusters)
    if k < 2:
        return [None] * k
    clusterer, random = make_clusterer(engine.settings), np.random.RandomState(0)
    found = estimator_stability(clusterer, engine.X, labels, k, random)
    return [round(v, 3) if np.isfinite(v) else None for v in found.tolist()]


def corrected_model(engine: Engine, state: Clustering) -> SemiSupervisedMaxMargin:
    """Return a classifier of new rows, whose classes are the positions of clusters."""
    said = state.corrections
    labels, given = (
        np.where(one < 0, -1, np.searchsorted(state.ids, one))
        for one in (state.labels, said.given(len(state.labels)))
    )
    model = make_corrected(engine.settings).set_params(init=labels)
    fitted: SemiSupervisedMaxMargin = model.fit(engine.X, given, **said.links())
    return fitted


def write_model(
    path: Path, engine: Engine, state: Clustering, title: str, seconds: float
) -> None:
    """Write a model for ``maxmargin predict``."""
    with atomic_write(path) as file:
        if _is_first(engine, state):
            save_table_model(file, engine.estimator, engine.samples)
        else:
            model = corrected_model(engine, state)
            names = [c.name or str(c.id) for c in state.clusters]
            save_table_model(file, model, engine.samples, "cluster", names)


def write_report(
    path: Path, engine: Engine, state: Clustering, title: str, seconds: float
) -> None:
    """Write the report about the clusters."""
    labels = np.searchsorted(state.ids, state.labels)
    estimator = engine.estimator
    if not _is_first(engine, state):
        estimator = corrected_model(engine, state)
    samples = replace(engine.samples, table=title)
    score = None
    if samples.labels is not None:
        score = float(adjusted_rand_score(samples.labels.astype(str), labels))
    result = TableResult(samples, estimator, labels, seconds, samples.notes, score)
    page = make_cluster_page(result._replace(clusterer=make_clusterer(engine.settings)))
    with atomic_write(path) as file:
        file.write(page.encode())


def _is_first(engine: Engine, state: Clustering) -> bool:
    """Return True if the labels are those of the first fit."""
    estimator = engine.estimator
    known = isinstance(estimator, MaxMarginClustering)
    return known and np.array_equal(estimator.labels_, state.labels)
