"""What is wrong with a file, in one sentence with the cure."""


class TableError(ValueError):
    """A file that cannot be read as the table that was asked for."""
