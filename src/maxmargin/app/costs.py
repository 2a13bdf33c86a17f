"""What the steps of a first fit cost, so that its progress tells the time that is left.

Costs are in the time of clustering one row with a given number of clusters. They were
measured on tables of 500 to 100,000 rows with 8 to 40 columns.
"""

from typing import NamedTuple

READING = 0.03  # the share of the time until the number of rows is known
# To find the number of clusters, for each row that is used for it; with many columns
# there are fewer references without clusters.
NUMBER, NUMBER_OF_MANY, MANY_COLUMNS = 30.0, 15.0, 20
NUMBER_ROWS = 2000
MAP = 0.8
START = 500  # rows, in whose time small steps of a fit are done
PARTS, PARTS_ROWS = 2.0, 15_000  # the fit that finds parts of clusters uses some rows


class Costs(NamedTuple):
    """The costs of the steps, one after another."""

    clusters: float
    map: float
    parts: float

    @property
    def share_of_clusters(self) -> float:
        """Return the share of the time at which the clusters are found."""
        return READING + (1 - READING) * self.clusters / sum(self)

    @property
    def share_of_map(self) -> float:
        """Return the share of the map in the time after the clusters are found."""
        return self.map / (self.map + self.parts)


def first_fit_costs(
    n_rows: int, n_columns: int, automatic: bool, with_map: bool
) -> Costs:
    """Return the costs for a table; ``automatic`` finds the number of clusters."""
    each = NUMBER if n_columns <= MANY_COLUMNS else NUMBER_OF_MANY
    number = each * min(n_rows, NUMBER_ROWS) if automatic else 0.0
    parts = PARTS * min(n_rows, PARTS_ROWS)
    return Costs(number + START + n_rows, MAP * n_rows if with_map else 0.0, parts)
