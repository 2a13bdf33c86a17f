"""Public data sets that are read from the folder ``MAXMARGIN_DATA``."""
