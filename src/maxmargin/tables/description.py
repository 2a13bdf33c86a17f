r"""What distinguishes clusters, in the columns and units of the table.

For a number the means inside and outside of a cluster are compared, for a category the
shares of each of its values, which are means of indicators. With the standard deviation
:math:`s` of all rows, the difference is

.. math:: d = (\bar x_{\mathrm{inside}} - \bar x_{\mathrm{outside}}) / s,

so that numbers of any unit and categories can be compared. Missing values are left out.
Ids have no differences. Texts have keywords, see `maxmargin.texts.keywords`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from maxmargin.tables.basis import category_indicators, make_block
from maxmargin.tables.frames import open_frame
from maxmargin.tables.objects import is_table
from maxmargin.tables.roles import CATEGORY, NUMBER, TEXT, USED, Decision, decide
from maxmargin.tables.table import Table, join_texts
from maxmargin.texts.encoder import as_texts, is_texts
from maxmargin.texts.keywords import find_keywords, typical_texts


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
    keywords: tuple[str, ...] = ()  # of texts, the most telling first
    typical_texts: tuple[str, ...] = ()
    typical_row: int | None = None  # its number, if the model is given
    margin: float | None = None  # median, divided by that of all rows


def describe_clusters(
    X: Any, labels: Any, model: Any = None, *, n_differences: int = 6
) -> list[ClusterDescription]:
    """Return what distinguishes each cluster from all others.

    Parameters
    ----------
    X : table or array-like of shape (n_samples, n_features), or texts
        The rows, with numbers, categories, booleans, dates, texts and missing values.
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
    rows = _read(X)
    if len(labels) != rows.n_rows:
        raise ValueError(
            f"There are {len(labels)} labels and {rows.n_rows} rows: give one label "
            "for each row."
        )
    columns = list(_numeric_columns(rows))
    words, texts = _from_texts(rows.texts, labels)
    typical, margins = _from_model(X, model)
    typical_rows = {labels[row]: int(row) for row in typical}
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
                tuple(words.get(label.item(), ())),
                tuple(texts.get(label.item(), ())),
                typical_rows.get(label),
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


@dataclass(frozen=True)
class _Rows:
    """The rows that are described: columns with their roles, and texts."""

    n_rows: int
    table: Table | None = None
    roles: dict[str, Decision] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)


def _numeric_columns(rows: _Rows) -> Iterator[tuple[str, str | None, np.ndarray]]:
    """Yield numbers, and an indicator for each value of a category, with names."""
    for name, decision in rows.roles.items():
        if decision.role not in USED:
            continue
        assert rows.table is not None  # it has the columns
        block = make_block(rows.table, name, decision)
        if decision.role != CATEGORY:
            yield name, None, block.numbers(rows.table)
            continue
        shares = category_indicators(block.codes(rows.table), block.size)
        for value, x in zip(block.values, shares.T, strict=True):
            yield name, value, x


def _read(X: Any) -> _Rows:
    """Return all rows of a table, of an array, which is of numbers, or of texts."""
    if is_texts(X):
        texts = as_texts(X)
        return _Rows(len(texts), texts=texts)
    if is_table(X):
        frame = open_frame(X)
        table = frame.sample(frame.names, max(frame.n_rows, 1))[0]
        roles = {
            name: decide(table, name, None, name in frame.groups, name in frame.dates)
            for name in table.names
        }
        words = [name for name, found in roles.items() if found.role == TEXT]
        return _Rows(len(table), table, roles, join_texts(table, words))
    from sklearn.utils import check_array

    numbers = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    names = tuple(f"x{j}" for j in range(numbers.shape[1]))
    table = Table(names, numbers, names=names)
    return _Rows(len(table), table, dict.fromkeys(names, Decision(NUMBER, "")))


def _from_texts(texts: list[str], labels: np.ndarray) -> tuple[Any, Any]:
    """Return the keywords and the typical texts of each cluster, by label."""
    if not texts:
        return {}, {}
    return find_keywords(texts, labels), typical_texts(texts, labels)


def _from_model(X: Any, model: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the typical rows and the margins of all rows, if there is a model."""
    if model is None:
        return np.empty(0, dtype=np.int64), None
    decisions = np.sort(np.asarray(model.decision_function(X)), axis=1)
    margins = decisions[:, -1] - decisions[:, -2]
    median = max(float(np.median(margins)), np.finfo(float).tiny)
    return model.representatives(X), margins / median
