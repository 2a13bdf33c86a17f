"""What the steps of a first fit cost, so that its progress tells the time that is left.

Costs are seconds on one machine, of which only the ratios count. Each step has its own,
by rows, columns and clusters: with one cost for a whole fit, a quarter of the time that
was left was told for wide tables and for clusters that touch.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

# Of each row that is used to find the number of clusters, and what each of them adds to
# it; with many columns there are fewer references without clusters.
NUMBER, MANY_COLUMNS, FEWER = (5.4e-4, 5.8e-7), 20, 0.68
NUMBER_ROWS = 2000
NUMBER_SHARE = 30.0  # in what a fit reports, of such a row beside others
# Of a step; of a row: a constant, what each column adds, and what each cluster adds.
GRAPH = (0.03, 2.9e-5, 6.5e-7, 7.9e-7)
LABELS = (0.03, 2.7e-6, 6.6e-7, 1.6e-6)
MAP = (0.02, 1.6e-5, 1.1e-6, 2.4e-6)
PARTS = (0.07, 1.1e-4, 4e-8, 9e-6)
MOST_COLUMNS = 128  # distances of more are products of matrices
# The clusters are compared with those of a kernel on some rows if they touch, which is
# not known before; this is between the costs of both.
JUDGE, JUDGE_ROWS, JUDGE_COLUMNS = 0.053, 1000, 200
SEARCH = 2e-5
SOME_ROWS = 15_000  # are searched, and divided into parts
# Of more rows a part is on the graph: the first if its clusters are apart, else all of
# MANY_ROWS, for which the number is found again. Which of both is not known before; a
# report that falls so far tells it.
MANY_ROWS, FIRST_ROWS = 150_000, 20_000
FALL = 0.2
READING, CELL, COLUMN = 0.04, 1.7e-7, 2.6e-4
CLUSTERS = 16  # where the number is not known yet
LINE_BYTES = 1 << 16  # at the begin of a file, that tell the number of its rows
BYTES_PER_CELL = 8
SIGNS = b",;\t|"  # between cells


class Costs(NamedTuple):
    """The costs of the steps, one after another."""

    reading: float
    number: float
    graph: float
    search: float
    labels: float
    map: float
    parts: float

    @property
    def share_of_reading(self) -> float:
        """Return the share of the time at which the table is read."""
        return self.reading / sum(self)

    @property
    def until_labels(self) -> float:
        """Return the costs of the steps that are repeated on more rows."""
        return self.number + self.graph + self.search

    @property
    def share_of_clusters(self) -> float:
        """Return the share of the time at which the clusters are found."""
        return 1.0 - (self.map + self.parts) / sum(self)

    @property
    def share_of_map(self) -> float:
        """Return the share of the map in the time after the clusters are found."""
        return self.map / (self.map + self.parts)


class Pace:
    """The share of a first fit that is done, by what the fit of its clusters reports.

    The costs of the rest are known better when the number of clusters is found, and,
    of many rows, when it is seen whether a part of them was enough.

    Parameters
    ----------
    n_rows : int
    clusters : int or str
        As asked for.
    costs_of : callable
        Returns the costs for a number of clusters, on a part or on all of many rows.
    """

    def __init__(
        self, n_rows: int, clusters: int | str, costs_of: Callable[..., Costs]
    ) -> None:
        self.n_rows, self.clusters, self.costs_of = n_rows, clusters, costs_of
        self.costs = costs_of(clusters)
        self.on_all, self.again, self.reported = n_rows <= MANY_ROWS, 0.0, 0.0
        self.counting = self.costs.number > 0  # whether the number is being found
        if not self.on_all:
            # Between both: the geometric mean of the whole time.
            total, more = sum(self.costs), costs_of(clusters, on_all=True)
            self.again = (total * (total + more.until_labels)) ** 0.5 - total

    def take_number(self, n_clusters: int) -> None:
        """Take the costs for the number of clusters that was found."""
        found = self.costs_of(n_clusters, on_all=self.on_all)
        reading, number = self.costs[:2]
        self.costs = found._replace(reading=reading, number=number)
        self.counting, self.reported = False, 0.0

    def share_of(self, reported: float) -> float:
        """Return the share of the whole time, by the share that a fit reports.

        Between search and labels it leaves room for a search within size limits. After
        the labels are known their margins are computed, which nothing reports.
        """
        after_steps = self._after_steps()
        if reported < self.reported - FALL and not (self.on_all or self.counting):
            self._begin_again()
        elif reported > after_steps[4]:
            self.again = 0.0
        self.reported = max(self.reported, reported)
        costs = self.costs
        own = [costs.reading, costs.number, costs.graph, costs.search, 0.0]
        shares = np.cumsum([*own, 0.5 * costs.labels]) / (sum(costs) + self.again)
        return float(np.interp(self.reported, after_steps, shares))

    def _begin_again(self) -> None:
        """Take the costs of all rows: a part of them was not enough."""
        done = self.costs.reading + self.costs.until_labels
        self.on_all, self.again, self.reported = True, 0.0, 0.0
        self.costs = self.costs_of(self.clusters, on_all=True)._replace(reading=done)
        self.counting = self.costs.number > 0

    def _after_steps(self) -> list[float]:
        """Return the shares that a fit reports after its steps, 0 before the first.

        The number is found on the rows of a part, and the steps after it report as if
        it had been on all.
        """
        part = self.counting and not self.on_all
        rows = FIRST_ROWS if part else min(self.n_rows, MANY_ROWS)
        some = min(rows, NUMBER_ROWS) * NUMBER_SHARE * bool(self.costs.number)
        first = some / (some + rows)
        middle = 0.15 * first + 0.85
        graph = first + 0.6 * (middle - first)
        return [0.0, first, graph, middle, middle + 0.6 * (1.0 - middle), 1.0]


def first_fit_costs(
    n_rows: int,
    n_columns: int,
    clusters: int | str,
    with_map: bool,
    on_all: bool = False,
) -> Costs:
    """Return the costs for a table; with ``"auto"`` the number of clusters is found.

    Of many rows they are those of the first part, or with ``on_all`` of all that are on
    the graph.
    """
    automatic = isinstance(clusters, str)
    columns = min(n_columns, MOST_COLUMNS)
    k = CLUSTERS if automatic else int(clusters)

    def of_rows(cost: tuple[float, float, float, float], rows: int) -> float:
        return cost[0] + rows * (cost[1] + cost[2] * columns + cost[3] * k)

    some = min(n_rows, SOME_ROWS)
    judge = JUDGE * (1.0 + n_columns / JUDGE_COLUMNS)
    used = min(n_rows, NUMBER_ROWS)
    many = MANY_ROWS if on_all else FIRST_ROWS
    each = NUMBER[0] + NUMBER[1] * used
    each *= 1.0 if n_columns <= MANY_COLUMNS else FEWER
    return Costs(
        READING + CELL * n_rows * n_columns + COLUMN * n_columns,
        each * used if automatic else 0.0,
        of_rows(GRAPH, n_rows if n_rows <= MANY_ROWS else many),
        SEARCH * some + judge * min(n_rows / JUDGE_ROWS, 1.0) ** 2,
        of_rows(LABELS, n_rows),
        of_rows(MAP, n_rows) if with_map else 0.0,
        of_rows(PARTS, some),
    )


def expected_shape(path: str) -> tuple[int, int]:
    """Return about how many rows and columns a file has, before it is read."""
    with Path(path).open("rb") as file:
        lines = file.read(LINE_BYTES).splitlines() or [b""]
    length = sum(map(len, lines)) / len(lines) + 1
    n_columns = 1 + max(lines[0].count(sign) for sign in SIGNS)
    if not lines[0].isascii() and n_columns == 1:  # not a text
        n_columns, length = 10, 10 * BYTES_PER_CELL
    return max(int(Path(path).stat().st_size / length), 1), n_columns
