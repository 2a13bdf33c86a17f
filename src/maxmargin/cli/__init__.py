"""The command `maxmargin`: from a file and a terminal to clusters and a page."""
