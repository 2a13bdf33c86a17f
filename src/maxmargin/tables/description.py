r"""What distinguishes clusters, in the columns and units of the table.

For a number the means inside and outside of a cluster are compared, for a category the
shares of each of its values, which are means of indicators. With the standard deviation
:math:`s` of all rows, the difference is

.. math:: d = (\bar x_{\mathrm{inside}} - \bar x_{\mathrm{outside}}) / s,

so that numbers of any unit and categories can be compared. Missing values are left out.
Ids and texts have no differences.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.tables.basis import indicators, make_block
from maxmargin.tables.frames import Frame, open_frame
from maxmargin.tables.objects import is_table
from maxmargin.tables.roles import CATEGORY, NUMBER, USED, Decision, decide
from maxmargin.tables.table import Table


@dataclass(frozen=True)
class Difference:
    """A number, or a value of a category, that a cluster has more or less of."""

    column: str
    value: str | None  # of a category, None for a number
    inside: float  # mean of the number, or share of the value
    outside: float
    difference: float  # in standard deviations of all rows


@dataclass(frozen=True)
class ClusterDescription:
    """One cluster: its size, what distinguishes it, and its typical row."""

    label: Any
    size: int
    differences: tuple[Difference, ...]  # the largest first
    typical_row: int | None = None  # its number, if the model is given
    margin: float | None = None  # median, divided by that of all rows


def describe_clusters(
    X: Any, labels: Any, model: Any = None, *, n_differences: int = 6
) -> list[ClusterDescription]:
    """Return what distinguishes each cluster from all others.

    Parameters
    ----------
    X : table or array-like of shape (n_samples, n_features)
        The rows, with numbers, categories, booleans, dates and missing values.
    labels : array-like of shape (n_samples,)
        The cluster of each row, of any method; rows with -1 belong to none.
    model : estimator, default=None
        A fitted clusterer of this package, for typical rows and margins: the difference
        of the two largest decision values.
    n_differences : int, default=6
        The number of differences for each cluster.

    Returns
    -------
    descriptions : list of ClusterDescription
        In the order of the labels.

    Examples
    --------
    >>> import pandas as pd
    >>> from maxmargin.tables import describe_clusters
    >>> frame = pd.DataFrame({"size": [1.0, 1.5, 4.0, 4.5], "kind": list("aabb")})
    >>> first, second = describe_clusters(frame, [0, 0, 1, 1])
    >>> [(d.column, d.value, d.inside, d.outside) for d in second.differences]
    [('kind', 'a', 0.0, 1.0), ('kind', 'b', 1.0, 0.0), ('size', None, 4.25, 1.25)]
    """
    labels = np.asarray(labels)
    columns = list(_numeric_columns(X))
    if len(labels) != len(columns[0][2]):
        raise ValueError(
            f"There are {len(labels)} labels and {len(columns[0][2])} rows: give one "
            "label for each row."
        )
    typical, margins = _from_model(X, model)
    rows = {labels[row]: int(row) for row in typical}
    found = []
    for label in np.unique(labels[labels != -1]):
        own = labels == label
        differences = sorted(
            (_difference(*column, own) for column in columns),
            key=lambda d: (-abs(d.difference), d.column, d.value or ""),
        )
        found.append(
            ClusterDescription(
                label.item(),
                int(own.sum()),
                tuple(d for d in differences if d.difference)[:n_differences],
                rows.get(label),
                None if margins is None else float(np.median(margins[own])),
            )
        )
    return found


def _difference(
    column: str, value: str | None, x: np.ndarray, own: np.ndarray
) -> Difference:
    known = ~np.isnan(x)
    inside, outside = x[own & known], x[~own & known]
    if not len(inside) or not len(outside):
        return Difference(column, value, np.nan, np.nan, 0.0)
    means = float(inside.mean()), float(outside.mean())
    deviation = float(x[known].std())
    difference = (means[0] - means[1]) / deviation if deviation > 0 else 0.0
    return Difference(column, value, *means, difference)


def _numeric_columns(X: Any) -> Iterator[tuple[str, str | None, np.ndarray]]:
    """Yield numbers, and an indicator for each value of a category, with names."""
    table, frame = _read(X)
    for name in table.names:
        decision = (
            decide(table, name, None, name in frame.groups, name in frame.dates)
            if frame is not None
            else Decision(NUMBER, "")
        )
        if decision.role not in USED:
            continue
        block = make_block(table, name, decision)
        if decision.role != CATEGORY:
            yield name, None, block.numbers(table)
            continue
        shares = indicators(block.codes(table), block.size)
        for value, x in zip(block.values, shares.T, strict=True):
            yield name, value, x


def _read(X: Any) -> tuple[Table, Frame | None]:
    """Return all rows of a table, or of an array, which has no frame."""
    if is_table(X):
        frame = open_frame(X)
        return frame.sample(frame.names, max(frame.n_rows, 1))[0], frame
    from sklearn.utils import check_array

    rows = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    names = tuple(f"x{j}" for j in range(rows.shape[1]))
    return Table(names, rows, names=names), None


def _from_model(X: Any, model: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the typical rows and the margins of all rows, if there is a model."""
    if model is None:
        return np.empty(0, dtype=np.int64), None
    decisions = np.sort(np.asarray(model.decision_function(X)), axis=1)
    margins = decisions[:, -1] - decisions[:, -2]
    median = max(float(np.median(margins)), np.finfo(float).tiny)
    return model.representatives(X), margins / median
