"""Python code and the command that give the labels of a work.

The code has public names only. Fits with corrections depend on the clusters that they
start from and on what the user has said, so that of several in a row the last counts.
"""

import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from maxmargin import MaxMarginClustering
from maxmargin.app.engine import make_clusterer, make_corrected, make_estimator
from maxmargin.app.records import CorrectionsRecord, StepRecord
from maxmargin.app.schemas import Settings
from maxmargin.tables import TableOptions

CORRECTIONS = "corrections.json"

_CORRECT = '''

def correct(start, given, together, apart):
    """Change clusters where given ones and pairs of rows contradict them."""
    y = np.full(X.shape[0], -1)
    y[list(given)] = list(given.values())
    model = {model}
    model.fit(X, y, must_link=together, cannot_link=apart)
    return model.transduction_
'''
_DIVIDE = '''

def divide(rows, into, numbers):
    """Cluster some rows; the largest clusters have the first of the numbers."""
    found = {model}.fit_predict(X[rows])
    order = np.argsort(-np.bincount(found), kind="stable")
    return np.array(numbers)[np.argsort(order)[found]]
'''


def command_line(table: str, settings: dict[str, Any], corrected: bool) -> str:
    """Return the command that gives the same labels."""
    limits = settings["min_size"] is None and settings["max_size"] is None
    plain = limits and not (settings.get("roles") or settings.get("weights"))
    if corrected or settings["method"] != "maxmargin" or not plain:
        words = ["maxmargin", "app", table, "--corrections", CORRECTIONS]
        return shlex.join([*words, "--out", "clusters.csv"])
    words = ["maxmargin", "cluster", table, "-k", str(settings["clusters"])]
    if settings["features"]:
        words += ["--features", ",".join(settings["features"])]
    if settings["label"]:
        words += ["--label", settings["label"]]
    if settings["id_column"]:
        words += ["--id", settings["id_column"]]
    given = {"scale": "auto", "missing": "median", "kernel": "auto", "balance": "free"}
    for name, default in given.items():
        if settings[name] != default:
            words += [f"--{name}", settings[name]]
    for name in ("encoding", "decimal"):
        if settings.get(name):
            words += [f"--{name}", settings[name]]
    if settings["seed"]:
        words += ["--seed", str(settings["seed"])]
    return shlex.join([*words, "--out", "clusters.csv"])


def python_code(
    table: str, settings: dict[str, Any], steps: Sequence[StepRecord]
) -> str:
    """Return the Python code that gives the labels of the last step."""
    parsed = Settings.model_validate(settings)
    estimator = make_estimator(parsed)
    body = _Body()
    for before, step in pairwise(steps):
        body.add(before, step)
    body.correct()
    options = parsed.table_options()
    imports = {_module(estimator): {type(estimator).__name__}}
    functions = ""
    if body.corrects:
        imports.setdefault("maxmargin", set()).add("SemiSupervisedMaxMargin")
        functions += _CORRECT.format(model=_call(make_corrected(parsed), init="start"))
    if body.divides:
        imports.setdefault("maxmargin", set()).add("MaxMarginClustering")
        model = _call(make_clusterer(parsed), n_clusters="into")
        functions += _DIVIDE.format(model=model)
    plain = vars(TableOptions())
    given = {
        name: value for name, value in vars(options).items() if value != plain[name]
    }
    readers = ["TableOptions", "TextOptions", "read_samples"]
    if "text_options" not in given:
        readers.remove("TextOptions")
    lines = [
        *(["import numpy as np"] if body.lines else []),
        *(
            f"from {m} import {', '.join(sorted(n))}"
            for m, n in sorted(imports.items())
        ),
        f"from maxmargin.tables import {', '.join(readers)}",
        "",
        "options = TableOptions(",
        *(f"    {name}={value!r}," for name, value in given.items()),
        ")",
        f"X = read_samples({table!r}, options).X",
    ]
    first = [f"labels = {_call(estimator)}.fit_predict(X)"]
    if body.levels:
        first = [f"model = {_call(estimator)}.fit(X)", "labels = model.labels_.copy()"]
    end = [*first, *(["start = labels.copy()"] if body.lines else []), *body.lines]
    if functions:
        return "\n".join([*lines, functions, "", *end, "print(labels)", ""])
    return "\n".join([*lines, *end, "print(labels)", ""])


class _Body:
    """The lines of code of corrections, one after another."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.said: CorrectionsRecord | None = None  # what the next fit has to keep
        self.corrects = self.divides = self.levels = False

    def add(self, before: StepRecord, step: StepRecord) -> None:
        """Add the correction that led from one step to the next."""
        action = step["action"]
        assert action is not None
        old, new = (
            [cluster["id"] for cluster in one["clusters"]] for one in (before, step)
        )
        kind = action["kind"]
        if kind in ("together", "apart"):
            self.said = step["constraints"]
            if "divided" in step:
                self._take_part(step["divided"], max(new))
        elif kind == "assign":
            self._assign(action, old, new, step)
        elif kind == "merge":
            first, *rest = dict.fromkeys(action["clusters"])
            self.correct()
            self.lines += [
                f"labels[np.isin(labels, {rest})] = {first}",
                f"start[np.isin(start, {rest})] = {first}",
            ]
            self._keep()
        elif kind in ("split", "recluster"):
            self._divide(action, old, new)
        elif kind in ("level", "choose"):
            self.levels, self.said = True, None
            level = f"model.labels_at({action.get('clusters')})"
            if kind == "choose" and action["number"] == 0:
                level = "model.labels_"
            elif kind == "choose":
                level = f"model.find_alternatives(X)[{action['number'] - 1}].labels"
            self.lines += [
                f"labels = np.array({step['level_ids']})[{level}]",
                "start = labels.copy()",
            ]
            if action.get("together") or action.get("apart"):
                self.said = step["constraints"]

    def _assign(
        self, action: dict[str, Any], old: list[int], new: list[int], step: StepRecord
    ) -> None:
        rows, target = sorted(set(action["rows"])), action["cluster"]
        added = target is None
        if added:
            target = max(old) + 1
        if len(new) < len(old) + added:  # all rows of a cluster have gone
            self.correct()
            if added:
                self.lines.append(f"start[{rows}] = {target}")
            self.lines.append(f"labels[{rows}] = {target}")
            self._keep()
            return
        if added:
            self.lines.append(f"start[{rows}] = {target}")
        if len(new) > 1:
            self.said = step["constraints"]

    def _divide(self, action: dict[str, Any], old: list[int], new: list[int]) -> None:
        self.correct()
        self.divides = True
        if action["kind"] == "split":
            kept = [action["cluster"]]
            self.lines.append(f"rows = np.flatnonzero(labels == {kept[0]})")
        else:
            kept = []
            self.lines.append(f"rows = {sorted(set(action['rows']))}")
        numbers = kept + [number for number in new if number > max(old)]
        self.lines += [
            f"labels[rows] = divide(rows, {action['into']!r}, {numbers})",
            "start[rows] = labels[rows]",
        ]
        self._keep()

    def _take_part(self, cluster: int, number: int) -> None:
        """Add that the fit with the answers starts from two parts of a cluster."""
        self.divides = True
        self.lines += [
            f"rows = np.flatnonzero(start == {cluster})",
            f"start[rows] = divide(rows, 2, {[cluster, number]})",
        ]

    def _keep(self) -> None:
        """Add that clusters without rows are gone."""
        self.lines.append("start = np.where(np.isin(start, labels), start, labels)")

    def correct(self) -> None:
        """Add a fit with what the user has said since the last one."""
        if self.said is None:
            return
        given = dict(self.said["labels"])
        together, apart = (
            [tuple(pair) for pair in pairs]
            for pairs in (self.said["together"], self.said["apart"])
        )
        self.lines += [
            "labels = correct(",
            "    start,",
            f"    given={given},",
            f"    together={together},",
            f"    apart={apart},",
            ")",
        ]
        self.said, self.corrects = None, True


def _module(estimator: Any) -> str:
    if isinstance(estimator, MaxMarginClustering):
        return "maxmargin"
    return "sklearn.cluster" if "KMeans" in str(estimator) else "sklearn.mixture"


def _call(estimator: Any, **names: str) -> str:
    """Return the code that makes an estimator, without its default parameters.

    Some parameters have the values of variables, by their names.
    """
    defaults = type(estimator)().get_params()
    given = {
        name: repr(value)
        for name, value in estimator.get_params().items()
        if repr(value) != repr(defaults[name])
    }
    arguments = ", ".join(f"{name}={text}" for name, text in (given | names).items())
    return f"{type(estimator).__name__}({arguments})"
