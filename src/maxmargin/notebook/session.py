"""The corrections of the clusters of a fitted model, step by step.

They are those of the page of ``maxmargin app``: the same record of the clusters goes
through the same functions. These work with the rows as the model compares them; the
model that the user gets is fitted to the samples as the user has them.
"""

from typing import Any, NamedTuple

import numpy as np
from pydantic import TypeAdapter, ValidationError

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.app.clustering import Cluster, Clustering, Corrections
from maxmargin.app.corrections import apply, describe
from maxmargin.app.engine import Engine, with_margins
from maxmargin.app.schemas import OFFERED, AnyAction, Settings
from maxmargin.tables.samples import TableSamples

ACTION: TypeAdapter[Any] = TypeAdapter(AnyAction)
MIN_AGREEMENT = 0.5  # of labels and predictions; limits of sizes may change labels


def make_engine(model: Any, rows: Any) -> Engine:
    """Return the engine of corrections of the rows of a model."""
    seed = model.random_state
    settings = Settings(
        kernel=model.kernel if str(model.kernel) in OFFERED else "auto",
        seed=int(seed) if isinstance(seed, (int, np.integer)) else 0,
    )
    samples = TableSamples("", rows, None, "row", np.arange(rows.shape[0]))
    return Engine(samples, settings)


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
        self.engine, self.X, self.scale = make_engine(model, rows), X, model.scale
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
            model = SemiSupervisedMaxMargin(
                init=state.base,
                scale=self.scale,
                random_state=self.engine.settings.seed,
            )
            said = state.corrections
            model.fit(self.X, said.given(len(state.base)), **said.links())
            self._corrected = step, model
        return self._corrected[1]
