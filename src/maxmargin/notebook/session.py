"""The corrections of the clusters of a fitted model, step by step.

They are those of the page of ``maxmargin app``: the same record of the clusters goes
through the same functions. Only the fits are made with the samples of the user.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from pydantic import TypeAdapter, ValidationError
from sklearn.base import clone

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.app.clustering import Cluster, Clustering, Corrections
from maxmargin.app.corrections import apply, describe
from maxmargin.app.engine import Engine, with_margins
from maxmargin.app.schemas import OFFERED, AnyAction, Settings
from maxmargin.tables.samples import TableSamples

ACTION: TypeAdapter[Any] = TypeAdapter(AnyAction)
MIN_AGREEMENT = 0.5  # of labels and predictions; limits of sizes may change labels


@dataclass
class ModelEngine(Engine):
    """Fits with corrections, of samples as the user has them."""

    original: Any = None  # the samples; those of `samples` are encoded and scaled

    def fit(
        self, base: np.ndarray, corrections: Corrections
    ) -> SemiSupervisedMaxMargin:
        """Return the model of clusters with corrections."""
        return self.fit_model(self.model, base, corrections)

    def fit_model(
        self, model: SemiSupervisedMaxMargin, base: np.ndarray, corrections: Corrections
    ) -> SemiSupervisedMaxMargin:
        """Fit a model to the samples of the user."""
        given = corrections.given(len(base))
        model.set_params(init=base)
        return model.fit(self.original, given, **corrections.links())


def make_engine(model: Any, X: Any, rows: Any) -> ModelEngine:
    """Return the engine of corrections of a model."""
    seed = model.random_state
    settings = Settings(
        kernel=model.kernel if str(model.kernel) in OFFERED else "auto",
        seed=seed if isinstance(seed, (int, np.integer)) else 0,
    )
    samples = TableSamples("", rows, None, "row", np.arange(rows.shape[0]))
    engine = ModelEngine(samples, settings, original=X)
    engine.model.set_params(scale=model.scale)
    return engine


def first_state(model: Any, X: Any) -> Clustering:
    """Return the clusters of a model, without corrections."""
    labels = np.asarray(model.labels_, dtype=np.int64)
    predicted = model.predict(X)
    if len(predicted) != len(labels) or np.mean(predicted == labels) < MIN_AGREEMENT:
        raise ValueError(
            "X are not the samples that the model was fitted to: give those of fit."
        )
    ids = np.unique(labels)  # a cluster may be empty
    decisions = model.decision_function(X)[:, ids]
    clusters = tuple(Cluster(int(h)) for h in ids)
    return with_margins(labels, labels, decisions, clusters, Corrections())


class Step(NamedTuple):
    """What was done, and the clusters after it."""

    text: str
    clustering: Clustering


class Session:
    """The map of the samples, and the steps of their corrections.

    Parameters
    ----------
    model : MaxMarginClustering
    X : array-like of shape (n_samples, n_features)
        The samples that it was fitted to.
    rows : {ndarray, sparse matrix} of shape (n_samples, n_columns)
        The same as the model compares them.

    Attributes
    ----------
    xy : ndarray of shape (n_samples, 2)
        Positions on the map, from -1 to 1.
    steps : list of Step
    position : int
        The present step; undo goes back by one.
    """

    def __init__(self, model: Any, X: Any, rows: Any) -> None:
        self.engine = make_engine(model, X, rows)
        state, arrays = self.engine.explore(first_state(model, X))
        self.xy = arrays.get("graph", arrays["pca"])
        self.steps, self.position = [Step("the clusters of the model", state)], 0
        self._corrected: tuple[Step, SemiSupervisedMaxMargin] | None = None

    @property
    def state(self) -> Clustering:
        """Return the present clusters."""
        return self.steps[self.position].clustering

    def correct(self, action: dict[str, Any]) -> None:
        """Apply a correction; what was undone before is forgotten."""
        try:
            parsed = ACTION.validate_python(action)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise ValueError(f"{place or action!r}: {first['msg']}.") from None
        before = self.state
        after = apply(self.engine, before, parsed)
        step = Step(describe(parsed, before, after), after)
        self.steps[self.position + 1 :] = [step]
        self.position += 1

    def move(self, number: int) -> None:
        """Go back (-1) or on (1) by some steps, as far as there are any."""
        last = len(self.steps) - 1
        self.position = min(max(self.position + number, 0), last)

    @property
    def corrected(self) -> SemiSupervisedMaxMargin:
        """Return the model of the present clusters and corrections, fitted."""
        step = self.steps[self.position]
        if self._corrected is None or self._corrected[0] is not step:
            state = step.clustering
            if len(state.clusters) < 2:
                raise ValueError("There is one cluster: split it, or undo the merger.")
            model = clone(self.engine.model).set_params(warm_start=False)
            fitted = self.engine.fit_model(model, state.base, state.corrections)
            self._corrected = step, fitted
        return self._corrected[1]
