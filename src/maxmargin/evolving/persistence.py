"""A fitted estimator as a file of arrays and text, written whole or not at all."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.clustering.model import MarginModel
from maxmargin.clustering.model_file import (
    Arrays,
    pack_map,
    put_rows,
    take_rows,
    unpack_map,
)
from maxmargin.evolving.base import Outcome
from maxmargin.evolving.history import SnapshotRecord
from maxmargin.evolving.snapshots import Snapshot

FORMAT = 2
COUNTS = ("stayed", "moved", "came", "left")
COSTS = ("snapshot_cost", "temporal_cost", "objective")


def save_state(estimator: Any, path: Any) -> None:
    """Write an estimator to a temporary file and give it its name when it is whole."""
    arrays: Arrays = {}
    text = {
        "format": FORMAT,
        "class": type(estimator).__name__,
        "parameters": _check_text(estimator.get_params(deep=False)),
        "n_features": int(estimator.n_features_in_),
        "counts": estimator._outcome.counts,
        "converged": estimator._outcome.converged,
        "sparse": bool(sp.issparse(estimator._past.X)),
    }
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        arrays["feature_names"] = np.asarray(names, dtype=str)
    put_rows(arrays, "X", estimator._past.X)
    arrays["labels"] = estimator.labels_
    for name in ("model", "functions"):
        model = getattr(estimator._outcome, name)
        if model is not None:
            text[name] = _put_model(arrays, name, model)
    _put_history(arrays, estimator.history_)
    arrays["text"] = np.array(json.dumps(text))
    _write(Path(path), arrays)


def load_state(kind: type, path: Any) -> Any:
    """Read an estimator of the given class from a file."""
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    if "text" not in arrays:
        raise ValueError(f"{path} is not a file of {kind.__name__}.save.")
    text = json.loads(str(arrays["text"]))
    if text["class"] != kind.__name__ or text["format"] != FORMAT:
        raise ValueError(
            f"{path} has a {text['class']} in format {text['format']}, not a "
            f"{kind.__name__} in format {FORMAT}: fit and save it again."
        )
    estimator = kind(**text["parameters"])
    history = _get_history(arrays)
    last = history[-1]
    models = {
        name: _get_model(arrays, name, text[name]) if name in text else None
        for name in ("model", "functions")
    }
    costs = (last.snapshot_cost, last.temporal_cost, last.objective)
    outcome = Outcome(
        last.labels,
        models["model"],
        models["functions"],
        costs,
        text["converged"],
        text["counts"],
    )
    past = Snapshot(take_rows(arrays, "X"), last.ids, last.time, last.labels)
    estimator._keep(past, outcome, history)
    estimator.labels_ = arrays["labels"]
    estimator.n_features_in_ = text["n_features"]
    if "feature_names" in arrays:
        estimator.feature_names_in_ = arrays["feature_names"].astype(object)
    return estimator


def _write(path: Path, arrays: Arrays) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _check_text(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON can hold them; refuse what it cannot."""
    result = {}
    for name, value in parameters.items():
        value = value.item() if isinstance(value, np.generic) else value
        value = value.tolist() if isinstance(value, np.ndarray) else value
        try:
            json.dumps(value)
        except TypeError as error:
            raise ValueError(
                f"{name}={value!r} cannot be written to a file: use a number, a "
                "string or a list."
            ) from error
        result[name] = value
    return result


def _put_model(arrays: Arrays, name: str, model: MarginModel) -> dict[str, Any]:
    arrays[f"{name}.coefficients"] = model.coefficients
    arrays[f"{name}.offsets"] = model.offsets
    return pack_map(model.feature_map, arrays, f"{name}.")


def _get_model(arrays: Arrays, name: str, text: dict[str, Any]) -> MarginModel:
    return MarginModel(
        unpack_map(text, arrays, f"{name}."),
        arrays[f"{name}.coefficients"],
        arrays[f"{name}.offsets"],
    )


def _put_history(arrays: Arrays, history: list[SnapshotRecord]) -> None:
    arrays["history.time"] = np.array([record.time for record in history])
    for name in COUNTS + COSTS:
        arrays[f"history.{name}"] = np.array([getattr(one, name) for one in history])
    arrays["history.size"] = np.array([len(record.ids) for record in history])
    arrays["history.ids"] = np.concatenate([record.ids for record in history])
    arrays["history.labels"] = np.concatenate([record.labels for record in history])


def _get_history(arrays: Arrays) -> list[SnapshotRecord]:
    ends = np.cumsum(arrays["history.size"])[:-1]
    ids = np.split(arrays["history.ids"], ends)
    labels = np.split(arrays["history.labels"], ends)
    times = arrays["history.time"]
    records = []
    for i, time in enumerate(times):
        numbers = [arrays[f"history.{name}"][i].item() for name in COSTS + COUNTS]
        moment = time if times.dtype.kind == "M" else time.item()
        records.append(SnapshotRecord(moment, ids[i], labels[i], *numbers))
    return records
