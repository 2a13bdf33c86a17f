"""One page that says what the clusters of a table are."""
