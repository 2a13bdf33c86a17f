"""Tables in files: reading, preprocessing and writing."""

from maxmargin.tables.read import read_blocks, read_table
from maxmargin.tables.table import TableError

__all__ = ["TableError", "read_blocks", "read_table"]
