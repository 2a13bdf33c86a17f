"""Tables in files: reading, preprocessing and writing."""

from maxmargin.tables.read import read_blocks, read_table
from maxmargin.tables.table import TableError
from maxmargin.tables.text import TextOptions

__all__ = ["TableError", "TextOptions", "read_blocks", "read_table"]
