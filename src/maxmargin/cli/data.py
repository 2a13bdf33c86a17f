"""From the options of a subcommand to a matrix of numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from maxmargin.cli.console import working

LEAST_MEMORY = 200e6


@dataclass(frozen=True)
class Data:
    """Samples, the rules that made them, and the columns beside them."""

    X: np.ndarray
    rules: Any  # `maxmargin.tables.rules.Rules`
    id_name: str
    ids: np.ndarray
    label: np.ndarray | None
    time: np.ndarray | None
    notes: list[str] = field(default_factory=list)


def load(
    path: str,
    *,
    features: Sequence[str] | None,
    drop: Sequence[str],
    id_column: str | None,
    scale: str,
    missing: str,
    label: str | None = None,
    time: str | None = None,
) -> Data:
    """Read a table and turn it into numbers."""
    from maxmargin.kernels.counts import looks_like_counts
    from maxmargin.tables.read import read_table
    from maxmargin.tables.rules import learn_rules

    keep = list(dict.fromkeys(n for n in (id_column, label, time) if n is not None))
    with working("reading"):
        table = read_table(path, features, drop, keep)
        rules = learn_rules(
            table, scale, missing, features or (), count_like=looks_like_counts
        )
        n_rows = len(table)
        X, rows = rules.apply(table)
    notes = list(rules.notes)
    if len(rows) < n_rows:
        notes.append(f"{n_rows - len(rows)} rows with gaps are left out")
    ids = table.kept[id_column][rows] if id_column else rows
    labels = table.kept[label][rows] if label else None
    times = table.kept[time][rows] if time else None
    return Data(X, rules, id_column or "row", ids, labels, times, notes)


def load_wished(path: str, wishes: Mapping[str, Any]) -> Data:
    """Read a table as the options of a command say."""
    names = ("features", "drop", "id_column", "scale", "missing", "label", "time")
    return load(path, **{name: wishes[name] for name in names if name in wishes})


def memory_for(X: np.ndarray) -> float:
    """Return the bytes that a fit may take beside its samples.

    A quarter more than they take, and no less than a fit of some thousand samples
    needs: a large file costs less than three times its numbers.
    """
    return float(max(LEAST_MEMORY, 1.25 * X.nbytes))
