"""What can be taken away: labels, corrections, model, report."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering
from maxmargin.app.clustering import Clustering
from maxmargin.app.engine import Engine, make_clusterer, make_corrected
from maxmargin.app.records import StepRecord
from maxmargin.files import atomic_write
from maxmargin.report.cluster_page import make_cluster_page
from maxmargin.report.results import (
    OtherLabels,
    TableResult,
    agreement_with_classes,
)
from maxmargin.selection import estimator_stability
from maxmargin.table_model import save_table_model
from maxmargin.tables.write import is_formula, with_found

NEAR_COPY = 0.95  # the agreement above which a labelling is none of its own


def label_table(
    state: Clustering, ids: np.ndarray, id_name: str = "row"
) -> dict[str, np.ndarray]:
    """Return the columns of the labels: id, cluster, name, margin, unsure.

    A name that a spreadsheet would take for a formula begins with an apostrophe.
    """
    names = {h: f"'{n}" if is_formula(n) else n for h, n in state.names.items()}
    margin = state.margin.astype(float)  # there is none without a second cluster
    unsure = np.zeros(len(state.labels), dtype=bool)
    unsure[list(state.corrections.unsure)] = True
    found = {
        "cluster": state.labels,
        "name": np.array([names[c] for c in state.labels.tolist()], dtype=object),
        "margin": np.where(state.rivals < 0, np.nan, np.round(margin, 4)),
        "unsure": np.where(unsure, "yes", "no").astype(object),
    }
    return with_found({id_name: ids}, found)


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


class FittedModel(NamedTuple):
    """A model of new rows, and the clusters as it numbers them."""

    estimator: Any
    labels: np.ndarray  # of all rows
    names: list[str]


def fitted_model(engine: Engine, state: Clustering) -> FittedModel:
    """Return the estimator of the first fit, or a classifier of corrected clusters."""
    first = engine.estimator
    known = isinstance(first, MaxMarginClustering)
    if known and np.array_equal(first.labels_, state.labels):
        numbers = range(first.n_clusters_)  # some may have no rows
        names = [state.names.get(h, str(h)) for h in numbers]
        return FittedModel(first, state.labels, names)
    labels = np.searchsorted(state.ids, state.labels)
    model = make_corrected(engine.settings).set_params(init=labels)
    model.fit(engine.X, labels)  # all are given, so that it predicts what is exported
    return FittedModel(model, labels, list(state.names.values()))


def write_model(
    path: Path, engine: Engine, state: Clustering, title: str, seconds: float
) -> None:
    """Write a model for ``maxmargin predict``."""
    model = fitted_model(engine, state)
    plain = [str(h) for h in range(len(model.names))]
    names = model.names if model.names != plain else None
    with atomic_write(path) as file:
        save_table_model(
            file, model.estimator, engine.samples, "cluster", names, model.labels
        )


def write_cluster_report(
    path: Path, engine: Engine, state: Clustering, title: str, seconds: float
) -> None:
    """Write the report about the clusters."""
    estimator, labels, names = fitted_model(engine, state)
    samples = replace(engine.samples, table=title)
    score = agreement_with_classes(samples, labels)
    result = TableResult(samples, estimator, labels, seconds, samples.notes, score)
    clusterer = make_clusterer(engine.settings)
    counts = getattr(engine.estimator, "count_table_", None)
    result = result._replace(clusterer=clusterer, names=names, counts=counts)
    if engine.settings.method == "maxmargin":
        found = engine.find_alternatives()
        others = [
            OtherLabels(one, text, float(adjusted_rand_score(labels, one)))
            for text, one in zip(found.descriptions, found.labels, strict=True)
        ]
        differ = [one for one in others if one.agreement <= NEAR_COPY]
        result = result._replace(alternatives=differ)
    page = make_cluster_page(result)
    with atomic_write(path) as file:
        file.write(page.encode())
