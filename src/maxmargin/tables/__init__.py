"""Tables: reading from files, encoding of columns, and writing."""

from maxmargin.tables.description import (
    ClusterDescription,
    Difference,
    describe_clusters,
)
from maxmargin.tables.encoder import Column, TableEncoder
from maxmargin.tables.read import read_blocks, read_table
from maxmargin.tables.samples import TableOptions, read_samples
from maxmargin.tables.table import TableError
from maxmargin.tables.text import TextOptions

__all__ = [
    "ClusterDescription",
    "Column",
    "Difference",
    "TableEncoder",
    "TableError",
    "TableOptions",
    "TextOptions",
    "describe_clusters",
    "read_blocks",
    "read_samples",
    "read_table",
]
