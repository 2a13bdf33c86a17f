"""What the steps of a first fit cost, so that its progress tells the time that is left.

Costs are seconds on one machine, of which only the ratios count. Each step has its own,
by rows, columns and clusters: with one cost for a whole fit, a quarter of the time that
was left was told for wide tables and for clusters that touch.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

# Of each row that is used to find the number of clusters, and what each of them adds to
# it; with many columns there are fewer references without clusters.
NUMBER, MANY_COLUMNS, FEWER = (2.5e-3, 1.3e-6), 20, 0.68
NUMBER_ROWS = 2000
NUMBER_SHARE = 30.0  # in what a fit reports, of such a row beside others
# Of a row: a constant, what each column adds, and what each cluster adds.
GRAPH = (1e-4, 4e-7, 2e-6)
LABELS = (3e-5, 5e-7, 1e-6)
MAP = (1.5e-4, 2e-7, 3e-6)
PARTS = (2.2e-4, 1e-7, 3.2e-5)
MOST_COLUMNS = 128  # distances of more are products of matrices
# The clusters are compared with those of a kernel on some rows if they touch, which is
# not known before; this is between the costs of both.
JUDGE, JUDGE_ROWS, JUDGE_COLUMNS = 0.35, 1000, 500
SEARCH = 1.2e-4
SOME_ROWS = 15_000  # are searched, and divided into parts
# Of more rows a part is on the graph: the first if its clusters are apart, else all of
# MANY_ROWS. Which of both is not known before.
MANY_ROWS, FIRST_ROWS = 150_000, 20_000
CELL, COLUMN = 5e-7, 7e-4  # of reading
START, PARTS_START = 0.02, 0.08  # of a step of few rows
CLUSTERS = 12  # where the number is not known yet
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
    def share_of_clusters(self) -> float:
        """Return the share of the clusters in the time after the table is read."""
        return 1.0 - (self.map + self.parts) / (sum(self) - self.reading)

    @property
    def share_of_map(self) -> float:
        """Return the share of the map in the time after the clusters are found."""
        return self.map / (self.map + self.parts)

    def pace(self, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return what a fit reports after its steps, and their shares of its time.

        Between search and labels it leaves room for a search within size limits. After
        the labels are known their margins are computed, which nothing reports.
        """
        half = 0.5 * self.labels
        own = [0.0, self.number, self.graph, self.search, 0.0, half]
        some = NUMBER_SHARE * min(n_rows, NUMBER_ROWS) if self.number else 0.0
        first = some / (some + n_rows)
        middle = 0.15 * first + 0.85
        graph = first + 0.6 * (middle - first)
        labels = middle + 0.6 * (1.0 - middle)
        reported = np.array([0.0, first, graph, middle, labels, 1.0])
        return reported, np.cumsum(own) / (sum(own) + half)


def first_fit_costs(
    n_rows: int, n_columns: int, clusters: int | str, with_map: bool
) -> Costs:
    """Return the costs for a table; with ``"auto"`` the number of clusters is found."""
    automatic = isinstance(clusters, str)
    columns = min(n_columns, MOST_COLUMNS)
    k = CLUSTERS if automatic else int(clusters)

    def of_rows(cost: tuple[float, float, float], rows: int) -> float:
        return START + rows * (cost[0] + cost[1] * columns + cost[2] * k)

    some = min(n_rows, SOME_ROWS)
    judge = JUDGE * (1.0 + n_columns / JUDGE_COLUMNS)
    used = min(n_rows, NUMBER_ROWS)
    between = int((MANY_ROWS * FIRST_ROWS) ** 0.5)
    each = NUMBER[0] + NUMBER[1] * used
    each *= 1.0 if n_columns <= MANY_COLUMNS else FEWER
    return Costs(
        START + CELL * n_rows * n_columns + COLUMN * n_columns,
        each * used if automatic else 0.0,
        of_rows(GRAPH, n_rows if n_rows <= MANY_ROWS else between),
        START + SEARCH * some + judge * min(n_rows / JUDGE_ROWS, 1.0) ** 2,
        of_rows(LABELS, n_rows),
        of_rows(MAP, n_rows) if with_map else 0.0,
        PARTS_START + of_rows(PARTS, some),
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
