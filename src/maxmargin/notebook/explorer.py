"""`Explorer`, the widget with the map of the clusters."""

from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.notebook.bundle import bundle
from maxmargin.notebook.session import Session
from maxmargin.report.colors import distinct_colors, lighten

FOLDER = Path(__file__).parent
N_COLORS = 60


def _synced(trait: Any) -> Any:
    return trait.tag(sync=True)


class Explorer(anywidget.AnyWidget):
    """The map of the clusters of a model, with corrections.

    Attributes
    ----------
    corrected : SemiSupervisedMaxMargin
        Fitted with all corrections so far. ``corrected.labels_`` are the clusters on
        the map, ``corrected.classes_`` their numbers there.
    names : dict
        The names that were given to clusters, by their numbers.
    selection : list of int
        Rows that are selected on the map; may be set.
    steps : list of str
        What was done.
    """

    _esm = bundle(FOLDER / "widget.js")
    _css = FOLDER / "widget.css"
    _xy = _synced(traitlets.Bytes())
    _labels = _synced(traitlets.Bytes())
    _margin = _synced(traitlets.Bytes())
    _clusters = _synced(traitlets.List())
    _colors = _synced(traitlets.Dict())
    _position = _synced(traitlets.Int())
    selection = _synced(traitlets.List(traitlets.Int()))
    steps = _synced(traitlets.List(traitlets.Unicode()))

    def __init__(self, session: Session) -> None:
        self._session = session
        light = distinct_colors(N_COLORS)
        super().__init__(
            _xy=session.xy.astype("<f4").tobytes(),
            _colors={"light": light, "dark": [lighten(color) for color in light]},
        )
        self._show()
        self.on_msg(self._receive)

    @property
    def corrected(self) -> SemiSupervisedMaxMargin:
        """Return a model of the present clusters, fitted with all corrections."""
        return self._session.corrected

    @property
    def names(self) -> dict[int, str]:
        """Return the names that were given to clusters."""
        return {c.id: c.name for c in self._session.state.clusters if c.name}

    def correct(self, kind: str, **fields: Any) -> None:
        """Correct the clusters, as the buttons do.

        Parameters
        ----------
        kind : {"assign", "together", "apart", "merge", "split", "recluster", "rename"}
        **fields
            ``rows`` and ``cluster`` (None for a new one) to assign; ``rows`` of pairs;
            ``clusters`` to merge; ``cluster`` and ``into`` to split; ``cluster`` and
            ``name`` to rename.
        """
        self._session.correct({"kind": kind, **fields})
        self._show()

    def undo(self) -> None:
        """Take the last correction back."""
        self._move(-1)

    def redo(self) -> None:
        """Repeat the correction that was taken back last."""
        self._move(1)

    def _move(self, number: int) -> None:
        self._session.move(number)
        self._show()

    def _receive(self, _: Any, content: Any, buffers: Any) -> None:
        """Do what was pressed on the map, and answer when it is done."""
        error = ""
        try:
            if content["kind"] in ("undo", "redo"):
                self._move(-1 if content["kind"] == "undo" else 1)
            else:
                self.correct(**content)
        except ValueError as raised:
            error = str(raised)
        self.send({"done": True, "error": error})

    def _show(self) -> None:
        """Send the present clusters to the map."""
        state = self._session.state
        sizes = np.bincount(state.labels)
        with self.hold_sync():
            self._labels = state.labels.astype("<i4").tobytes()
            self._margin = np.rint(255 * state.margin).astype(np.uint8).tobytes()
            self._clusters = [
                {"id": c.id, "name": c.name, "color": c.color, "size": int(sizes[c.id])}
                for c in state.clusters
            ]
            self.steps = [step.text for step in self._session.steps]
            self._position = self._session.position
