"""HTML reports about the clusters of a table."""
