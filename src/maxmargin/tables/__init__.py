"""Files in, numbers out: tables in any common format, by stated rules."""

from maxmargin.tables.errors import TableError
from maxmargin.tables.read import read_blocks, read_table

__all__ = ["TableError", "read_blocks", "read_table"]
